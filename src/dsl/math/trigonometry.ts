import type { Region, Value } from "../../ir/index.ts";
import { constant } from "../numbers/constant.ts";
import { emitOne } from "../numbers/operands.ts";
import { currentTrace } from "../trace/trace.ts";
import { roundingBias } from "./exponential.ts";
import { floatFunction } from "./grade.ts";
import {
  add,
  both,
  choose,
  convert,
  div,
  either,
  fused,
  magnitude,
  mul,
  negate,
  number,
  polynomial,
  recast,
  shiftLeft,
  shiftRight,
  sub,
  test,
} from "./values.ts";

/** sin(r) / r and cos(r) in r², for |r| <= π/4: Chebyshev fits, within 2^-47 and 2^-43. */
const sinCoefficients = [
  0.9999999999999954, -0.1666666666661414, 0.008333333323495075, -0.0001984126310068234, 2.7555230894213e-6,
  -2.4753619693567457e-8,
];
const cosCoefficients = [
  0.999999999999941, -0.49999999999318084, 0.04166666653893945, -0.0013888880137186553, 2.479887554656172e-5,
  -2.716961555116668e-7,
];

/** An angle as `quarters · π/2 + rest`; of `quarters`, an i32, the lowest two bits count. */
interface Reduced {
  readonly rest: Value;
  readonly quarters: Value;
}

/** π/2 less the double nearest to it. */
const quarterRest = 6.123233995736766e-17;

/** Cody and Waite's reduction in f64: the first step is exact for an f32, the second is off by 2^-66 at most below 2^39. */
function reduceNear(x: Value): Reduced {
  const biased = fused(x, number(2 / Math.PI, x), number(roundingBias, x));
  const k = negate(sub(biased, number(roundingBias, x)));
  const coarse = fused(k, number(Math.PI / 2, x), x);
  return { rest: fused(k, number(quarterRest, x), coarse), quarters: convert(recast(biased, "i64"), "i32") };
}

/** Bits of 2/π after the point, 32 to a word. */
const twoOverPi = [0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab] as const;

/** Angles from here on are reduced with the bits of 2/π that count for them. */
const leastHuge = 2 ** 39;

/** The words of 2/π from number `index` (0 to 3) on. */
function wordsFrom(index: Value): readonly Value[] {
  const word = (i: number): Value => constant(twoOverPi[i] ?? 0, "u32");
  const [first, second, third] = [test(index, "eq", 0), test(index, "eq", 1), test(index, "eq", 2)];
  return [0, 1, 2, 3].map((i) => choose(first, word(i), choose(second, word(i + 1), choose(third, word(i + 2), word(i + 3)))));
}

/** 96 bits of 2/π from bit `from` (14 to 102) on: 64 and 32 of them as u64s. */
function window(from: Value): readonly [Value, Value] {
  const [a, b, c, d] = wordsFrom(shiftRight(from, 5));
  if (!a || !b || !c || !d) throw new Error("four words");
  const funnel = (high: Value, low: Value): Value => convert(emitOne("shf", { low, high, by: from }, { direction: "l" }), "u64");
  return [either(shiftLeft(funnel(a, b), 32), funnel(b, c)), funnel(c, d)];
}

/**
 * The reduction of M. Payne and R. Hanek (SIGNUM Newsletter 18, 1983) of a finite f32 from 2^39 on: x = m · 2^e with a whole m
 * of 24 bits, so bits of 2/π before 2^(1-e) give multiples of 2π only, and the next 96 leave an error below 2^-60.
 */
function reduceHuge(x: Value): Reduced {
  const bits = recast(x, "i32");
  const biased = both(shiftRight(bits, 23), constant(255, "i32"));
  const m = convert(either(both(bits, constant(0x7fffff, "i32")), constant(0x800000, "i32")), "u64");
  // e = biased - 150; the window starts at bit e - 2, counted from 0 after the point.
  const [high, low] = window(sub(biased, constant(152, "i32")));
  // The turn as a fraction of 2^64: two bits of quarters, then 62 of the fraction of one.
  const turn = recast(add(mul(m, high), shiftRight(mul(m, low), 32)), "i64");
  const fraction = shiftLeft(turn, 2);
  const up = test(fraction, "lt", 0n);
  const floor = convert(recast(shiftRight(recast(turn, "u64"), 62), "i64"), "i32");
  const quarters = choose(up, add(floor, constant(1, "i32")), floor);
  const rest = mul(convert(fraction, "f64"), constant((Math.PI / 2) * 2 ** -64, "f64"));
  const negative = test(x, "lt", number(0, x));
  return { rest: choose(negative, negate(rest), rest), quarters: choose(negative, negate(quarters), quarters) };
}

function regionOf(run: () => Reduced): Region {
  const trace = currentTrace("a function of an angle");
  return trace.inRegion([], () => {
    const { rest, quarters } = run();
    trace.emit("yield", { values: [rest, quarters] }, {});
  }).region;
}

/** x: an f32. Infinity and NaN give NaN. */
function reduce(x: Value, wide: Value): Reduced {
  const size = magnitude(x);
  const condition = both(test(size, "ge", leastHuge), test(size, "lt", Number.POSITIVE_INFINITY));
  const near = reduceNear(wide);
  const regions = [regionOf(() => reduceHuge(x)), regionOf(() => near)];
  const chosen = currentTrace("a function of an angle").emit("if", { condition }, {}, { types: ["f64", "i32"], regions });
  const [rest, quarters] = chosen.results;
  if (!rest || !quarters) throw new Error("an `if` with two results");
  return { rest, quarters };
}

interface Waves {
  readonly sin: Value;
  readonly cos: Value;
}

function waves(rest: Value): Waves {
  const square = mul(rest, rest);
  return { sin: mul(rest, polynomial(square, sinCoefficients)), cos: polynomial(square, cosCoefficients) };
}

const hasBit = (x: Value, bit: number): Value => test(both(x, constant(bit, "i32")), "ne", 0);

/** sin(angle + ahead · π/2). */
function sinAhead(x: Value, ahead: number): Value {
  const { rest, quarters } = reduce(convert(x, "f32"), x);
  const turned = ahead === 0 ? quarters : add(quarters, constant(ahead, "i32"));
  const { sin, cos } = waves(rest);
  const size = choose(hasBit(turned, 1), cos, sin);
  return choose(hasBit(turned, 2), negate(size), size);
}

function tanOf(x: Value): Value {
  const { rest, quarters } = reduce(convert(x, "f32"), x);
  const { sin, cos } = waves(rest);
  const turned = hasBit(quarters, 1);
  return div(choose(turned, negate(cos), sin), choose(turned, sin, cos));
}

/** `Math.sin` of any angle in radians: within 0.51 ulp on f32, f16 and bf16; NaN of ±Infinity, -0 of -0. Error: W2702 for f64. */
export const sin = floatFunction({ name: "Math.sin", wide: false, run: ([x]) => sinAhead(x, 0) });
/** `Math.cos` of any angle in radians: within 0.51 ulp on f32, f16 and bf16; NaN of ±Infinity. Error: W2702 for f64. */
export const cos = floatFunction({ name: "Math.cos", wide: false, run: ([x]) => sinAhead(x, 1) });
/** `Math.tan` of any angle in radians: within 0.51 ulp on f32, f16 and bf16; NaN of ±Infinity, -0 of -0. Error: W2702 for f64. */
export const tan = floatFunction({ name: "Math.tan", wide: false, run: ([x]) => tanOf(x) });
