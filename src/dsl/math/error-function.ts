import type { Value } from "../../ir/index.ts";
import { overTiles } from "../numbers/elementwise.ts";
import { isStagedScalar } from "../trace/scalar.ts";
import { own } from "../trace/staged.ts";
import { exp2Normal, expTimes } from "./exponential.ts";
import { floatFunction } from "./float-function.ts";
import { reciprocal } from "./quotients.ts";
import {
  add,
  checkStatic,
  choose,
  fused,
  least,
  magnitude,
  mul,
  negate,
  number,
  polynomial,
  sub,
  test,
  withSign,
} from "./values.ts";

/** From here on the functions are computed from the complement, 1 - erf. */
const far = 0.921875;
/** erf(x) / x - 1 in x² below `far`. */
const nearCoefficients = [
  0.12837916612625122, -0.3761262893676758, 0.11283625662326813, -0.026855729520320892, 0.005192392505705357,
  -0.0008049514726735651, 7.99504850874655e-5,
];
/** log2(1 - erf(x)) from `far` to 4. */
const logarithmCoefficients = [
  0.00025443502818234265, -1.629557490348816, -0.9137018322944641, -0.15624283254146576, 0.03625795245170593,
  -0.006024646572768688, 0.0006282813264988363, -3.056378409382887e-5,
];
/** (1 - erf(x)) e^(x²) (x + 2) in 1 / (x + 2) from `far` to 10.2. */
const complementCoefficients = [
  0.5641673803329468, 1.1295963525772095, 1.9460852146148682, 3.196873426437378, -0.3534121811389923, 15.061271667480469,
  -54.116966247558594, 59.8377571105957, -21.82678985595703,
];

/** erf(x) - x for x near 0. */
const nearRest = (x: Value): Value => polynomial(mul(x, x), nearCoefficients);

function erfSingle(x: Value): Value {
  const size = least(magnitude(x), 4);
  const inside = fused(nearRest(size), size, size);
  const outside = sub(number(1, x), exp2Normal(polynomial(size, logarithmCoefficients)));
  return withSign(choose(test(size, "lt", far), inside, outside), x);
}

/**
 * e^-a² · c(a), a² in two parts. What 1 / (a + 2) is off by counts 1.2 to 1.9 times in c(a), and is made up for in the exponent, to the
 * first order.
 */
function complementOf(size: Value): Value {
  const more = add(size, 2);
  const inverse = reciprocal(more);
  const factor = mul(inverse, polynomial(inverse, complementCoefficients));
  const lost = fused(sub(sub(more, 2), size), inverse, fused(negate(more), inverse, 1));
  const square = mul(size, size);
  const rest = fused(lost, 1.6, fused(negate(size), size, square));
  return expTimes(factor, negate(square), rest);
}

function erfcSingle(x: Value): Value {
  const size = least(magnitude(x), 10.2);
  const near = sub(number(1, x), fused(nearRest(x), x, x));
  const complement = complementOf(size);
  const outside = choose(test(x, "lt", 0), sub(number(2, x), complement), complement);
  return choose(test(size, "ge", far), outside, near);
}

/** e^-x² without the rounding of x². */
function gauss(x: number): number {
  const high = Math.fround(x);
  return Math.exp(-high * high) * Math.exp((high - x) * (high + x));
}

/** The series 2x e^-x² / √π · (1 + 2x²/3 + (2x²)²/15 + …), for a number below 2.5. */
function erfBySeries(x: number): number {
  let [sum, term] = [x, (2 * x * x * x) / 3];
  for (let odd = 5; Math.abs(term) > Math.abs(sum) * 2 ** -54; odd += 2) [sum, term] = [sum + term, (term * 2 * x * x) / odd];
  return (2 / Math.sqrt(Math.PI)) * gauss(x) * sum;
}

/** The continued fraction e^-x² / √π / (x + 1/2 / (x + 1 / (x + 3/2 / …))), for a number from 0.75 on; from 28 on it is 0. */
function erfcByFraction(x: number): number {
  if (x > 28) return 0;
  let below = x;
  for (let i = 500; i > 0; i--) below = x + i / 2 / below;
  return gauss(x) / Math.sqrt(Math.PI) / below;
}

function staticErf(x: number): number {
  const size = Math.abs(x);
  return size >= 2.5 ? Math.sign(x) * (1 - erfcByFraction(size)) : erfBySeries(x);
}

const staticErfc = (x: number): number => (x >= 0.75 ? erfcByFraction(x) : 1 - staticErf(x));

const stagedErf = floatFunction({ name: "erf", single: erfSingle });
const stagedErfc = floatFunction({ name: "erfc", single: erfcSingle });

/** Of static numbers `exact`, of values of the GPU `staged`. */
const functionOf = (name: string, staged: (x: unknown) => unknown, exact: (x: number) => number): ((x: number) => number) =>
  own(
    overTiles(name, (x: number): number => {
      if (isStagedScalar(x)) return staged(x) as number;
      checkStatic([x], name);
      return exact(x);
    }),
  );

/**
 * The error function, 2 / √π · ∫₀ˣ e^-t² dt: within 2 ulp on f32, 0.51 ulp on f16 and bf16; -0 of -0. Of a static number in f64, within
 * 4 ulp. CUDA `erff`. Errors: W2701 for integers, W2702 for f64.
 */
export const erf = functionOf("erf", stagedErf, staticErf);
/**
 * 1 - erf(x) without cancellation: within 4 ulp on f32 (subnormal results too), 0.51 ulp on f16 and bf16. Of a static number in f64,
 * within 1e-14 of the result. CUDA `erfcf`. Errors: W2701 for integers, W2702 for f64.
 */
export const erfc = functionOf("erfc", stagedErfc, staticErfc);
