import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Chapter } from "../../examples/chapter.ts";
import { assemble } from "../support/ptxas.ts";
import { verifyAfterEachPass } from "../support/verify-after-each-pass.ts";

verifyAfterEachPass();

/** The PTX of every chapter, as text beside this file. `UPDATE=1` renews it; a refactor changes none. */
const update = process.env.UPDATE === "1";
const examples = join(import.meta.dirname, "../../examples");
const names = readdirSync(examples).filter((name) => /^ch\d+$/.test(name));

async function ptxOf(name: string): Promise<string> {
  const { chapter } = (await import(/* @vite-ignore */ join(examples, name, "main.ts"))) as { readonly chapter: Chapter };
  return chapter.compile().ptx;
}

describe.each(names)("%s", (name) => {
  it("gives the PTX it gave", async () => {
    const [file, ptx] = [join(import.meta.dirname, `${name}.ptx`), await ptxOf(name)];
    if (update) writeFileSync(file, ptx);
    expect(ptx).toBe(readFileSync(file, "utf8"));
  });

  it("is assembled without complaint or spill", async () => {
    const assembled = assemble(await ptxOf(name));
    if (!assembled) return;
    const { ok, warnings, spills } = assembled;
    expect({ ok, warnings, spills }, assembled.log).toEqual({ ok: true, warnings: [], spills: 0 });
  });

  it("has a place in the kernel for every instruction", async () => {
    const [ptx, source] = [await ptxOf(name), readFileSync(join(examples, name, "kernel.ts"), "utf8").split("\n")];
    expect(ptx).toContain(`.file 1 "examples/${name}/kernel.ts"`);
    const places = [...ptx.matchAll(/^\s*\.loc 1 (\d+) (\d+)$/gm)].map(([, line, column]) => ({
      line: Number(line),
      column: Number(column),
    }));
    expect(places.length).toBeGreaterThan(2);
    const wrong = places.filter(({ line, column }) => !/[\w$(!`"'[]/.test(source[line - 1]?.[column - 1] ?? ""));
    expect(wrong).toEqual([]);
  });
});

/** What stands in the source at the place of each instruction that `pattern` matches. */
function textAt(ptx: string, pattern: RegExp, source: readonly string[]): string[] {
  let place = "";
  const found: string[] = [];
  for (const line of ptx.split("\n")) {
    const loc = /^\s*\.loc 1 (\d+) (\d+)$/.exec(line);
    if (loc) place = source[Number(loc[1]) - 1]?.slice(Number(loc[2]) - 1) ?? "";
    else if (pattern.test(line)) found.push(place);
  }
  return found;
}

describe("places in the source", () => {
  it("saxpy loads and stores where the author wrote it", async () => {
    const source = readFileSync(join(examples, "ch1/kernel.ts"), "utf8").split("\n");
    const ptx = await ptxOf("ch1");
    const statement = "y[row][col] += x[row][col] * alpha;";
    expect(textAt(ptx, /ld\.global/, source)).toEqual([statement, "x[row][col] * alpha;"]);
    expect(textAt(ptx, /st\.global/, source)).toEqual([statement]);
    expect(textAt(ptx, /mul\.rn/, source)).toEqual(["x[row][col] * alpha;"]);
  });

  it("copies and products stand at their calls", async () => {
    const source = readFileSync(join(examples, "ch3/kernel.ts"), "utf8").split("\n");
    const ptx = await ptxOf("ch3");
    const copies = textAt(ptx, /cp\.async\.bulk\.tensor/, source);
    expect(copies.map((text) => text.slice(0, 12))).toEqual(["a.load(aTile", "b.load(bTile", "b.load(bTile"]);
    for (const text of textAt(ptx, /wgmma\.mma_async/, source)) expect(text).toMatch(/^D\.mma\(A, B\)/);
    for (const text of textAt(ptx, /wgmma\.wait_group/, source)) expect(text).toMatch(/^wgmma\.wait\(0\)/);
  });

  it("what a helper does stands in the helper", async () => {
    const source = readFileSync(join(examples, "ch4/kernel.ts"), "utf8").split("\n");
    const loads = textAt(await ptxOf("ch4"), /cp\.async\.bulk\.tensor/, source);
    expect(new Set(loads.map((text) => text.slice(0, 13)))).toEqual(new Set(["a.load(aTile,", "b.load(bTile,"]));
  });
});
