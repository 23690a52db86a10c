import type { Region, Value } from "../../ir/index.ts";
import { constant } from "../numbers/constant.ts";
import { emitOne } from "../numbers/operands.ts";
import { currentTrace } from "../trace/trace.ts";
import { roundingBias } from "./exponential.ts";
import { floatFunction } from "./float-function.ts";
import { reciprocal } from "./quotients.ts";
import {
  add,
  both,
  choose,
  convert,
  differing,
  either,
  fused,
  magnitude,
  mul,
  negate,
  polynomial,
  recast,
  shiftLeft,
  shiftRight,
  sub,
  test,
} from "./values.ts";

/** sin(r) / r, cos(r) and tan(r) / r in r² for |r| <= 0.795, without their first coefficients 1. */
const sinCoefficients = [-0.16666653752326965, 0.008332104422152042, -0.00019507459364831448];
const cosCoefficients = [-0.4999987483024597, 0.04165516421198845, -0.001358365872874856];
const tanCoefficients = [
  0.33333122730255127, 0.1333969384431839, 0.05333652347326279, 0.024699008092284203, 0.002685846295207739, 0.00964372418820858,
];

/** An angle as `quarters · π/2 + rest`; of `quarters`, an i32, the lowest two bits count. */
interface Reduced {
  readonly rest: Value;
  readonly quarters: Value;
}

/** The double nearest to π/2, and what it lacks. */
const quarter = [Math.PI / 2, 6.123233995736766e-17] as const;
/** Down to so many bits after the point. */
const downTo = (x: number, bits: number): number => Math.floor(x * 2 ** bits) / 2 ** bits;
/** π/2 in three parts of f32. All are positive: a part less would make 0 of an angle of -0. */
const quarterParts = ((): readonly number[] => {
  const first = downTo(quarter[0], 23);
  const second = downTo(quarter[0] - first, 46);
  return [first, second, quarter[0] - first - second + quarter[1]];
})();

/** Angles from here on are reduced with the bits of 2/π that count for them. */
const leastHuge = 2 ** 17;

/** Cody and Waite's reduction: below `leastHuge` the first step is exact, and the parts of π/2 are off by 2^-56 in all. */
function reduceNear(x: Value): Reduced {
  const sum = fused(x, 2 / Math.PI, roundingBias);
  const k = sub(sum, roundingBias);
  return { rest: quarterParts.reduce((rest, part) => fused(k, -part, rest), x), quarters: recast(sum, "i32") };
}

/** 32 zeros and the bits of 2/π after the point, 32 to a word. */
const twoOverPi = [0, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab] as const;

/** The words of 2/π from number `index` (0 to 4) on. */
function wordsFrom(index: Value): readonly Value[] {
  const word = (i: number): Value => constant(twoOverPi[i] ?? 0, "u32");
  const at = [0, 1, 2, 3].map((i) => test(index, "eq", i));
  return [0, 1, 2, 3].map((i) => at.reduceRight((later, here, from) => choose(here, word(from + i), later), word(4 + i)));
}

/** 96 bits of 2/π from bit `from` (24 to 134, of which 32 are zeros) on: 64 and 32 of them as u64s. */
function window(from: Value): readonly [Value, Value] {
  const [a, b, c, d] = wordsFrom(shiftRight(from, 5));
  if (!a || !b || !c || !d) throw new Error("four words");
  const funnel = (high: Value, low: Value): Value => convert(emitOne("shf", { low, high, by: from }, { direction: "l" }), "u64");
  return [either(shiftLeft(funnel(a, b), 32), funnel(b, c)), funnel(c, d)];
}

/**
 * The reduction of M. Payne and R. Hanek (SIGNUM Newsletter 18, 1983) of an f32 from 2^17 on: x = m · 2^e with a whole m
 * of 24 bits, so bits of 2/π before 2^(1-e) give multiples of 2π only, and the next 96 leave an error below 2^-60. NaN of Infinity.
 */
function reduceHuge(x: Value): Reduced {
  const bits = recast(x, "i32");
  const biased = both(shiftRight(bits, 23), 255);
  const m = convert(either(both(bits, 0x7fffff), 0x800000), "u64");
  // e = biased - 150; the window starts at bit e - 2, counted from 0 after the point, behind the 32 zeros.
  const [high, low] = window(sub(biased, 120));
  // The turn as a fraction of 2^64: two bits of quarters, then 62 of the fraction of one.
  const turn = recast(add(mul(m, high), shiftRight(mul(m, low), 32)), "i64");
  const fraction = shiftLeft(turn, 2);
  const up = test(fraction, "lt", 0n);
  const floor = convert(recast(shiftRight(recast(turn, "u64"), 62), "i64"), "i32");
  const quarters = choose(up, add(floor, 1), floor);
  const size = convert(mul(convert(fraction, "f64"), quarter[0] * 2 ** -64), "f32");
  const rest = choose(test(biased, "eq", 255), Number.NaN, size);
  const negative = test(x, "lt", 0);
  return { rest: choose(negative, negate(rest), rest), quarters: choose(negative, negate(quarters), quarters) };
}

function regionOf(run: () => Reduced): Region {
  const trace = currentTrace("a function of an angle");
  return trace.inRegion([], () => {
    const { rest, quarters } = run();
    trace.emit("yield", { values: [rest, quarters] }, {});
  }).region;
}

/** Infinity and NaN give NaN. */
function reduce(x: Value): Reduced {
  const condition = test(magnitude(x), "ge", leastHuge);
  const near = reduceNear(x);
  const regions = [regionOf(() => reduceHuge(x)), regionOf(() => near)];
  const chosen = currentTrace("a function of an angle").emit("if", { condition }, {}, { types: ["f32", "i32"], regions });
  const [rest, quarters] = chosen.results;
  if (!rest || !quarters) throw new Error("an `if` with two results");
  return { rest, quarters };
}

/** r + r · (r² · p(r²)); the sum with 0 keeps the sign of r = -0. */
function oddSeries(r: Value, square: Value, coefficients: readonly number[]): Value {
  return fused(fused(polynomial(square, coefficients), square, 0), r, r);
}

/** sin(angle + ahead · π/2). */
function sinAhead(x: Value, ahead: number): Value {
  const { rest, quarters } = reduce(x);
  const turned = ahead === 0 ? quarters : add(quarters, ahead);
  const square = mul(rest, rest);
  const cos = fused(polynomial(square, cosCoefficients), square, 1);
  const size = choose(test(both(turned, 1), "ne", 0), cos, oddSeries(rest, square, sinCoefficients));
  return recast(differing(recast(size, "i32"), both(shiftLeft(turned, 30), -(2 ** 31))), "f32");
}

/** tan(rest), or -1 / tan(rest) where the angle lies an odd number of quarters on. */
function tanSingle(x: Value): Value {
  const { rest, quarters } = reduce(x);
  const tan = oddSeries(rest, mul(rest, rest), tanCoefficients);
  return choose(test(both(quarters, 1), "ne", 0), negate(reciprocal(tan)), tan);
}

/** `Math.sin` of any angle in radians: within 2 ulp on f32, 0.51 ulp on f16 and bf16; NaN of ±Infinity, -0 of -0. Error: W2702 for f64. */
export const sin = floatFunction({ name: "Math.sin", single: (x) => sinAhead(x, 0) });
/** `Math.cos` of any angle in radians: within 2 ulp on f32, 0.51 ulp on f16 and bf16; NaN of ±Infinity. Error: W2702 for f64. */
export const cos = floatFunction({ name: "Math.cos", single: (x) => sinAhead(x, 1) });
/** `Math.tan` of any angle in radians: within 4 ulp on f32, 0.51 ulp on f16 and bf16; NaN of ±Infinity, -0 of -0. Error: W2702 for f64. */
export const tan = floatFunction({ name: "Math.tan", single: tanSingle });
