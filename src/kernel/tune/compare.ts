/** Whether results are those of a reference. */

import { digitsOf } from "../../base/digits.ts";
import { isFloatType } from "../../base/element-types.ts";
import type { DType } from "../../base/types.ts";
import type { DeviceTensor } from "../../runtime/index.ts";

type Numbers = ArrayLike<number | bigint>;

/** What an element may be off where nobody says: of floating-point numbers summed in another order, and of integers. */
const usual = (dtype: DType): number => (isFloatType(dtype) ? 0.01 : 0);

/** Every element is something that no result is: not a number, or a pattern of bits. */
export function spoil(tensor: DeviceTensor): void {
  const { dtype } = tensor;
  if (dtype === "bool") tensor.fill(true);
  else tensor.fill(isFloatType(dtype) ? Number.NaN : dtype === "i64" || dtype === "u64" ? 85n : 85);
}

/** What is wrong with a result; undefined where nothing is. An element may be off by `tolerance` of itself and of the root mean square of all. */
export function difference(
  tensor: DeviceTensor,
  actual: Numbers,
  expected: Numbers,
  tolerance: number | undefined,
): string | undefined {
  const part = tolerance ?? usual(tensor.dtype);
  let squares = 0;
  for (let i = 0; i < expected.length; i++) squares += Number(expected[i]) ** 2;
  const typical = Math.sqrt(squares / Math.max(1, expected.length));
  let [wrong, first] = [0, -1];
  for (let i = 0; i < expected.length; i++) {
    const [want, got] = [Number(expected[i]), Number(actual[i])];
    if (want === got || Math.abs(got - want) <= part * (Math.abs(want) + typical) || (Number.isNaN(want) && Number.isNaN(got)))
      continue;
    if (wrong++ === 0) first = i;
  }
  if (wrong === 0) return undefined;
  return `${wrong} of ${expected.length} elements are wrong, the first at [${digitsOf(tensor.shape, first).join(", ")}]: ${actual[first]} for ${expected[first]}`;
}
