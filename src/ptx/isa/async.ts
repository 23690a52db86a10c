import { defineForms } from "./define-forms.ts";

const dims = ["1d", "2d", "3d", "4d", "5d"] as const;
const hint = ["", "L2::cache_hint"] as const;
const reductions = ["add", "min", "max", "inc", "dec", "and", "or", "xor"] as const;
const done = ["mbarrier::complete_tx::bytes"] as const;
const ofBarrier = { space: ["shared::cta", "shared::cluster"], type: ["b64"] } as const;
/** Ends of a copy, and the slots behind them. */
const fromShared = { dst: ["global"], src: ["shared::cta"] } as const;
const inGroup = { completion: ["bulk_group"], hint } as const;
const toCluster = { dst: ["shared::cluster"], src: ["global"] } as const;
const onBarrier = { completion: done, multicast: ["", "multicast::cluster"], hint } as const;

/** Mbarriers (PTX ISA 9.7.13.15): `arrive` keeps the default order, release at the scope of the block. Bulk asynchronous copies (9.7.9.25–27). */
export const asyncForms = defineForms({
  "mbarrier.init": { text: "mbarrier.init.shared::cta.b64", operands: ["addr", "s:u32"] },
  "mbarrier.inval": { text: "mbarrier.inval.shared::cta.b64", operands: ["addr"] },
  "mbarrier.arrive": {
    text: "mbarrier.arrive",
    modifiers: ofBarrier,
    operands: ["sink", "addr", "s?"],
  },
  "mbarrier.arrive.expect_tx": {
    text: "mbarrier.arrive.expect_tx",
    modifiers: ofBarrier,
    operands: ["sink", "addr", "s:u32"],
  },
  "mbarrier.expect_tx": {
    text: "mbarrier.expect_tx.relaxed",
    modifiers: { scope: ["cta", "cluster"], ...ofBarrier },
    operands: ["addr", "s:u32"],
  },
  "mbarrier.test_wait": { text: "mbarrier.test_wait.parity.shared::cta.b64", operands: ["dp", "addr", "s:u32"] },
  /** Whether a phase is over, and nothing else: no memory is ordered by it. */
  "mbarrier.look": {
    text: "mbarrier.test_wait.parity.relaxed.cta.shared::cta.b64",
    since: "8.6",
    operands: ["dp", "addr", "s:u32"],
  },
  "mbarrier.try_wait": { text: "mbarrier.try_wait.parity.shared::cta.b64", operands: ["dp", "addr", "s:u32"] },

  /** Destination, source, bytes written, bytes read: the rest is zero. Copies of single threads (9.7.9.25.3). */
  "cp.async": {
    text: "cp.async",
    modifiers: { cache: ["ca", "cg"], dst: ["shared"], src: ["global"], hint },
    operands: ["addr", "addr", "imm", "s?", "s?"],
  },
  "cp.async.commit_group": { text: "cp.async.commit_group", operands: [] },
  "cp.async.wait_group": { text: "cp.async.wait_group", operands: ["imm"] },
  "cp.async.mbarrier.arrive": {
    text: "cp.async.mbarrier.arrive",
    modifiers: { noinc: ["", "noinc"], space: ["shared::cta"], type: ["b64"] },
    operands: ["addr"],
  },

  "prefetch.tensormap": { text: "prefetch.tensormap", operands: ["addr"] },
  /** One of a map in shared memory. From 8.5 on strides are taken in bytes. */
  "tensormap.replace": {
    text: "tensormap.replace.tile",
    since: "8.5",
    modifiers: { field: ["global_address"], space: ["shared::cta"], object: ["b1024"], type: ["b64"] },
    operands: ["addr", "s:type"],
  },
  "tensormap.replace.dimension": {
    text: "tensormap.replace.tile",
    since: "8.5",
    modifiers: { field: ["global_dim", "global_stride"], space: ["shared::cta"], object: ["b1024"], type: ["b32", "b64"] },
    operands: ["addr", "imm", "s:type"],
  },
  "tensormap.cp_fenceproxy": {
    text: "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned",
    since: "8.3",
    operands: ["addr", "addr", "imm"],
  },
  "fence.proxy.tensormap": {
    text: "fence.proxy.tensormap::generic.acquire",
    since: "8.3",
    modifiers: { scope: ["gpu"] },
    operands: ["addr", "imm"],
  },
  createpolicy: {
    text: "createpolicy.fractional",
    modifiers: {
      level: ["L2::evict_first", "L2::evict_last", "L2::evict_normal", "L2::evict_unchanged"],
      rest: ["", "L2::evict_first", "L2::evict_unchanged"],
      type: ["b64"],
    },
    operands: ["d:b64", "s?"],
  },
  /** Operands: destination, map and coordinates, barrier, im2col offsets, multicast mask, cache policy. */
  "cp.async.bulk.tensor.load": {
    text: "cp.async.bulk.tensor",
    modifiers: { dim: dims, ...toCluster, mode: ["tile", "im2col"], ...onBarrier },
    operands: ["addr", "tensor", "addr", "vec?", "s?", "s?"],
  },
  "cp.async.bulk.tensor.store": {
    text: "cp.async.bulk.tensor",
    modifiers: { dim: dims, ...fromShared, mode: ["tile"], ...inGroup },
    operands: ["tensor", "addr", "s?"],
  },
  "cp.reduce.async.bulk.tensor": {
    text: "cp.reduce.async.bulk.tensor",
    modifiers: { dim: dims, ...fromShared, op: reductions, mode: ["tile"], ...inGroup },
    operands: ["tensor", "addr", "s?"],
  },
  "cp.async.bulk.prefetch.tensor": {
    text: "cp.async.bulk.prefetch.tensor",
    modifiers: { dim: dims, level: ["L2"], src: ["global"], mode: ["tile", "im2col"] },
    operands: ["tensor", "vec?"],
  },
  /** Destination, source, bytes, barrier, multicast mask, cache policy. */
  "cp.async.bulk.load": {
    text: "cp.async.bulk",
    modifiers: { ...toCluster, ...onBarrier },
    operands: ["addr", "addr", "s:u32", "addr", "s?", "s?"],
  },
  "cp.async.bulk.peer": {
    text: "cp.async.bulk",
    modifiers: { dst: ["shared::cluster"], src: ["shared::cta"], completion: done },
    operands: ["addr", "addr", "s:u32", "addr"],
  },
  "cp.async.bulk.store": {
    text: "cp.async.bulk",
    modifiers: { ...fromShared, ...inGroup },
    operands: ["addr", "addr", "s:u32", "s?"],
  },
  "cp.reduce.async.bulk": {
    text: "cp.reduce.async.bulk",
    modifiers: {
      ...fromShared,
      ...inGroup,
      op: reductions,
      noftz: ["", "noftz"],
      type: ["f16", "bf16", "f32", "f64", "b32", "u32", "s32", "b64", "u64", "s64"],
    },
    operands: ["addr", "addr", "s:u32", "s?"],
  },
  "cp.async.bulk.prefetch": { text: "cp.async.bulk.prefetch.L2.global", operands: ["addr", "s:u32"] },
  "cp.async.bulk.commit_group": { text: "cp.async.bulk.commit_group", operands: [] },
  "cp.async.bulk.wait_group": { text: "cp.async.bulk.wait_group", modifiers: { read: ["", "read"] }, operands: ["imm"] },
});
