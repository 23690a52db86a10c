import type { Value } from "../../ir/index.ts";
import { approximate, choose, fused, mul, negate, test } from "./values.ts";

/**
 * Quotients and roots of f32 in a range that the caller knows. They begin with an approximation of the hardware, whose bits are the
 * machine's own; the fused steps after it give the same bits from every start within the error that PTX documents
 * (test/unit/dsl/math/quotients.test.ts goes through all of them), so that a GPU and the emulator agree.
 */

/** 1 / x for x and 1 / x of normal size: rounded right. */
export function reciprocal(x: Value): Value {
  const start = approximate("rcp.ftz", x);
  return fused(start, fused(negate(x), start, 1), start);
}

/** a / b where neither the quotient nor 1 / b leaves the normal numbers: rounded right. */
export function quotient(a: Value, b: Value): Value {
  const inverse = reciprocal(b);
  const near = mul(a, inverse);
  return fused(fused(negate(b), near, a), inverse, near);
}

/** √x for x of 0 or from 2^-100 to 2^100: rounded right; NaN of what is less than 0. */
export function nearRoot(x: Value): Value {
  const start = approximate("rsqrt.ftz", x);
  const near = mul(x, start);
  const closer = fused(fused(negate(near), near, x), mul(start, 0.5), near);
  return choose(test(x, "eq", 0), x, closer);
}
