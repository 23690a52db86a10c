import { isView, type Type } from "../types.ts";
import { operandType, type RawOp, type Value } from "../value.ts";
import { viewRank } from "../view-types.ts";
import { defineOps } from "./define-ops.ts";
import { atomics, loadHints, orders, reductions, scopes, storeHints } from "./memory.ts";

function givesView(op: RawOp): string | undefined {
  const [result, ...more] = op.results;
  return result && isView(result.type) && more.length === 0 ? undefined : "gives one view";
}

const rankOf = (type: Type | undefined): number => (type && isView(type) ? viewRank(type) : -1);

/** An element's place: a view without dimensions. */
function ofElement(op: RawOp): string | undefined {
  return rankOf(operandType(op, "view")) === 0 ? undefined : "takes the place of one element: a view without dimensions";
}

function listed(op: RawOp, name: string): number {
  const list = op.operands[name];
  return Array.isArray(list) ? list.length : 0;
}

const makesView = { result: "given", effects: [], level: "tile", verify: givesView } as const;

/**
 * Memory as the author indexes it: views, and accesses of their elements. Indices and extents are elements; literals among them are
 * constants. The passes make addresses of them.
 */
export const viewOps = defineOps({
  "view.tensor": {
    doc: "A tensor of the launch. `extents` and `strides`: those that its type leaves open, in order.",
    operands: { ptr: "ptr.global", extents: "offset*", strides: "offset*" },
    ...makesView,
  },
  "view.shared": {
    doc: "The shared memory from byte `offset` of a buffer on.",
    operands: { ptr: "ptr.shared" },
    attrs: { offset: "number" },
    ...makesView,
  },
  "view.peer": {
    doc: "The same view in the shared memory of block `rank` of the cluster.",
    operands: { view: "view", rank: "i32" },
    ...makesView,
  },
  "view.at": {
    doc: "The part at these indices of the leading dimensions: an element's place where every dimension has one.",
    operands: { view: "view", indices: "offset*" },
    ...makesView,
    verify: (op) =>
      givesView(op) ??
      (rankOf(op.results[0]?.type) === rankOf(operandType(op, "view")) - listed(op, "indices")
        ? undefined
        : "gives a view without the dimensions that are indexed"),
  },
  "view.subview": {
    doc: "The part that begins at `offsets` and has the shape of the result.",
    operands: { view: "view", offsets: "offset*" },
    ...makesView,
    verify: (op) =>
      givesView(op) ??
      (listed(op, "offsets") === rankOf(operandType(op, "view")) ? undefined : "takes an offset for each dimension"),
  },
  "view.transpose": {
    doc: "The dimensions in that order.",
    operands: { view: "view" },
    attrs: { permutation: "number[]" },
    ...makesView,
  },
  "view.reshape": {
    doc: "The same bytes in another shape, or as another type.",
    operands: { view: "view" },
    ...makesView,
  },
  "view.undef": {
    doc: "A view that nobody reads.",
    operands: {},
    ...makesView,
  },
  "view.load": {
    doc: "Loads as many neighbouring elements as it has results. Where `pred` is false nothing is read and every result is `other` (or 0).",
    operands: { view: "view", pred: "pred?", other: "scalar?" },
    attrs: { cache: ["", "ca", "cg", "cs", "lu", "cv", "nc"], ...loadHints },
    result: "given",
    effects: ["read.global", "read.shared"],
    level: "tile",
    verify: ofElement,
  },
  "view.store": {
    doc: "Stores neighbouring elements, where `pred` is true.",
    operands: { view: "view", values: "scalar*", pred: "pred?" },
    attrs: { cache: ["", "wb", "cg", "cs", "wt"], ...storeHints },
    effects: ["write.global", "write.shared"],
    level: "tile",
    verify: ofElement,
  },
  "view.atom": {
    doc: "Reads, combines and writes at once; gives the old value. The least and greatest of floats as Math.min and Math.max.",
    operands: { view: "view", value: "scalar", pred: "pred?" },
    attrs: { op: atomics, scope: scopes, order: orders },
    result: "=value",
    effects: ["read.global", "write.global", "read.shared", "write.shared", "sync"],
    level: "tile",
    verify: ofElement,
  },
  "view.reduce": {
    doc: "Reads, combines and writes at once, an element or neighbours, and gives nothing.",
    operands: { view: "view", values: "scalar*", pred: "pred?" },
    attrs: { op: reductions, scope: scopes, order: ["relaxed", "release"] },
    effects: ["read.global", "write.global", "read.shared", "write.shared", "sync"],
    level: "tile",
    verify: ofElement,
  },
  "view.prefetch": {
    doc: "Brings the line of an element into a cache.",
    operands: { view: "view", pred: "pred?" },
    attrs: { level: ["L1", "L2"], evict: ["", "last", "normal"] },
    effects: ["read.global", "async"],
    level: "tile",
    verify: ofElement,
  },
  "view.cas": {
    doc: "Writes `value` where the old value is `expected`; gives the old value.",
    operands: { view: "view", expected: "scalar", value: "scalar" },
    attrs: { scope: scopes, order: orders },
    result: "=value",
    effects: ["read.global", "write.global", "read.shared", "write.shared", "sync"],
    level: "tile",
    verify: ofElement,
  },
  "view.store_async": {
    doc: "Stores neighbouring elements, 4, 8 or 16 bytes together, in another block of the cluster, completing the bytes on `bar` there. Asynchronous.",
    operands: { view: "view", values: "scalar*", bar: "ptr.cluster", pred: "pred?" },
    effects: ["write.shared", "write.barrier", "async"],
    level: "tile",
    verify: ofElement,
  },
  "view.reduce_async": {
    doc: "Combines an element in another block of the cluster with a value, completing its bytes on `bar` there. Asynchronous.",
    operands: { view: "view", value: "scalar", bar: "ptr.cluster", pred: "pred?" },
    attrs: { op: reductions },
    effects: ["read.shared", "write.shared", "write.barrier", "async"],
    level: "tile",
    verify: ofElement,
  },
  "view.copy": {
    doc: "Copies `bytes` from the one place on to the other, from global to shared memory, asynchronously (`cp.async`). Only the first `from` bytes are read where it is there: the rest is zero.",
    ptx: "9.7.9.25.3.1",
    operands: { dst: "view", src: "view", from: "i32?", pred: "pred?" },
    attrs: { bytes: [4, 8, 16], cache: ["ca", "cg"] },
    effects: ["read.global", "write.shared", "async"],
    level: "tile",
    verify: ({ operands }) =>
      rankOf((operands.dst as Value).type) === 0 && rankOf((operands.src as Value).type) === 0
        ? undefined
        : "takes the places of two elements: views without dimensions",
  },
  "view.acquire": {
    doc: "An acquiring load.",
    operands: { view: "view" },
    attrs: { scope: scopes },
    result: "given",
    effects: ["read.global", "read.shared", "sync"],
    level: "tile",
    verify: ofElement,
  },
  "view.release": {
    doc: "A releasing store.",
    operands: { view: "view", value: "scalar" },
    attrs: { scope: scopes },
    effects: ["write.global", "write.shared", "sync"],
    level: "tile",
    verify: ofElement,
  },
  "view.offset": {
    doc: "Bytes from the beginning of the tensor or buffer to the view's first element.",
    operands: { view: "view" },
    result: "given",
    effects: [],
    level: "tile",
  },
  "view.address": {
    doc: "The address of the view's first element, in the space of its memory.",
    operands: { view: "view" },
    result: "given",
    effects: [],
    level: "tile",
  },
  "mbarrier.at": {
    doc: "Barrier number `index` of an array of them.",
    operands: { base: "ptr.shared", index: "offset" },
    result: "=base",
    effects: [],
    level: "tile",
  },
});
