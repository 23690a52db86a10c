import { defineOps } from "./define-ops.ts";
import { reductions } from "./memory.ts";

export const hints = ["", "evictFirst", "evictLast", "evictNormal"] as const;

/** Bulk asynchronous copies. Coordinates are in elements, innermost first; 1 to 5 of them. PTX ISA 9.7.9.25–27. */
export const tmaOps = defineOps({
  "prefetch.tensormap": {
    doc: "Brings the tensor map into the cache.",
    ptx: "9.7.9.16",
    operands: { map: "tensormap", pred: "pred?" },
    effects: ["read.global", "async"],
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
    operands: {
      dst: "ptr.shared",
      map: "tensormap",
      bar: "ptr.shared",
      coords: "i32*",
      offsets: "scalar*",
      multicast: "scalar?",
      pred: "pred?",
    },
    attrs: { cacheHint: hints },
    effects: ["read.global", "write.shared", "write.barrier", "async", "proxy.async"],
    level: "machine",
  },
  "tma.store": {
    doc: "Shared to global: the box at `coords`, part of this thread's open bulk group.",
    ptx: "9.7.9.27.1.2",
    operands: { src: "ptr.shared", map: "tensormap", coords: "i32*", pred: "pred?" },
    attrs: { cacheHint: hints },
    effects: ["read.shared", "write.global", "async", "proxy.async"],
    level: "machine",
  },
  "tma.reduce": {
    doc: "Like a store, but combines with what is there.",
    ptx: "9.7.9.27.1.3",
    operands: { src: "ptr.shared", map: "tensormap", coords: "i32*", pred: "pred?" },
    attrs: { op: reductions },
    effects: ["read.shared", "read.global", "write.global", "async", "proxy.async"],
    level: "machine",
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
    attrs: { cacheHint: hints },
    effects: ["read.global", "write.shared", "write.barrier", "async", "proxy.async"],
    level: "machine",
  },
  "bulk.peer": {
    doc: "The shared memory of this block to that of another one of its cluster: `bytes` (a multiple of 16) in a row, completing them on `bar`, which is in that block.",
    ptx: "9.7.9.25.4.1",
    operands: { dst: "ptr.cluster", src: "ptr.shared", bytes: "i32", bar: "ptr.cluster", pred: "pred?" },
    effects: ["read.shared", "write.shared", "write.barrier", "async", "proxy.async"],
    level: "machine",
  },
  "bulk.store": {
    doc: "Shared to global without a tensor map: `bytes` (a multiple of 16) in a row, part of this thread's open bulk group.",
    ptx: "9.7.9.25.4.1",
    operands: { dst: "ptr.global", src: "ptr.shared", bytes: "i32", pred: "pred?" },
    attrs: { cacheHint: hints },
    effects: ["read.shared", "write.global", "async", "proxy.async"],
    level: "machine",
  },
  "bulk.reduce": {
    doc: "Like a bulk store, but combines elements of that type with what is there. Sums of f16 and bf16 keep subnormals.",
    ptx: "9.7.9.25.4.2",
    operands: { dst: "ptr.global", src: "ptr.shared", bytes: "i32", pred: "pred?" },
    attrs: { op: reductions, type: "scalar type" },
    effects: ["read.shared", "read.global", "write.global", "async", "proxy.async"],
    level: "machine",
  },
  "bulk.prefetch": {
    doc: "Brings `bytes` (a multiple of 16) in a row into the L2 cache.",
    ptx: "9.7.9.25.4.3",
    operands: { src: "ptr.global", bytes: "i32", pred: "pred?" },
    effects: ["read.global", "async"],
    level: "machine",
  },
  "bulk.commit_group": { doc: "Closes this thread's open bulk group.", ptx: "9.7.9.25.2", operands: {}, effects: ["sync"] },
  "bulk.wait_group": {
    doc: "Until at most `pending` bulk groups of this thread are unfinished (`read`: have not read their sources).",
    ptx: "9.7.9.25.3",
    operands: {},
    attrs: { pending: "number", read: "boolean" },
    effects: ["sync"],
  },
});
