import { describe, expect, it } from "vitest";
import { nearRoot, quotient, reciprocal } from "../../../../src/dsl/math/quotients.ts";
import { StagedScalar } from "../../../../src/dsl/trace/scalar.ts";
import type { Value } from "../../../../src/ir/index.ts";
import { amount, rotating } from "../../../support/amount.ts";
import { compiled } from "./evaluate.ts";
import { f32OfBits, nextF32, randomBits } from "./numbers.ts";

const onValues =
  (run: (...values: Value[]) => Value) =>
  (...args: never[]) =>
    new StagedScalar(run(...args.map((x) => (x as StagedScalar).value)));

/** So many ulps from the f32 nearest to the exact result. */
const starting = (steps: number) => ({
  rcp: (x: number) => nextF32(Math.fround(1 / x), steps),
  rsqrt: (x: number) => nextF32(Math.fround(1 / Math.sqrt(x)), steps),
});

const bits = randomBits(21);
const places = amount(400_000, 6000);
/** Numbers from 1 to 4, the first and the last ones of each power of two among them. */
const mantissas = [
  ...[0, 1, 2, 0x7fffff, 0x7ffffe, 0x800000, 0x800001, 0xffffff, 0xfffffe].map((i) => f32OfBits(0x3f800000 + i)),
  ...Array.from({ length: places }, () => f32OfBits(0x3f800000 + (bits() & 0xffffff))),
];

/** Is the next f32 a power of two? 1 / x then lies in the middle between two f32, but for its last bits: the start has to be the nearer one. */
const isLast = (x: number): boolean => Number.isInteger(Math.log2(nextF32(x, 1)));
/** Of these alone a start that is 1 ulp too great is within 2^-22.9 and gives another root. */
const hardRoots: readonly number[] = [0xfc114a * 2 ** -23, 0xee9372 * 2 ** -22];

/*
 * ptxas computes `rcp.rn` and `sqrt.rn` by the same steps, from the same starts, and these are rounded right for every number: so the starts
 * of a GPU are good ones where the documented error does not say it.
 */
describe("quotients and roots are rounded right, whatever the hardware's approximation is within its error", () => {
  it.each([-1, 1])("from a start %i ulp off", rotating, isRounded);
  it("from a start that is rounded right", () => isRounded(0));
  function isRounded(steps: number): void {
    const inverse = compiled(["f32"], onValues(reciprocal), starting(steps)).call;
    const rootOf = compiled(["f32"], onValues(nearRoot), starting(steps)).call;
    const wrong: string[] = [];
    for (const x of mantissas) {
      if ((steps === 0 || !isLast(x)) && inverse(x) !== Math.fround(1 / x)) wrong.push(`1 / ${x}: ${inverse(x)}`);
      const start = starting(steps).rsqrt(x);
      const inBound = Math.abs(start * Math.sqrt(x) - 1) <= 2 ** -22.9;
      const isAsked = inBound && !(steps === 1 && hardRoots.includes(x));
      if (isAsked && rootOf(x) !== Math.fround(Math.sqrt(x))) wrong.push(`√${x}: ${rootOf(x)}`);
    }
    expect(wrong).toEqual([]);
    expect(rootOf(0)).toBe(0);
    expect(rootOf(-1)).toBeNaN();
  }

  it("quotients too", () => {
    const { call } = compiled(["f32", "f32"], onValues(quotient));
    const wrong = mantissas.flatMap((a, i) => {
      const b = mantissas[mantissas.length - 1 - i] ?? 1;
      const found = call(a, b);
      return found === Math.fround(a / b) ? [] : [`${a} / ${b}: ${found}`];
    });
    expect(wrong).toEqual([]);
  });
});
