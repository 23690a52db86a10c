import { optionsOf } from "../../base/diag/index.ts";
import type { DType } from "../../base/types.ts";
import { first } from "../../ir/arith.ts";
import type { Value } from "../../ir/index.ts";
import { checkOptionsHere, describe } from "../numbers/describe.ts";
import { liftCondition } from "../numbers/lift.ts";
import { readPending } from "../sync/index.ts";
import { failHere } from "../trace/fail-here.ts";
import type { Trace } from "../trace/trace.ts";
import { type InputType, OperandObject } from "./operand.ts";
import { RegisterOperand } from "./register-operand.ts";
import { checkColumns, type Tile, warpgroupsHere } from "./sharing.ts";
import { checkSparse, SparseOperand } from "./sparse.ts";

export interface ProductOptions {
  /** Whether to add to the accumulator; static or staged. Default true. PTX `scale-d`. */
  readonly accumulate?: boolean;
  /** Waits until at most that many committed groups are unfinished: `wgmma.wait(n)` right after. Default: no wait. W4510. */
  readonly wait?: number;
  /** Takes the negative of that operand; of floats. PTX `imm-scale-a`, `imm-scale-b`. W6121. */
  readonly negate?: "A" | "B";
}

const productOptions = optionsOf<ProductOptions>("mma()", { accumulate: true, wait: true, negate: true });

/** Which products the tensor cores have: PTX ISA 9.7.15.2 "Data Types". */
function exists(a: InputType, b: InputType, d: DType): boolean {
  const fp8 = (t: InputType): boolean => t === "e4m3" || t === "e5m2";
  const byte = (t: InputType): boolean => t === "i8" || t === "u8";
  if (byte(a)) return byte(b) && d === "i32";
  if (fp8(a)) return fp8(b) && (d === "f32" || d === "f16");
  return a === b && (d === "f32" || (d === "f16" && a === "f16"));
}

/** Fence, product, commit, and the wait that the author asks for. Gives the new accumulator. */
export function emitProduct(trace: Trace, D: Tile, left: unknown, right: unknown, options: ProductOptions): Value {
  checkOptionsHere(options, productOptions);
  const a = left instanceof RegisterOperand || left instanceof SparseOperand ? left : operandOf(left);
  if (right instanceof RegisterOperand || right instanceof SparseOperand) return failHere("W6124", {});
  const b = operandOf(right);
  checkProduct(D, a, b);
  const accumulate = liftCondition(options.accumulate, "`accumulate`");
  const negate = readNegate(a, options.negate);
  const B = b.side("B");
  const { warpgroups } = D.type.layout;
  if (a instanceof SparseOperand) checkSparse(a, b, warpgroups);
  const A = a instanceof RegisterOperand ? a.value : a.side("A");
  const metadata = a instanceof SparseOperand ? a.metadata : undefined;
  const held = a instanceof RegisterOperand || (a instanceof SparseOperand && a.inRegisters);
  const attrs = { negate, warpgroups: held ? undefined : warpgroupsHere(trace, warpgroups) };
  const value = first(trace.emit("tile.mma", { acc: D.value, a: A, b: B, metadata, accumulate }, attrs));
  if (options.wait !== undefined) trace.emit("wgmma.wait_group", {}, { pending: readPending(options.wait, "`wait`") });
  return value;
}

function operandOf(x: unknown): OperandObject {
  return x instanceof OperandObject ? x : failHere("W6114", { given: describe(x) });
}

function checkProduct({ type: D }: Tile, a: OperandObject | RegisterOperand | SparseOperand, b: OperandObject): void {
  const list = (s: readonly number[]): string => s.join(", ");
  const { dtype, shape } = D;
  const [rows, cols] = shape;
  if (dtype !== "f32" && dtype !== "f16" && dtype !== "i32") failHere("W6120", { dtype, what: "a product" });
  if (!exists(a.dtype, b.dtype, dtype)) failHere("W6113", { a: a.dtype, b: b.dtype, d: dtype });
  const fits = a.shape[1] === b.shape[0] && a.shape[0] === rows && b.shape[1] === cols;
  if (!fits) failHere("W6112", { a: list(a.shape), b: list(b.shape), d: list(shape) });
  checkColumns(cols, dtype === "i32");
}

/** W6121. */
function readNegate({ dtype }: OperandObject | RegisterOperand | SparseOperand, negate: unknown): "" | "A" | "B" {
  const floats = dtype !== "i8" && dtype !== "u8";
  if (negate === undefined) return "";
  if (floats && (negate === "A" || negate === "B")) return negate;
  return failHere("W6121", { given: floats ? String(negate) : `${dtype} operands` });
}
