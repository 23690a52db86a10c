/** Refuses what matmul cannot take, before anything runs: W76xx, and W7012 for tensors of different devices. */

import type { DeviceTensor, DType } from "warpsmith";
import { display } from "../../../base/diag/index.ts";
import { equal, isSame, overlap } from "../../common/same-memory.ts";
import { checkSameDevice, checkTensor, describe, type Tensors } from "../../common/tensors.ts";
import { fail } from "../../errors.ts";
import type { HalfType, ResultType } from "./problem.ts";

/** A matrix, or a batch of them. */
type Operand = DeviceTensor<HalfType, 2 | 3>;

/** What the author calls the function and its second operand. */
interface Names {
  readonly of: string;
  readonly b: string;
}
const namesOf = (second: unknown): Names => (second === undefined ? { of: "matmul", b: "b" } : { of: "gatedMatmul", b: "gate" });

/** W7601. */
function checkRank(name: string, tensor: DeviceTensor, { of }: Names): void {
  checkTensor(name, tensor, undefined, of);
  const { rank } = tensor;
  const given = `a tensor of ${rank} ${rank === 1 ? "dimension" : "dimensions"}`;
  if (rank !== 2 && rank !== 3) fail("W7601", { name, of, given, expected: "a matrix on a device, or a batch of matrices" });
}

/** Operands, and the second matrix of a pair: W7601–W7603, W7671, W7693. */
export function checkOperands(a: Operand, b: Operand, second?: Operand): void {
  const names = namesOf(second);
  checkRank("The operand a", a, names);
  checkRank(`The operand ${names.b}`, b, names);
  if (a.dtype !== b.dtype || (a.dtype !== "f16" && a.dtype !== "bf16"))
    fail("W7602", { a: a.dtype, b: b.dtype, of: names.of, name: names.b });
  const given = { a: a.shape, b: b.shape, of: names.of, name: names.b };
  const fits = a.shape.at(-1) === b.shape.at(-2);
  if (a.rank === 2 && b.rank === 2 && !fits) fail("W7603", given);
  const [ofA, ofB] = [a, b].map((x) => (x.rank === 3 ? x.shape[0] : 1));
  if (!fits || b.rank > a.rank || (ofA !== ofB && ofA !== 1 && ofB !== 1)) fail("W7671", given);
  checkSameDevice(a, b);
  if (second !== undefined) checkPair(b, second);
}

/** W7601, W7693, W7012. */
function checkPair(gate: Operand, up: Operand): void {
  checkTensor("The operand up", up, undefined, "gatedMatmul");
  if (up.dtype !== gate.dtype || !equal(up.shape, gate.shape)) fail("W7693", { gate: describe(gate), up: describe(up) });
  checkSameDevice(gate, up);
}

/** That TMA loads both matrices of a pair in one way. W7694. */
export function checkAlike(gate: { readonly transposed: boolean }, up: { readonly transposed: boolean } | undefined): void {
  if (up && gate.transposed !== up.transposed) fail("W7694", { gate: gate.transposed ? "K" : "N" });
}

/** What the product's shape is: as many matrices as the operand has that has more of them. */
export function shapeOf(a: Operand, b: Operand): readonly number[] {
  const [m = 1, n = 1] = [a.shape.at(-2), b.shape.at(-1)];
  return a.rank === 2 ? [m, n] : [Math.max(a.shape[0], b.rank === 3 ? b.shape[0] : 1), m, n];
}

/** Names as the end of a sentence. */
export const listed = (names: readonly string[]): string => names.join(", ").replace(/, (?=\w+$)/, " or ");

/** What a product can be rounded to. */
export const resultTypes: readonly ResultType[] = ["f16", "bf16", "f32"];

/** Where the product goes. W7601, W7606–W7608. */
export function checkOut(
  out: DeviceTensor,
  a: Operand,
  b: Operand,
  second: Operand | undefined,
  dtype: ResultType | undefined,
): void {
  const names = namesOf(second);
  checkTensor("out", out, a.rank, names.of);
  const shape = shapeOf(a, b);
  const types: readonly DType[] = dtype === undefined ? resultTypes : [dtype];
  if (!types.includes(out.dtype) || !equal(out.shape, shape))
    fail("W7606", {
      given: describe(out),
      expected: `a tensor of ${listed(types)}, [${shape.join(", ")}]`,
    });
  if (out.strides.at(-1) !== 1 && shape.at(-1) !== 1) fail("W7607", { strides: out.strides });
  checkSameDevice(a, out);
  const operands = [["a", a] as const, [names.b, b] as const, ...(second ? [["up", second] as const] : [])];
  for (const [name, operand] of operands) if (overlap(out, operand)) fail("W7608", { name });
}

/** The epilogue, and that somebody reads the inputs. W7601, W7609. */
export function checkEpilogue(epilogue: unknown, inputs: Tensors, pair: boolean): void {
  const names = Object.keys(inputs);
  if (epilogue === undefined && names.length > 0) fail("W7609", { given: undefined, inputs: names, pair });
  if (epilogue !== undefined && typeof epilogue !== "function") fail("W7609", { given: display(epilogue), inputs: names, pair });
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
