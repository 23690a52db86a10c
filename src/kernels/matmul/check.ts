/** Refuses what matmul cannot take, before anything runs: W76xx, and W7012 for tensors of different devices. */
import type { DeviceTensor, DType } from "warpsmith";
import { display, fail } from "../../diag/index.ts";
import { equal, isSame, overlap } from "../common/same-memory.ts";
import { checkSameDevice, checkTensor, describe, type Tensors } from "../common/tensors.ts";
import type { HalfType, ResultType } from "./problem.ts";

type Matrix = DeviceTensor<HalfType, 2>;

/** Both operands: W7601–W7603. */
export function checkOperands(a: Matrix, b: Matrix): void {
  checkTensor("The operand a", a, 2);
  checkTensor("The operand b", b, 2);
  if (a.dtype !== b.dtype || (a.dtype !== "f16" && a.dtype !== "bf16")) fail("W7602", { a: a.dtype, b: b.dtype });
  if (a.shape[1] !== b.shape[0]) fail("W7603", { a: a.shape, b: b.shape });
  checkSameDevice(a, b);
}

/** What a product can be rounded to. */
export const resultTypes: readonly ResultType[] = ["f16", "bf16", "f32"];

/** Where the product goes. W7601, W7606–W7608. */
export function checkOut(out: DeviceTensor, a: Matrix, b: Matrix, dtype: ResultType | undefined): void {
  checkTensor("out", out, 2);
  const [[m], [, n]] = [a.shape, b.shape];
  const types: readonly DType[] = dtype === undefined ? resultTypes : [dtype];
  if (!types.includes(out.dtype) || out.shape[0] !== m || out.shape[1] !== n)
    fail("W7606", {
      given: describe(out),
      expected: `a tensor of ${types.join(", ").replace(/, (?=\w+$)/, " or ")}, [${m}, ${n}]`,
    });
  if (out.strides[1] !== 1 && n !== 1) fail("W7607", { strides: out.strides });
  checkSameDevice(a, out);
  for (const [name, operand] of Object.entries({ a, b })) if (overlap(out, operand)) fail("W7608", { name });
}

/** The epilogue, and that somebody reads the inputs. W7601, W7609. */
export function checkEpilogue(epilogue: unknown, inputs: Tensors): void {
  const names = Object.keys(inputs);
  if (epilogue === undefined && names.length > 0) fail("W7609", { given: undefined, inputs: names });
  if (epilogue !== undefined && typeof epilogue !== "function") fail("W7609", { given: display(epilogue), inputs: names });
  for (const name of names) checkTensor(`The input ${name}`, inputs[name]);
}

/** The product that an input belongs to. */
interface Product {
  readonly m: number;
  readonly n: number;
  readonly a: Matrix;
  readonly out: DeviceTensor | undefined;
}

/** What an input is one number for. W7608, W7610, W7611, W7012. */
export function inputShape(name: string, input: DeviceTensor, { m, n, a, out }: Product): "tile" | "column" | "row" {
  const { dtype, shape, strides } = input;
  const refuse = () => fail("W7610", { name, given: describe(input), shape: [m, n] });
  if (dtype !== "f16" && dtype !== "bf16" && dtype !== "f32") refuse();
  checkSameDevice(a, input);
  const shares = out !== undefined && overlap(out, input);
  if (equal(shape, [m, n])) {
    // An element is read before it is overwritten, by the block that does both: the same tensor may be both.
    if (shares && !isSame(out, input)) fail("W7608", { name });
    return "tile";
  }
  const column = equal(shape, [n]) || equal(shape, [1, n]);
  if (!column && !equal(shape, [m, 1])) refuse();
  if (strides[column ? shape.length - 1 : 0] !== 1) fail("W7611", { name, strides });
  if (shares) fail("W7608", { name });
  return column ? "column" : "row";
}
