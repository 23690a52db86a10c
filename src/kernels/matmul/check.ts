/** Refuses what matmul cannot take, before anything runs: W76xx, and W7012 for tensors of different devices. */
import type { DeviceTensor, DType } from "warpsmith";
import { display, fail } from "../../diag/index.ts";
import { equal, isSame, overlap } from "../common/same-memory.ts";
import { checkSameDevice, checkTensor, describe, type Tensors } from "../common/tensors.ts";
import type { HalfType, ResultType } from "./problem.ts";

/** A matrix, or a batch of them. */
type Operand = DeviceTensor<HalfType, 2 | 3>;

/** W7601. */
function checkRank(name: string, tensor: DeviceTensor): void {
  checkTensor(name, tensor);
  const { rank } = tensor;
  const given = `a tensor of ${rank} dimensions`;
  if (rank !== 2 && rank !== 3)
    fail("W7601", { name, of: "matmul", given, expected: "a matrix on a device, or a batch of matrices" });
}

/** Both operands: W7601–W7603, W7671. */
export function checkOperands(a: Operand, b: Operand): void {
  checkRank("The operand a", a);
  checkRank("The operand b", b);
  if (a.dtype !== b.dtype || (a.dtype !== "f16" && a.dtype !== "bf16")) fail("W7602", { a: a.dtype, b: b.dtype });
  const fits = a.shape.at(-1) === b.shape.at(-2);
  if (a.rank === 2 && b.rank === 2 && !fits) fail("W7603", { a: a.shape, b: b.shape });
  const [ofA, ofB] = [a, b].map((x) => (x.rank === 3 ? x.shape[0] : 1));
  if (!fits || b.rank > a.rank || (ofA !== ofB && ofA !== 1 && ofB !== 1)) fail("W7671", { a: a.shape, b: b.shape });
  checkSameDevice(a, b);
}

/** What the product's shape is: as many matrices as the operand has that has more of them. */
export function shapeOf(a: Operand, b: Operand): readonly number[] {
  const [m = 1, n = 1] = [a.shape.at(-2), b.shape.at(-1)];
  return a.rank === 2 ? [m, n] : [Math.max(a.shape[0], b.rank === 3 ? b.shape[0] : 1), m, n];
}

/** What a product can be rounded to. */
export const resultTypes: readonly ResultType[] = ["f16", "bf16", "f32"];

/** Where the product goes. W7601, W7606–W7608. */
export function checkOut(out: DeviceTensor, a: Operand, b: Operand, dtype: ResultType | undefined): void {
  checkTensor("out", out, a.rank);
  const shape = shapeOf(a, b);
  const types: readonly DType[] = dtype === undefined ? resultTypes : [dtype];
  if (!types.includes(out.dtype) || !equal(out.shape, shape))
    fail("W7606", {
      given: describe(out),
      expected: `a tensor of ${types.join(", ").replace(/, (?=\w+$)/, " or ")}, [${shape.join(", ")}]`,
    });
  if (out.strides.at(-1) !== 1 && shape.at(-1) !== 1) fail("W7607", { strides: out.strides });
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
  readonly shape: readonly number[];
  readonly a: Operand;
  readonly out: DeviceTensor | undefined;
}

/** What an input is one number for. W7608, W7610, W7611, W7012. */
export function inputShape(name: string, input: DeviceTensor, { shape: product, a, out }: Product): "tile" | "column" | "row" {
  const { dtype, shape, strides } = input;
  const n = product.at(-1) ?? 1;
  const refuse = () => fail("W7610", { name, given: describe(input), shape: product });
  if (dtype !== "f16" && dtype !== "bf16" && dtype !== "f32") refuse();
  checkSameDevice(a, input);
  const shares = out !== undefined && overlap(out, input);
  if (equal(shape, product)) {
    // An element is read before it is overwritten, by the block that does both: the same tensor may be both.
    if (shares && !isSame(out, input)) fail("W7608", { name });
    return "tile";
  }
  const column = equal(shape, [n]) || equal(shape, [1, n]);
  if (!column && !equal(shape, [...product.slice(0, -1), 1])) refuse();
  if (strides.at(column ? -1 : -2) !== 1) fail("W7611", { name, strides });
  if (shares) fail("W7608", { name });
  return column ? "column" : "row";
}

/** What is asked for of a batch. */
interface AskedOfBatch {
  readonly out: DeviceTensor | undefined;
  readonly inputs: Tensors;
  readonly adds: boolean;
}

/** What only one product can do: read the result, and store rows that TMA does not (`aligned`: it does). W7673, W7674. */
export function checkBatch(
  { out, inputs, adds }: AskedOfBatch,
  { shape, strides }: Pick<DeviceTensor, "shape" | "strides">,
  aligned: boolean,
): void {
  if (adds) fail("W7674", { what: "beta" });
  for (const [name, input] of Object.entries(inputs))
    if (out && overlap(out, input)) fail("W7674", { what: `the input ${name}` });
  if (!aligned) fail("W7673", { shape, strides });
}
