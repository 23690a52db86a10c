import type { Region, Value } from "../../ir/index.ts";
import { constant } from "../numbers/constant.ts";
import { currentTrace } from "../trace/trace.ts";
import { roundingBias } from "./exponential.ts";
import { floatFunction } from "./grade.ts";
import { leastHuge, type Reduced, reduceHuge } from "./huge-angle.ts";
import {
  add,
  both,
  choose,
  convert,
  div,
  fused,
  magnitude,
  mul,
  negate,
  number,
  polynomial,
  recast,
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

/** π/2 less the double nearest to it. */
const quarterRest = 6.123233995736766e-17;

/** Cody and Waite's reduction in f64: the first step is exact for an f32, the second is off by 2^-66 at most below 2^39. */
function reduceNear(x: Value): Reduced {
  const biased = fused(x, number(2 / Math.PI, x), number(roundingBias, x));
  const k = negate(sub(biased, number(roundingBias, x)));
  const coarse = fused(k, number(Math.PI / 2, x), x);
  return { rest: fused(k, number(quarterRest, x), coarse), quarters: convert(recast(biased, "i64"), "i32") };
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
