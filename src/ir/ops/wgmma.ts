import { type AccType, accElements, isAcc } from "../types.ts";
import { operandType, operandValues, type RawOp, type Value } from "../value.ts";
import { defineOps } from "./define-ops.ts";

const inputs = ["f16", "bf16", "tf32", "e4m3", "e5m2", "i8", "u8"] as const;

/** How a product walks its operands; offsets are in units of 16 bytes, added to the descriptor's low word. */
const product = {
  /** Element types of A and B. */
  aType: inputs,
  bType: inputs,
  /** K of the whole product, a multiple of the instruction's K (32 bytes' worth). */
  k: "number",
  /** Where each K step begins, from the operand's start (K / the instruction's K entries; A's are unused with A from registers), and how far 64 rows of A are apart. */
  aKSteps: "number[]",
  bKSteps: "number[]",
  aRowStep: "number",
  aMajor: ["k", "mn"],
  bMajor: ["k", "mn"],
  negateA: "boolean",
  negateB: "boolean",
  /** Integers only: clamp instead of wrapping. */
  saturate: "boolean",
} as const;

function shapes(op: RawOp): string | undefined {
  const acc = operandType(op, "acc");
  if (!acc || !isAcc(acc)) return "adds to an accumulator";
  if (acc.rows % 64 !== 0) return `has ${acc.rows} rows, not a multiple of 64`;
  return acc.cols % 8 === 0 && acc.cols >= 8 && acc.cols <= 256
    ? undefined
    : `has ${acc.cols} columns, not a multiple of 8 from 8 to 256`;
}

/** Four registers of A, and a word of metadata, for each instruction of a sparse product: K of 64 bytes, 64 rows. */
function fragments(op: RawOp): string | undefined {
  const acc = operandType(op, "acc");
  const [a, metadata] = [operandValues(op, "a").length, operandValues(op, "metadata").length];
  if (!acc || !isAcc(acc)) return undefined;
  const count = ((op.attrs.bKSteps as readonly number[]).length * acc.rows) / 64;
  return a === 4 * count && metadata === count
    ? undefined
    : `takes ${4 * count} registers of A and ${count} words of metadata, not ${a} and ${metadata}`;
}

/** One value of the accumulator's type for each element that a thread holds. */
function elements(acc: AccType, values: readonly Value[], verb: string): string | undefined {
  if (values.length !== accElements(acc)) return `${verb} ${accElements(acc)} values, not ${values.length}`;
  return values.every((v) => v.type === acc.dtype) ? undefined : `${verb} values of type ${acc.dtype}`;
}

/** What all threads of a warpgroup do together. */
const ofWarpgroup = { participants: "warpgroup", called: "wgmma", target: "sm_90a" } as const;

/** A product that is added to an accumulator, or stands for it. */
const multiplies = {
  attrs: product,
  result: "=acc",
  tied: "acc",
  effects: ["read.shared", "async", "proxy.async", "wgmma"],
  level: "machine",
  ...ofWarpgroup,
  verify: shapes,
} as const;

/** An accumulator out of nothing. */
const makes = {
  operands: {},
  result: "given",
  effects: [],
  level: "machine",
  verify: ({ results: [acc] }: RawOp) => (acc !== undefined && isAcc(acc.type) ? undefined : "gives an accumulator"),
} as const;

/** Warpgroup matrix products. All 128 threads of a warpgroup run these together. PTX ISA 9.7.15. */
export const wgmmaOps = defineOps({
  "wgmma.descriptor": {
    doc: "A matrix in shared memory. Offsets in bytes, as in the matrix descriptor (9.7.15.5.1).",
    ptx: "9.7.15.5.1",
    operands: { ptr: "ptr.shared" },
    attrs: { swizzle: ["none", "32B", "64B", "128B"], leading: "number", stride: "number" },
    result: "desc",
    effects: [],
    level: "machine",
    target: "sm_90a",
  },
  "wgmma.advance": {
    doc: "The same matrix `by` × 16 bytes further on.",
    operands: { desc: "desc", by: "i32" },
    result: "desc",
    effects: [],
    level: "machine",
  },
  "wgmma.fence": {
    doc: "Orders register and shared memory accesses before the next wgmma.",
    ptx: "9.7.15.7.1",
    operands: {},
    effects: ["wgmma", "sync"],
    ...ofWarpgroup,
  },
  "wgmma.mma_async": {
    doc: "acc + A @ B, or A @ B where `accumulate` is false, as one or more instructions: for each 64 rows, for each K of 32 bytes. Asynchronous: the result may be read after a covering wait.",
    ptx: "9.7.15.5.2",
    operands: { acc: "acc", a: "desc", b: "desc", accumulate: "pred?" },
    ...multiplies,
  },
  "wgmma.mma_async.rs": {
    doc: "The same with A from registers: for each K step (and, within it, for each 64 rows) the registers of A's fragment, 32 bits each.",
    ptx: "9.7.15.5.2",
    operands: { acc: "acc", a: "scalar*", b: "desc", accumulate: "pred?" },
    ...multiplies,
  },
  "wgmma.mma_async.sp": {
    doc: "The same with a sparse A, of which half of each row is stored: for each K step (and, within it, for each 64 rows) a word of metadata. `k` counts what is not stored, too.",
    ptx: "9.7.15.6",
    operands: { acc: "acc", a: "desc", b: "desc", metadata: "scalar*", accumulate: "pred?" },
    ...multiplies,
  },
  "wgmma.mma_async.sp.rs": {
    doc: "The same with what is stored of A from registers, as `wgmma.mma_async.rs` takes a whole A.",
    ptx: "9.7.15.6",
    operands: { acc: "acc", a: "scalar*", b: "desc", metadata: "scalar*", accumulate: "pred?" },
    ...multiplies,
    verify: (op) => shapes(op) ?? fragments(op),
  },
  "wgmma.commit_group": {
    doc: "Closes the open group of products.",
    ptx: "9.7.15.7.2",
    operands: {},
    effects: ["wgmma", "sync"],
    ...ofWarpgroup,
    issues: { as: "commit", shown: "wgmma group", group: "wgmma" },
  },
  "wgmma.wait_group": {
    doc: "Until at most `pending` groups are unfinished.",
    ptx: "9.7.15.7.3",
    operands: {},
    attrs: { pending: "number" },
    effects: ["wgmma", "sync"],
    ...ofWarpgroup,
    waits: { group: "wgmma" },
  },
  "acc.zero": {
    doc: "Accumulators of zeros.",
    ...makes,
  },
  "acc.undef": {
    doc: "Accumulators that hold nothing yet, for products that do not add to them.",
    ...makes,
  },
  "acc.unpack": {
    doc: "This thread's elements: for each 64 rows, register r of the fragment (9.7.15.5.1.1), or those of `columns`: the first, and how many. Only after a covering wait.",
    operands: { acc: "acc" },
    attrs: { columns: "number[]?" },
    result: "given",
    effects: ["wgmma"],
    level: "machine",
    verify: (op) => {
      const acc = operandType(op, "acc");
      if (!acc || !isAcc(acc)) return "takes an accumulator";
      const [start, count] = Array.isArray(op.attrs.columns) ? op.attrs.columns : [0, acc.cols];
      const inside =
        [start, count].every((n) => Number(n) % 8 === 0) && Number(start) >= 0 && Number(start) + Number(count) <= acc.cols;
      return inside ? elements({ ...acc, cols: Number(count) }, op.results, "gives") : `has ${acc.cols} columns, in eights`;
    },
  },
  "acc.pack": {
    doc: "The reverse of acc.unpack.",
    operands: { values: "scalar*" },
    result: "given",
    effects: [],
    level: "machine",
    verify: (op) => {
      const acc = op.results[0]?.type;
      if (!acc || !isAcc(acc) || op.results.length !== 1) return "gives an accumulator";
      return elements(acc, operandValues(op, "values"), "takes");
    },
  },
});
