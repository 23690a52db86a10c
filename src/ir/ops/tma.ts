import { defineOps } from "./define-ops.ts";
import { cacheHint, keepsHint, reductions } from "./memory.ts";

/** `outside`: the author says that boxes of it may lie wholly outside of the tensor. */
export const boxHints = { ...cacheHint, outside: "boolean?" } as const;

/** What copies through the async proxy do, by the way that the bytes take. */
export const loads = ["read.global", "write.shared", "write.barrier", "async", "proxy.async"] as const;
export const stores = ["read.shared", "write.global", "async", "proxy.async"] as const;
export const reduces = ["read.shared", "read.global", "write.global", "async", "proxy.async"] as const;
export const copiesToPeer = ["read.shared", "write.shared", "write.barrier", "async", "proxy.async"] as const;

/** Copies of boxes, and a change of a map. At the tile level they take views for addresses. */
export const boxLoad = {
  operands: {
    dst: "ptr.shared",
    map: "tensormap",
    bar: "ptr.shared",
    coords: "i32*",
    offsets: "scalar*",
    multicast: "scalar?",
    pred: "pred?",
  },
  effects: loads,
  verify: keepsHint,
} as const;
export const boxStore = {
  operands: { src: "ptr.shared", map: "tensormap", coords: "i32*", pred: "pred?" },
  effects: stores,
  verify: keepsHint,
} as const;
export const mapChange = {
  operands: {
    from: "tensormap",
    to: "tensormap",
    through: "ptr.shared",
    address: "ptr.global?",
    extents: "i32*",
    strides: "scalar*",
  },
  effects: ["read.global", "write.global", "read.shared", "write.shared", "sync"],
  participants: "warp",
  called: "a change of a tensor map",
} as const;

/** Bulk asynchronous copies. Coordinates are in elements, innermost first; 1 to 5 of them. PTX ISA 9.7.9.25–27. */
export const tmaOps = defineOps({
  "prefetch.tensormap": {
    doc: "Brings the tensor map into the cache.",
    ptx: "9.7.9.16",
    operands: { map: "tensormap", pred: "pred?" },
    effects: ["read.global", "async"],
  },
  "tensormap.at": {
    doc: "The tensor map of 128 bytes that lies at an address in global memory.",
    operands: { ptr: "ptr.global" },
    result: "given",
    effects: [],
    level: "machine",
    verify: ({ results }) => (results[0]?.type === "tensormap" ? undefined : "gives a tensor map"),
  },
  "tensormap.make": {
    doc: "Makes a map in global memory: that of `from`, with another address, extents or strides (bytes; all but the innermost) where they are there, innermost first. Lane by lane to `through`, 128 bytes of shared memory, where one lane changes it, and from there to the place, released to the GPU.",
    ptx: "9.7.9.28",
    ...mapChange,
    level: "machine",
  },
  "fence.proxy.tensormap": {
    doc: "Orders what this thread does with a map after the change of it that another thread has released to the GPU.",
    ptx: "9.7.13.4",
    operands: { map: "tensormap" },
    effects: ["sync"],
  },
  "tma.prefetch": {
    doc: "Brings the box at `coords` into the L2 cache. `offsets`: im2col.",
    ptx: "9.7.9.27.1.5",
    operands: { map: "tensormap", coords: "i32*", offsets: "scalar*", pred: "pred?" },
    effects: ["read.global", "async"],
  },
  "tma.load": {
    doc: "Global to shared: the box at `coords`, completing its bytes on `bar`. `multicast`: one bit per block of the cluster. `offsets`: im2col.",
    ptx: "9.7.9.27.1.2",
    ...boxLoad,
    attrs: boxHints,
    level: "machine",
    issues: { as: "load", shown: "TMA load" },
  },
  "tma.store": {
    doc: "Shared to global: the box at `coords`, part of this thread's open bulk group.",
    ptx: "9.7.9.27.1.2",
    ...boxStore,
    attrs: boxHints,
    level: "machine",
    issues: { as: "store", shown: "TMA store", group: "bulk" },
  },
  "tma.reduce": {
    doc: "Like a store, but combines with what is there.",
    ptx: "9.7.9.27.1.3",
    ...boxStore,
    attrs: { op: reductions, ...boxHints },
    effects: reduces,
    level: "machine",
    issues: { as: "store", shown: "TMA reduce", group: "bulk" },
  },
  "bulk.load": {
    doc: "Global to shared without a tensor map: `bytes` (a multiple of 16) in a row.",
    ptx: "9.7.9.25.4.1",
    operands: {
      dst: "ptr.shared",
      src: "ptr.global",
      bytes: "i32",
      bar: "ptr.shared",
      multicast: "scalar?",
      pred: "pred?",
    },
    attrs: cacheHint,
    verify: keepsHint,
    effects: loads,
    level: "machine",
    issues: { as: "load", shown: "bulk load" },
  },
  "bulk.peer": {
    doc: "The shared memory of this block to that of another one of its cluster: `bytes` (a multiple of 16) in a row, completing them on `bar`, which is in that block.",
    ptx: "9.7.9.25.4.1",
    operands: { dst: "ptr.cluster", src: "ptr.shared", bytes: "i32", bar: "ptr.cluster", pred: "pred?" },
    effects: copiesToPeer,
    level: "machine",
    issues: { as: "load", shown: "bulk to a peer" },
  },
  "bulk.store": {
    doc: "Shared to global without a tensor map: `bytes` (a multiple of 16) in a row, part of this thread's open bulk group.",
    ptx: "9.7.9.25.4.1",
    operands: { dst: "ptr.global", src: "ptr.shared", bytes: "i32", pred: "pred?" },
    attrs: cacheHint,
    verify: keepsHint,
    effects: stores,
    level: "machine",
    issues: { as: "store", shown: "bulk store", group: "bulk" },
  },
  "bulk.reduce": {
    doc: "Like a bulk store, but combines elements of that type with what is there. Sums of f16 and bf16 keep subnormals.",
    ptx: "9.7.9.25.4.2",
    operands: { dst: "ptr.global", src: "ptr.shared", bytes: "i32", pred: "pred?" },
    attrs: { op: reductions, type: "scalar type", ...cacheHint },
    verify: keepsHint,
    effects: reduces,
    level: "machine",
    issues: { as: "store", shown: "bulk reduce", group: "bulk" },
  },
  "bulk.prefetch": {
    doc: "Brings `bytes` (a multiple of 16) in a row into the L2 cache.",
    ptx: "9.7.9.25.4.3",
    operands: { src: "ptr.global", bytes: "i32", pred: "pred?" },
    effects: ["read.global", "async"],
    level: "machine",
  },
  "bulk.commit_group": {
    doc: "Closes this thread's open bulk group.",
    ptx: "9.7.9.25.2",
    operands: {},
    effects: ["sync"],
    issues: { as: "commit", shown: "bulk group", group: "bulk" },
  },
  "bulk.wait_group": {
    doc: "Until at most `pending` bulk groups of this thread are unfinished (`read`: have not read their sources).",
    ptx: "9.7.9.25.3",
    operands: {},
    attrs: { pending: "number", read: "boolean" },
    effects: ["sync"],
    waits: { group: "bulk" },
  },
});
