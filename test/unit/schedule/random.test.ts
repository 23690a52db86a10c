import fc from "fast-check";
import { expect, test } from "vitest";
import { WarpsmithError } from "warpsmith";
import { roundFloat } from "../../../src/base/small-floats.ts";
import { interpret } from "../../../src/schedule/ir/interpret.ts";
import { printProgram } from "../../../src/schedule/ir/print.ts";
import { sameProgram } from "../../../src/schedule/ir/same.ts";
import type { Program } from "../../../src/schedule/ir/types.ts";
import { programsOf } from "../../schedule/program-of.ts";
import { makeData, type RandomProgram, randomProgram, runPlain } from "../../schedule/random-programs.ts";
import { isAsked, ofProperty } from "../../support/amount.ts";

const toI32 = (x: number): number => (Number.isNaN(x) ? 0 : Math.min(2 ** 31 - 1, Math.max(-(2 ** 31), Math.trunc(x))));
const conversions = {
  f64: (x: number) => x,
  f32: Math.fround,
  f16: (x: number) => roundFloat("f16", x),
  bf16: (x: number) => roundFloat("bf16", x),
  i32: toI32,
};

/** `RUNS=10000 SEED=5 npx vitest run test/unit/schedule/random.test.ts` */
const asked = ofProperty(200, 5);
const runs = asked.numRuns;

/** What the language refuses, and must: values read before a write, variables that a loop or a branch changes. */
const refusals = new Set(["W5505", "W5509"]);

/** How many are transformed at once. */
const batch = Math.min(20, runs);

function traced(make: () => Program, module: string): Program | undefined {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof WarpsmithError) || !refusals.has(error.code)) throw new Error(`${error}\n${module}`, { cause: error });
    return undefined;
  }
}

function expectSameResults(p: Program, seed: number, { module, body }: RandomProgram): void {
  const [got, wanted] = [makeData(seed), makeData(seed)];
  interpret(p, { ...got });
  runPlain(body, wanted, conversions);
  // -0 and 0 are one number here: JavaScript has -0 where an i32 has none.
  for (const key of ["Z", "W", "F", "A", "B", "H"] as const)
    expect(
      [...got[key]].map((x) => x + 0),
      `${key}\n${module}\n${printProgram(p)}`,
    ).toEqual([...wanted[key]].map((x) => x + 0));
}

test("random programs do what plain JavaScript does, and what is printed is the same program", {
  timeout: 60_000 + 200 * runs,
}, () => {
  const counts = { ran: 0, refused: 0 };
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 2 ** 31 }), { minLength: batch, maxLength: batch }), (seeds) => {
      const random = seeds.map(randomProgram);
      const programs = programsOf(random.map((r) => r.module)).map((make, i) => traced(make, random[i]?.module ?? ""));
      const known = programs.flatMap((p, i) => {
        const [r, seed] = [random[i], seeds[i]];
        return p && r && seed !== undefined ? [{ p, r, seed, text: printProgram(p) }] : [];
      });
      counts.ran += known.length;
      counts.refused += seeds.length - known.length;
      for (const { p, r, seed } of known) expectSameResults(p, seed, r);
      const again = programsOf(known.map((k) => k.text)).map((make) => make());
      known.forEach(({ p, r, text }, i) => {
        const other = again[i];
        if (!other) throw new Error("a program is missing");
        expect(sameProgram(p, other), `${r.module}\n${text}\n${printProgram(other)}`).toBe(true);
        expect(printProgram(other)).toBe(text);
      });
    }),
    { ...asked, numRuns: Math.ceil(runs / batch), endOnFailure: true },
  );
  if (isAsked) console.log(counts);
  if (runs >= 20) expect(counts.refused).toBeLessThan(counts.ran);
});
