import type { Value } from "../../../ir/index.ts";
import { add, div, magnitude, withSign } from "../values.ts";
import { clampDouble, expm1Double } from "./exponential.ts";

/** u / (u + 2) with u = e^2|x| - 1; beyond 20 it is 1. */
export function tanhDouble(x: Value): Value {
  const near = clampDouble(magnitude(x), 0, 20);
  const u = expm1Double(add(near, near));
  return withSign(div(u, add(u, 2)), x);
}
