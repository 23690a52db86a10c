import fc from "fast-check";
import { expect, test } from "vitest";
import { randomProgram } from "./random-programs.ts";
import { runBoth } from "./run-both.ts";

const numRuns = Number(process.env.FUZZ_RUNS ?? 150);

test.each([
  ["plainly", false],
  ["with every branch tried", true],
] as const)(
  "random programs mean the same transformed, %s",
  (_how, speculate) => {
    fc.assert(
      fc.property(randomProgram, (body) => {
        const { plain, transformed, code } = runBoth(body, speculate);
        expect(transformed, code).toEqual(plain);
      }),
      { numRuns },
    );
  },
  120_000,
);
