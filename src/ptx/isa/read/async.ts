import { anyScope, anyShared, completion, dimensions, flag, hint } from "./common-slots.ts";
import { defineReadForms } from "./define-read-forms.ts";

const multicast = flag("multicast::cluster");
const reductions = ["and", "or", "xor", "add", "inc", "dec", "min", "max"] as const;
const modes = ["", "tile", "im2col", "im2col_no_offs"] as const;
const acquire = ["", "acquire", "relaxed"] as const;
const release = ["", "release", "relaxed"] as const;
const b64 = ["b64"] as const;

/** Ends of a bulk copy out of shared memory, and what says that it is over. */
const fromShared = { dst: ["global"], src: ["shared::cta"] } as const;
const inGroup = { completion: ["bulk_group"], hint } as const;

/** A copy by the thread itself. */
const threadCopy = {
  text: "cp.async",
  modifiers: {
    cache: ["ca", "cg"],
    dst: ["shared", "shared::cta"],
    src: ["global"],
    hint,
    prefetch: ["", "L2::64B", "L2::128B", "L2::256B"],
  },
  async: "copy",
} as const;
const ownBarrier = { modifiers: { space: ["", "shared", "shared::cta"], type: b64 }, barrier: "mbarrier" } as const;
const transaction = {
  modifiers: { order: ["", "relaxed"], scope: anyScope, space: anyShared, type: b64 },
  barrier: "mbarrier",
} as const;
const arrival = { modifiers: { order: release, scope: anyScope, space: anyShared, type: b64 }, barrier: "mbarrier" } as const;
const wait = { modifiers: { order: acquire, scope: anyScope, space: anyShared, type: b64 }, barrier: "mbarrier" } as const;

/** Asynchronous copies (PTX ISA 9.7.9.25–27) and mbarriers (9.7.13.15). */
export const readAsync = defineReadForms({
  /** Destination, source, bytes written, bytes read (the rest is zero), policy. */
  "cp.async": { ...threadCopy, operands: ["addr", "addr", "imm", "s:u32?", "s:b64?hint"] },
  /** The fourth operand, where true, makes the destination zero. */
  "cp.async.ignore_src": { ...threadCopy, operands: ["addr", "addr", "imm", "p", "s:b64?hint"] },
  "cp.async.commit_group": { text: "cp.async.commit_group", operands: [] },
  "cp.async.wait_group": { text: "cp.async.wait_group", operands: ["imm"] },
  "cp.async.wait_all": { text: "cp.async.wait_all", operands: [] },
  "cp.async.mbarrier.arrive": {
    text: "cp.async.mbarrier.arrive",
    modifiers: { noinc: flag("noinc"), space: ["", "shared", "shared::cta"], type: b64 },
    operands: ["addr"],
  },

  /** Destination, source, bytes, barrier, mask of CTAs, policy. */
  "cp.async.bulk.load": {
    text: "cp.async.bulk",
    modifiers: { dst: ["shared::cluster", "shared::cta"], src: ["global"], completion, multicast, hint },
    operands: ["addr", "addr", "s:u32", "addr", "s:b16?multicast", "s:b64?hint"],
    async: "copy",
  },
  "cp.async.bulk.peer": {
    text: "cp.async.bulk",
    modifiers: { dst: ["shared::cluster"], src: ["shared::cta"], completion },
    operands: ["addr", "addr", "s:u32", "addr"],
    async: "copy",
  },
  "cp.async.bulk.store": {
    text: "cp.async.bulk",
    modifiers: { ...fromShared, ...inGroup, mask: flag("cp_mask") },
    operands: ["addr", "addr", "s:u32", "s:b64?hint", "s:b16?mask"],
    async: "copy",
  },
  "cp.reduce.async.bulk.peer": {
    text: "cp.reduce.async.bulk",
    modifiers: {
      dst: ["shared::cluster"],
      src: ["shared::cta"],
      completion,
      op: reductions,
      type: ["s32", "u32", "s64", "u64", "b32", "b64"],
    },
    operands: ["addr", "addr", "s:u32", "addr"],
    async: "copy",
  },
  "cp.reduce.async.bulk.store": {
    text: "cp.reduce.async.bulk",
    modifiers: {
      ...fromShared,
      ...inGroup,
      op: reductions,
      noftz: flag("noftz"),
      type: ["f16", "bf16", "b32", "u32", "s32", "b64", "u64", "s64", "f32", "f64"],
    },
    operands: ["addr", "addr", "s:u32", "s:b64?hint"],
    communicates: "always",
    async: "copy",
  },
  /** Destination, map and coordinates, barrier, offsets of im2col, mask of CTAs, policy. */
  "cp.async.bulk.tensor.load": {
    text: "cp.async.bulk.tensor",
    modifiers: {
      dim: dimensions,
      dst: ["shared::cluster", "shared::cta"],
      src: ["global"],
      mode: modes,
      completion,
      multicast,
      hint,
    },
    operands: ["addr", "tensor", "addr", "vec?", "s:b16?multicast", "s:b64?hint"],
    async: "copy",
  },
  "cp.async.bulk.tensor.store": {
    text: "cp.async.bulk.tensor",
    modifiers: { dim: dimensions, ...fromShared, mode: modes, ...inGroup },
    operands: ["tensor", "addr", "s:b64?hint"],
    async: "copy",
  },
  "cp.reduce.async.bulk.tensor": {
    text: "cp.reduce.async.bulk.tensor",
    modifiers: { dim: dimensions, ...fromShared, op: reductions, mode: modes, ...inGroup },
    operands: ["tensor", "addr", "s:b64?hint"],
    communicates: "always",
    async: "copy",
  },
  "cp.async.bulk.prefetch.tensor": {
    text: "cp.async.bulk.prefetch.tensor",
    modifiers: { dim: dimensions, level: ["L2"], src: ["global"], mode: modes, hint },
    operands: ["tensor", "vec?", "s:b64?hint"],
  },
  "cp.async.bulk.commit_group": { text: "cp.async.bulk.commit_group", operands: [] },
  "cp.async.bulk.wait_group": { text: "cp.async.bulk.wait_group", modifiers: { read: flag("read") }, operands: ["imm"] },

  "mbarrier.init": { text: "mbarrier.init", ...ownBarrier, operands: ["addr", "s:u32"] },
  "mbarrier.inval": { text: "mbarrier.inval", ...ownBarrier, operands: ["addr"] },
  "mbarrier.expect_tx": { text: "mbarrier.expect_tx", ...transaction, operands: ["addr", "s:u32"] },
  "mbarrier.complete_tx": { text: "mbarrier.complete_tx", ...transaction, operands: ["addr", "s:u32"] },
  /** The state, the barrier, the count. */
  "mbarrier.arrive": { text: "mbarrier.arrive", ...arrival, operands: ["d:b64", "addr", "s:u32?"] },
  "mbarrier.arrive.expect_tx": { text: "mbarrier.arrive.expect_tx", ...arrival, operands: ["d:b64", "addr", "s:u32"] },
  "mbarrier.arrive.noComplete": { text: "mbarrier.arrive.noComplete", ...arrival, operands: ["d:b64", "addr", "s:u32"] },
  "mbarrier.arrive_drop": { text: "mbarrier.arrive_drop", ...arrival, operands: ["d:b64", "addr", "s:u32?"] },
  "mbarrier.arrive_drop.expect_tx": { text: "mbarrier.arrive_drop.expect_tx", ...arrival, operands: ["d:b64", "addr", "s:u32"] },
  "mbarrier.arrive_drop.noComplete": {
    text: "mbarrier.arrive_drop.noComplete",
    ...arrival,
    operands: ["d:b64", "addr", "s:u32"],
  },
  "mbarrier.test_wait": { text: "mbarrier.test_wait", ...wait, operands: ["dp", "addr", "s:b64"], phase: "state" },
  "mbarrier.test_wait.parity": { text: "mbarrier.test_wait.parity", ...wait, operands: ["dp", "addr", "s:u32"], phase: "parity" },
  /** Waiting for at most so many nanoseconds is the last operand. */
  "mbarrier.try_wait": { text: "mbarrier.try_wait", ...wait, operands: ["dp", "addr", "s:b64", "s:u32?"], phase: "state" },
  "mbarrier.try_wait.parity": {
    text: "mbarrier.try_wait.parity",
    ...wait,
    operands: ["dp", "addr", "s:u32", "s:u32?"],
    phase: "parity",
  },
  "mbarrier.pending_count": { text: "mbarrier.pending_count.b64", operands: ["d:u32", "s:b64"] },
});
