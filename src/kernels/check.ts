/** Refuses what matmul cannot take, before anything runs: W76xx, and W7012 for tensors of different devices. */
import { type DeviceTensor, WarpsmithError } from "warpsmith";
import { display, fail, makeError, placeOnStack } from "../diag/index.ts";
import { type Lines, linesIn, misplaced, pitchOf } from "./maps.ts";
import type { HalfType } from "./problem.ts";
import { equal, isSame, overlap } from "./same-memory.ts";

type Matrix = DeviceTensor<HalfType, 2>;

/** Several names and values, as they are in an author's object. */
export type Tensors = Readonly<Record<string, DeviceTensor>>;

const isTensor = (x: unknown): x is DeviceTensor =>
  typeof x === "object" && x !== null && "device" in x && "strides" in x && "address" in x;

const describe = ({ dtype, shape }: DeviceTensor): string => `a tensor of ${dtype}, [${shape.join(", ")}]`;

const given = (value: unknown): string =>
  typeof value === "object" && value !== null && "strides" in value ? "a specification without memory" : display(value);

function checkTensor(name: string, value: unknown, rank?: 2): void {
  const expected = rank === 2 ? "a matrix on a device" : "a tensor on a device";
  if (!isTensor(value)) fail("W7601", { name, given: given(value), expected });
  else if (rank !== undefined && value.rank !== rank)
    fail("W7601", { name, given: `a tensor of ${value.rank} dimensions`, expected });
}

function checkDevice(a: DeviceTensor, other: DeviceTensor): void {
  if (other.device !== a.device) fail("W7012", { first: a.device.name, second: other.device.name });
}

/** Both operands: W7601–W7603. */
export function checkOperands(a: Matrix, b: Matrix): void {
  checkTensor("The operand a", a, 2);
  checkTensor("The operand b", b, 2);
  if (a.dtype !== b.dtype || (a.dtype !== "f16" && a.dtype !== "bf16")) fail("W7602", { a: a.dtype, b: b.dtype });
  if (a.shape[1] !== b.shape[0]) fail("W7603", { a: a.shape, b: b.shape });
  checkDevice(a, b);
}

/** An operand as lines that TMA can load. W7604, W7605. */
export function linesOf(name: string, tensor: Matrix): Lines {
  const lines = linesIn(tensor);
  const pitch = pitchOf(lines);
  if (misplaced(lines) !== 0) fail("W7604", { name, lines: lines.transposed ? "columns" : "rows", pitch, bytes: pitch * 2 });
  const beyond = Number(tensor.address() % 16n);
  if (beyond !== 0) fail("W7605", { name, beyond });
  return lines;
}

/** Where the product goes. W7601, W7606–W7608. */
export function checkOut(out: Matrix, a: Matrix, b: Matrix): void {
  checkTensor("out", out, 2);
  const [[m], [, n]] = [a.shape, b.shape];
  if (out.dtype !== a.dtype || out.shape[0] !== m || out.shape[1] !== n)
    fail("W7606", { given: describe(out), expected: `a tensor of ${a.dtype}, [${m}, ${n}]` });
  if (out.strides[1] !== 1 && n !== 1) fail("W7607", { strides: out.strides });
  checkDevice(a, out);
  for (const [name, operand] of Object.entries({ a, b })) if (overlap(out, operand)) fail("W7608", { name });
}

/** The epilogue, and that somebody reads the inputs. W7601, W7609. */
export function checkEpilogue(epilogue: unknown, inputs: Tensors): void {
  const names = Object.keys(inputs);
  if (epilogue === undefined && names.length > 0) fail("W7609", { given: undefined, inputs: names });
  if (epilogue !== undefined && typeof epilogue !== "function") fail("W7609", { given: display(epilogue), inputs: names });
  for (const name of names) checkTensor(`The input ${name}`, inputs[name]);
}

/**
 * What went wrong with a launch, in the author's words: W7612 where the kernel met an epilogue that the transform has not seen. What has no
 * place but in our own kernel stands at the author's call.
 */
export function explain(error: unknown, epilogue: unknown): unknown {
  if (!(error instanceof WarpsmithError)) return error;
  const [first] = error.spans;
  const kernel = error.spans.at(-1)?.file ?? "";
  if (first && !kernel.endsWith("kernels/gemm.ts")) return error;
  const ours = kernel.slice(0, -"gemm.ts".length);
  const isOurs = ({ file }: { readonly file: string }): boolean => file.startsWith(ours);
  if (error.code === "W2034" && first && isOurs(first) && typeof epilogue === "function")
    return makeError("W7612", { name: epilogue.name }, [], { cause: error });
  const call = placeOnStack();
  const placed = first && !(error.spans.every(isOurs) && !call.every(isOurs));
  return placed ? error : error.at([...call, ...error.spans]);
}

/** The product that an input belongs to. */
interface Product {
  readonly m: number;
  readonly n: number;
  readonly a: Matrix;
  readonly out: Matrix | undefined;
}

/** What an input is one number for. W7608, W7610, W7611, W7012. */
export function inputShape(name: string, input: DeviceTensor, { m, n, a, out }: Product): "tile" | "column" | "row" {
  const { dtype, shape, strides } = input;
  const refuse = () => fail("W7610", { name, given: describe(input), shape: [m, n] });
  if (dtype !== "f16" && dtype !== "bf16" && dtype !== "f32") refuse();
  checkDevice(a, input);
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
