import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDevice, WarpsmithError } from "warpsmith";
import type { Order } from "../../examples/gluon/04-tma/order.ts";
import type { Lesson } from "../../examples/gluon/lesson.ts";

const gluon = join(import.meta.dirname, "../../examples/gluon");
const { lessons } = (await import(/* @vite-ignore */ join(gluon, "lessons.ts"))) as { readonly lessons: readonly Lesson[] };
const { orders } = (await import(/* @vite-ignore */ join(gluon, "04-tma/orders.ts"))) as { readonly orders: readonly Order[] };

const cases = lessons.flatMap(({ name, cases }) => cases.map((c) => [`${name} ${c.kernel} ${c.parameters}`, c] as const));

describe.each(["normal", "strict"] as const)("the lessons on the emulator, check %s", (check) => {
  it.each(cases)("%s", async (_, c) => {
    await using gpu = await openDevice("emulator", { check });
    await c.run(gpu);
  });
});

describe("lesson 04 says what the checks report", () => {
  const readme = readFileSync(join(gluon, "04-tma/README.md"), "utf8");
  const verdict = async (run: Order["run"], fenced: boolean, check: "normal" | "strict"): Promise<string> => {
    await using gpu = await openDevice("emulator", { check });
    try {
      await run(gpu, fenced);
      return "silent";
    } catch (error) {
      if (!(error instanceof WarpsmithError)) throw error;
      return error.code;
    }
  };
  it.each(orders.map((order) => [order.name, order] as const))("%s", async (name, { run }) => {
    const cells = [];
    for (const fenced of [true, false])
      for (const check of ["normal", "strict"] as const) cells.push(await verdict(run, fenced, check));
    expect(readme).toContain(`| \`${name}\` | ${cells.join(" | ")} |`);
  });
});
