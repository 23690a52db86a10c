import { readPolicy } from "../cache-hint.ts";
import { bitsOf, isScalar, sameType, typeName } from "../types.ts";
import { operandType, operandValues, type RawOp, type Value } from "../value.ts";
import { defineOps } from "./define-ops.ts";

export const scopes = ["cta", "cluster", "gpu", "sys"] as const;
export const atomics = ["add", "min", "max", "and", "or", "xor", "exch", "inc", "dec"] as const;

export const reductions = ["add", "min", "max", "inc", "dec", "and", "or", "xor"] as const;

export const orders = ["relaxed", "acquire", "release", "acq_rel"] as const;

/** Vectors: 1, 2, 4, 8 or 16 neighbours, at most 16 bytes. */
function vector(values: readonly Value[]): string | undefined {
  const type = values[0]?.type;
  if (type === undefined || !isScalar(type)) return "moves one or more scalars";
  if (values.some((v) => !sameType(v.type, type))) return "moves elements of one type";
  const bytes = (values.length * Math.max(8, bitsOf(type))) / 8;
  return [1, 2, 4, 8, 16].includes(values.length) && bytes <= 16
    ? undefined
    : `moves 1, 2, 4, 8 or 16 elements of 16 bytes together at most, not ${values.length} of ${type}`;
}
function loads(op: RawOp): string | undefined {
  const other = operandType(op, "other");
  const type = op.results[0]?.type;
  if (other && type && !sameType(other, type))
    return `loads ${typeName(type)}, but gives ${typeName(other)} where it does not load`;
  return vector(op.results);
}
const stores = (op: RawOp) => vector(operandValues(op, "values"));

/** How long the L1 cache keeps what is accessed, in place of a cache operator. */
export const evictions = ["first", "last", "normal", "unchanged", "noAllocate"] as const;
export type Eviction = (typeof evictions)[number];

/** `cacheHint`: what becomes of the bytes in the L2 cache (src/ir/cache-hint.ts); "" where nothing is said. */
export const cacheHint = { cacheHint: "string" } as const;

export const keepsHint = ({ attrs: { cacheHint: hint } }: RawOp): string | undefined =>
  hint === undefined || hint === "" || readPolicy(String(hint)) ? undefined : `has no cache hint "${String(hint)}"`;

/** `evict`: one of `evictions`. `prefetch`: so many bytes around it, 64, 128 or 256, are brought into the L2 cache. */
export const storeHints = { evict: "string?", cacheHint: "string?" } as const;
export const loadHints = { ...storeHints, prefetch: "number?" } as const;

function hinted(op: RawOp): string | undefined {
  const { cache, evict, prefetch } = op.attrs;
  if (evict !== undefined && !evictions.some((e) => e === evict))
    return `is given up ${evictions.join(", ")}, not ${String(evict)}`;
  if (evict !== undefined && cache !== "" && cache !== "nc") return "has a cache operator or an eviction priority, not both";
  return prefetch === undefined || prefetch === 64 || prefetch === 128 || prefetch === 256
    ? keepsHint(op)
    : "brings 64, 128 or 256 bytes into the L2 cache";
}

/** What one instruction combines: an element, or neighbours in global memory. PTX ISA 9.7.13.6. */
function combines({ operands, attrs }: RawOp): string | undefined {
  const values = operands.values as readonly Value[];
  const [one] = values;
  if (!one || values.some((v) => !sameType(v.type, one.type))) return "combines elements of one type";
  if (values.length === 1) return undefined;
  const half = one.type === "f16" || one.type === "bf16";
  const counts = half ? [2, 4, 8] : one.type === "f32" && attrs.op === "add" ? [2, 4] : [];
  return counts.includes(values.length) && (operands.ptr as Value).type === "ptr.global"
    ? undefined
    : "combines 2 or 4 neighbours of f32 by sums, 2, 4 or 8 of f16 and bf16, in global memory";
}

function wordsOf(op: RawOp): string | undefined {
  const [one, ...more] = operandValues(op, "values");
  const bits = one && isScalar(one.type) ? Math.max(8, bitsOf(one.type)) * (more.length + 1) : 0;
  return bits >= 32 ? undefined : "stores 4, 8 or 16 bytes";
}

/** Addresses, loads and stores, atomics, shared memory, block barriers, fences. Offsets and sizes are bytes. */
export const memoryOps = defineOps({
  "ptr.add": {
    doc: "The address `by` bytes further on. A 32-bit offset to a 64-bit address is extended by its sign.",
    operands: { ptr: "ptr", by: "offset" },
    result: "=ptr",
    effects: [],
    level: "machine",
  },
  "ld.global": {
    doc: "Loads as many neighbouring elements as it has results, from ptr + offset. Where `pred` is false nothing is read and every result is `other` (or 0).",
    ptx: "9.7.9.8",
    operands: { ptr: "ptr.global", pred: "pred?", other: "scalar?" },
    attrs: { offset: "number", cache: ["", "ca", "cg", "cs", "lu", "cv", "nc"], ...loadHints },
    result: "given",
    waits: { looks: "memory" },
    effects: ["read.global"],
    level: "machine",
    verify: (op) => loads(op) ?? hinted(op),
  },
  "st.global": {
    doc: "Stores neighbouring elements at ptr + offset, where `pred` is true.",
    ptx: "9.7.9.12",
    operands: { ptr: "ptr.global", values: "scalar*", pred: "pred?" },
    attrs: { offset: "number", cache: ["", "wb", "cg", "cs", "wt"], ...storeHints },
    effects: ["write.global"],
    level: "machine",
    verify: (op) => stores(op) ?? hinted(op),
  },
  "ld.shared": {
    doc: "The same from shared memory, of this block or of another one of its cluster.",
    ptx: "9.7.9.8",
    operands: { ptr: "ptr.shared or cluster", pred: "pred?", other: "scalar?" },
    attrs: { offset: "number" },
    result: "given",
    waits: { looks: "memory" },
    effects: ["read.shared"],
    level: "machine",
    verify: loads,
  },
  "st.shared": {
    doc: "The same to shared memory, of this block or of another one of its cluster.",
    ptx: "9.7.9.12",
    operands: { ptr: "ptr.shared or cluster", values: "scalar*", pred: "pred?" },
    attrs: { offset: "number" },
    effects: ["write.shared"],
    level: "machine",
    verify: stores,
  },
  "st.async": {
    doc: "Stores neighbouring elements, 4, 8 or 16 bytes together, in another block of the cluster, completing the bytes on `bar` there. Asynchronous.",
    ptx: "9.7.9.13",
    operands: { ptr: "ptr.cluster", values: "scalar*", bar: "ptr.cluster", pred: "pred?" },
    attrs: { offset: "number" },
    effects: ["write.shared", "write.barrier", "async"],
    level: "machine",
    verify: (op) => stores(op) ?? wordsOf(op),
  },
  "red.async": {
    doc: "Combines an element in another block of the cluster with a value, completing its bytes on `bar` there. Asynchronous.",
    ptx: "9.7.13.9",
    operands: { ptr: "ptr.cluster", value: "scalar", bar: "ptr.cluster", pred: "pred?" },
    attrs: { op: reductions, offset: "number" },
    effects: ["read.shared", "write.shared", "write.barrier", "async"],
    level: "machine",
  },
  "cp.async": {
    doc: "Copies `bytes` from global to shared memory, asynchronously, as a part of the thread's open group of such copies. Only the first `from` bytes are read where it is there: the rest is zero.",
    ptx: "9.7.9.25.3.1",
    operands: { dst: "ptr.shared", src: "ptr.global", from: "i32?", pred: "pred?" },
    attrs: { bytes: [4, 8, 16], to: "number", at: "number", cache: ["ca", "cg"] },
    effects: ["read.global", "write.shared", "async"],
    level: "machine",
    verify: (op) =>
      op.attrs.cache === "cg" && op.attrs.bytes !== 16 ? "goes past the L1 cache in pieces of 16 bytes alone" : undefined,
  },
  "cp.async.commit_group": {
    doc: "Closes this thread's open group of copies (`cp.async`).",
    ptx: "9.7.9.25.3.2",
    operands: {},
    effects: ["sync"],
    issues: { as: "commit", shown: "cp.async group", group: "cp.async" },
  },
  "cp.async.wait_group": {
    doc: "Until at most the `pending` newest groups of this thread's copies (`cp.async`) are unfinished.",
    ptx: "9.7.9.25.3.3",
    operands: {},
    attrs: { pending: "number" },
    effects: ["sync"],
    waits: { group: "cp.async" },
  },
  "ld.acquire": {
    doc: "An acquiring load.",
    ptx: "9.7.9.8",
    operands: { ptr: "ptr" },
    attrs: { offset: "number", scope: scopes },
    result: "given",
    waits: { looks: "memory" },
    effects: ["read.global", "read.shared", "sync"],
    level: "machine",
    verify: loads,
  },
  "st.release": {
    doc: "A releasing store.",
    ptx: "9.7.9.12",
    operands: { ptr: "ptr", values: "scalar*" },
    attrs: { offset: "number", scope: scopes },
    effects: ["write.global", "write.shared", "sync"],
    level: "machine",
    verify: stores,
  },
  atom: {
    doc: "Reads, combines and writes at once; gives the old value (undefined where `pred` is false).",
    ptx: "9.7.13.5",
    operands: { ptr: "ptr", value: "scalar", pred: "pred?" },
    attrs: { op: atomics, offset: "number", scope: scopes, order: orders },
    result: "=value",
    waits: { looks: "memory" },
    effects: ["read.global", "write.global", "read.shared", "write.shared", "sync"],
    level: "machine",
  },
  red: {
    doc: "Reads, combines and writes at once, element by element, and gives nothing.",
    ptx: "9.7.13.6",
    operands: { ptr: "ptr", values: "scalar*", pred: "pred?" },
    attrs: { op: reductions, offset: "number", scope: scopes, order: ["relaxed", "release"] },
    effects: ["read.global", "write.global", "read.shared", "write.shared", "sync"],
    level: "machine",
    verify: combines,
  },
  "prefetch.global": {
    doc: "Brings the line into a cache; `evict`: of the L2 cache, how long it keeps it.",
    ptx: "9.7.9.16",
    operands: { ptr: "ptr.global", pred: "pred?" },
    attrs: { level: ["L1", "L2"], evict: ["", "last", "normal"] },
    effects: ["read.global", "async"],
    level: "machine",
    verify: ({ attrs }) => (attrs.level === "L1" && attrs.evict !== "" ? "has no priority in the L1 cache" : undefined),
  },
  "atom.cas": {
    doc: "Writes `value` where the old value is `expected`; gives the old value.",
    ptx: "9.7.13.5",
    operands: { ptr: "ptr", expected: "scalar", value: "scalar" },
    attrs: { offset: "number", scope: scopes, order: orders },
    result: "=value",
    waits: { looks: "memory" },
    effects: ["read.global", "write.global", "read.shared", "write.shared", "sync"],
    level: "machine",
  },
  "shared.buffer": {
    doc: "The address of shared buffer `buffer`.",
    operands: {},
    attrs: { buffer: "number" },
    result: "ptr.shared",
    effects: [],
    references: { buffer: "shared" },
  },
  "shared.dynamic": {
    doc: "The address of byte `at` of the dynamic shared memory.",
    operands: {},
    attrs: { at: "number" },
    result: "ptr.shared",
    effects: [],
  },
  "bar.sync": {
    doc: "Barrier `id` of the block, the same in all threads of a warp, for `count` threads (all of them where it is 0).",
    ptx: "9.7.13.1",
    operands: { id: "i32" },
    attrs: { count: "number" },
    waits: { until: "block" },
    effects: ["sync"],
    participants: "block",
    called: "a barrier",
  },
  "bar.arrive": {
    doc: "Arrives at barrier `id` without waiting.",
    ptx: "9.7.13.1",
    operands: { id: "i32" },
    attrs: { count: "number" },
    effects: ["sync"],
    participants: "block",
    called: "a barrier",
  },
  "bar.warp.sync": {
    doc: "Waits for the lanes of the mask.",
    ptx: "9.7.13.2",
    operands: {},
    attrs: { mask: "number" },
    waits: { until: "warp" },
    effects: ["sync"],
    participants: "mask",
    called: "a barrier of the warp",
  },
  "barrier.cluster.arrive": {
    doc: "Arrives at the barrier of the cluster without waiting; `relaxed` orders no memory.",
    ptx: "9.7.13.3",
    operands: {},
    attrs: { order: ["release", "relaxed"] },
    effects: ["sync"],
    participants: "cluster",
    called: "a barrier of the cluster",
  },
  "barrier.cluster.wait": {
    doc: "Waits until all threads of the cluster have arrived at its barrier.",
    ptx: "9.7.13.3",
    operands: {},
    waits: { until: "cluster" },
    effects: ["sync"],
    participants: "cluster",
    called: "a barrier of the cluster",
  },
  "grid.sync": {
    doc: "Waits until all threads of the grid, which a cooperative launch has on the GPU at the same time, are here, and sees what they wrote. Of a barrier of the block before and behind, and atomics of one thread of each block on the workspace of the launch.",
    operands: {},
    waits: { until: "grid" },
    effects: ["sync"],
    participants: "whole block",
    called: "a barrier of the grid",
  },
  "griddepcontrol.wait": {
    doc: "Waits until the grids that this one was allowed to overlap have ended, and sees what they wrote; returns at once where there are none.",
    ptx: "9.7.13.13",
    operands: {},
    waits: { until: "earlier grid" },
    effects: ["sync"],
  },
  "griddepcontrol.launch_dependents": {
    doc: "Says that the grids that may overlap this one can start, once every block has said so or ended. Passes on no memory.",
    ptx: "9.7.13.13",
    operands: {},
    effects: ["sync"],
  },
  "fence.proxy.async": {
    doc: "Orders this thread's generic accesses with those of the async proxy.",
    ptx: "9.7.13.4",
    operands: {},
    attrs: { space: ["", "shared::cta", "shared::cluster", "global"] },
    effects: ["sync"],
  },
  fence: {
    doc: "A memory fence.",
    ptx: "9.7.13.4",
    operands: {},
    attrs: { order: ["acq_rel", "sc"], scope: scopes },
    effects: ["sync"],
  },
  ldmatrix: {
    doc: "Loads 1, 2 or 4 8×8 matrices of 16-bit elements; lane i gives the address of row i % 8 of matrix i / 8; each result holds two elements.",
    ptx: "9.7.14.5.15",
    operands: { ptr: "ptr.shared" },
    attrs: { offset: "number", trans: "boolean" },
    result: "given",
    effects: ["read.shared"],
    level: "machine",
    participants: "warp",
    called: "a load of matrices into registers (ldmatrix)",
    verify: (op) => {
      const words = op.results.every((v) => v.type === "u32") && [1, 2, 4].includes(op.results.length);
      return words ? undefined : "gives 1, 2 or 4 words: u32";
    },
  },
  stmatrix: {
    doc: "Stores 1, 2 or 4 8×8 matrices of 16-bit elements; lane i gives the address of row i % 8 of matrix i / 8; each value holds two elements.",
    ptx: "9.7.14.5.16",
    operands: { ptr: "ptr.shared", values: "scalar*" },
    attrs: { offset: "number", trans: "boolean" },
    effects: ["write.shared"],
    level: "machine",
    participants: "warp",
    called: "a store of accumulators to shared memory (stmatrix)",
  },
});
