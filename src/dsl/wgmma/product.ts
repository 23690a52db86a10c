import { optionsOf } from "../../diag/index.ts";
import { first, mul } from "../../ir/arith.ts";
import type { Attrs, Value } from "../../ir/index.ts";
import type { DType } from "../../types.ts";
import { checkOptionsHere } from "../check-options-here.ts";
import { failHere } from "../fail-here.ts";
import { elementBytes } from "../memory/dtype.ts";
import { liftCondition } from "../numbers/lift.ts";
import { describe } from "../numbers/operands.ts";
import { readPending } from "../tma/index.ts";
import type { Trace } from "../trace.ts";
import type { AccumulatorObject } from "./accumulator.ts";
import { groupIndex } from "./fragment.ts";
import { type InputType, OperandObject, type Role } from "./operand.ts";
import { RegisterOperand } from "./register-operand.ts";
import { instructionK } from "./walk.ts";

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

/** Columns of an accumulator: PTX ISA 9.7.15.1 "Matrix Shape". W6111. */
export function checkColumns(cols: number, integers: boolean): void {
  const valid = cols >= 8 && cols <= 256 && cols % 8 === 0 && (!integers || cols <= 24 || cols % 16 === 0);
  if (!valid) failHere("W6111", { cols, integers });
}

/** Fence, product, commit, and the wait that the author asks for. Gives the new accumulator. */
export function emitProduct(trace: Trace, D: AccumulatorObject, left: unknown, right: unknown, options: ProductOptions): Value {
  checkOptionsHere(options, productOptions);
  const a = left instanceof RegisterOperand ? left : operandOf(left);
  if (right instanceof RegisterOperand) return failHere("W6124", {});
  const b = operandOf(right);
  checkProduct(D, a, b);
  const acc = D.accumulator(trace, "a product");
  const accumulate = liftCondition(options.accumulate, "`accumulate`");
  const B = b.role("B");
  const attrs = (A: Role | undefined) => productAttrs(a, b, A, B, options.negate);
  let value: Value;
  if (a instanceof RegisterOperand) {
    trace.emit("wgmma.fence", {}, {});
    value = first(
      trace.emit("wgmma.mma_async.rs", { acc, a: a.registers, b: b.descriptor(trace, "B"), accumulate }, attrs(undefined)),
    );
  } else {
    const A = a.role("A");
    const group = groupIndex(trace, D.parts.sharing);
    const rows = group && mul(trace, group, (D.rows / 64) * A.walk.rowStep);
    const operands = { acc, a: a.descriptor(trace, "A", rows), b: b.descriptor(trace, "B"), accumulate };
    trace.emit("wgmma.fence", {}, {});
    value = first(trace.emit("wgmma.mma_async", operands, attrs(A)));
  }
  trace.emit("wgmma.commit_group", {}, {});
  if (options.wait !== undefined) trace.emit("wgmma.wait_group", {}, { pending: readPending(options.wait, "`wait`") });
  return value;
}

function operandOf(x: unknown): OperandObject {
  return x instanceof OperandObject ? x : failHere("W6114", { given: describe(x) });
}

function checkProduct(D: AccumulatorObject, a: OperandObject | RegisterOperand, b: OperandObject): void {
  const list = (s: readonly number[]): string => s.join(", ");
  if (D.dtype !== "f32" && D.dtype !== "f16" && D.dtype !== "i32") failHere("W6120", { dtype: D.dtype, what: "a product" });
  if (!exists(a.dtype, b.dtype, D.dtype)) failHere("W6113", { a: a.dtype, b: b.dtype, d: D.dtype });
  const fits = a.shape[1] === b.shape[0] && a.shape[0] === D.shape[0] && b.shape[1] === D.shape[1];
  if (!fits) failHere("W6112", { a: list(a.shape), b: list(b.shape), d: list(D.shape) });
  checkColumns(D.shape[1], D.dtype === "i32");
}

function productAttrs(
  a: OperandObject | RegisterOperand,
  b: OperandObject,
  A: Role | undefined,
  B: Role,
  negate: unknown,
): Attrs<"wgmma.mma_async"> {
  const floats = a.dtype !== "i8" && a.dtype !== "u8";
  if (negate !== undefined && (!floats || (negate !== "A" && negate !== "B")))
    failHere("W6121", { given: floats ? String(negate) : `${a.dtype} operands` });
  const k = a.shape[1];
  const steps = k / instructionK(elementBytes[a.dtype]);
  return {
    aType: a.dtype,
    bType: b.dtype,
    k,
    aKSteps: A?.walk.kSteps ?? Array.from({ length: steps }, () => 0),
    bKSteps: B.walk.kSteps,
    aRowStep: A?.walk.rowStep ?? 0,
    aMajor: A?.walk.major ?? "k",
    bMajor: B.walk.major,
    negateA: negate === "A",
    negateB: negate === "B",
    saturate: false,
  };
}
