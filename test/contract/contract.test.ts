import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Compiled } from "warpsmith";
import { assemble } from "../support/ptxas.ts";

/** The kernels that the language was designed from, as they were first written: whatever becomes of it, these compile. */
const folder = join(import.meta.dirname, "kernels");

it.each(readdirSync(folder).toSorted())("%s", async (name) => {
  const { compiled } = (await import(/* @vite-ignore */ join(folder, name))) as { compiled: () => readonly Compiled[] };
  const all = compiled();
  expect(all.length).toBeGreaterThan(0);
  for (const { ptx } of all) {
    expect(ptx).toContain(".entry");
    const assembled = assemble(ptx);
    if (!assembled) continue;
    expect({ ok: assembled.ok, warnings: assembled.warnings, spills: assembled.spills }, assembled.log).toEqual({
      ok: true,
      warnings: [],
      spills: 0,
    });
  }
});
