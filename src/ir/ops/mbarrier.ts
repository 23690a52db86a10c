import { operandType, type RawOp } from "../value.ts";
import { defineOps } from "./define-ops.ts";

/** A number that is known to be 0 or 1 goes to the instruction as it is. */
function parity(op: RawOp): string | undefined {
  const type = operandType(op, "parity");
  return type === "pred" || type === "i32" ? undefined : "takes the parity as a pred, or as an i32 that is 0 or 1";
}

const arrives = { ptx: "9.7.13.15.13", effects: ["write.barrier", "sync"] } as const;

/** An op that asks for the phase of a parity. */
const asks = {
  ptx: "9.7.13.15.16",
  operands: { bar: "ptr.shared", parity: "scalar" },
  effects: ["read.barrier", "sync"],
  verify: parity,
} as const;

/** PTX ISA 9.7.13.15. Barriers are 8 bytes in shared memory, aligned to 8. */
export const mbarrierOps = defineOps({
  "mbarrier.init": {
    doc: "Phase 0, `count` arrivals a phase.",
    ptx: "9.7.13.15.9",
    operands: { bar: "ptr.shared", count: "i32" },
    effects: ["write.barrier"],
  },
  "mbarrier.inval": {
    doc: "The memory may be used for other things.",
    ptx: "9.7.13.15.10",
    operands: { bar: "ptr.shared" },
    effects: ["write.barrier"],
  },
  "mbarrier.arrive": {
    doc: "`count` arrivals (one where absent).",
    ...arrives,
    operands: { bar: "ptr.shared", count: "i32?", pred: "pred?" },
  },
  "mbarrier.arrive.expect_tx": {
    doc: "Expects `tx` bytes more in this phase, then arrives once; also at a barrier of another block of the cluster.",
    ...arrives,
    operands: { bar: "ptr.shared or cluster", tx: "i32", pred: "pred?" },
  },
  "cp.async.mbarrier.arrive": {
    doc: "Arrives once all copies (`cp.async`) that this thread has begun are done. `counted`: the arrival is among those of the phase; else it is one more, which the phase expects from here on.",
    ptx: "9.7.13.15.14",
    operands: { bar: "ptr.shared" },
    attrs: { counted: "boolean" },
    effects: ["write.barrier", "async", "sync"],
  },
  mapa: {
    doc: "The same place in the shared memory of block `rank` of the cluster.",
    ptx: "9.7.9.24",
    operands: { ptr: "ptr.shared", rank: "i32" },
    result: "ptr.cluster",
    effects: [],
  },
  "mbarrier.arrive.remote": {
    doc: "Arrives at a barrier of any block of the cluster.",
    ...arrives,
    operands: { bar: "ptr.cluster", count: "i32?", pred: "pred?" },
  },
  "mbarrier.expect_tx": {
    doc: "Expects `tx` bytes more in this phase; also of a barrier of another block of the cluster.",
    ptx: "9.7.13.15.11",
    operands: { bar: "ptr.shared or cluster", tx: "i32", pred: "pred?" },
    effects: ["write.barrier"],
  },
  "mbarrier.test_wait": {
    doc: "Is the phase of that parity complete? Never blocks.",
    ...asks,
    result: "pred",
    waits: { looks: "mbarrier" },
  },
  "mbarrier.try_wait": {
    doc: "The same, but may suspend the thread for a while first.",
    ...asks,
    result: "pred",
    waits: { looks: "mbarrier" },
  },
  "mbarrier.wait": {
    doc: "Tries until the phase of that parity is complete.",
    ...asks,
    waits: { until: "mbarrier" },
  },
  "fence.mbarrier_init": {
    doc: "Makes earlier mbarrier.init visible to the cluster and the async proxy.",
    ptx: "9.7.13.4",
    operands: {},
    effects: ["sync"],
  },
});
