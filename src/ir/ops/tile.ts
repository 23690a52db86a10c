import { layoutText } from "../../layout/index.ts";
import { operandType, type RawOp } from "../value.ts";
import { defineOps } from "./define-ops.ts";
import { cacheHint, keepsHint, reductions, scopes } from "./memory.ts";
import {
  asMany,
  elementOf,
  elementsOf,
  givesCounts,
  givesExpanded,
  givesGathered,
  givesHalves,
  givesJoined,
  givesOperand,
  givesSlice,
  givesTile,
  lieAlike,
  multiplies,
  tileOperand,
  tileOperands,
  tileResults,
} from "./tile-rules.ts";
import { boxHints, boxLoad, boxStore, copiesToPeer, loads, mapChange, reduces, stores } from "./tma.ts";

/** The warpgroups that run here, where several share a tile: the number of the first, and how many. */
const running = { warpgroups: "number[]?" } as const;

/**
 * How many of a thread's elements move at once, along which dimension, the last one where none is named: matrices of eight rows are ldmatrix
 * and stmatrix. Open until the pass `vectorise`. `unmasked`: the author says that no element lies outside of the tensor.
 */
const access = {
  access: ["", "elements", "pairs", "fours", "eights", "sixteens", "matrices"],
  along: "number?",
  unmasked: "boolean?",
} as const;

/** A tensor map as far as a copy needs it: the box, outermost first, and how it lies in shared memory. */
const map = {
  name: "string",
  box: "number[]",
  mode: ["tiled", "im2col"],
  swizzle: ["none", "32B", "64B", "128B"],
} as const;

const makesOperand = { result: "given", effects: [], level: "tile", verify: givesOperand } as const;

/** Elements of a tile combined: the body combines two of each operand. */
const combines = {
  regions: ["combine"],
  flow: "function",
  body: (op: RawOp) => {
    const elements = elementsOf(tileOperands(op));
    return { takes: [...elements, ...elements], gives: elements };
  },
  effects: ["sync", "wgmma"],
  participants: "warp",
} as const;

/** Matrices over the registers of a warpgroup, products of them, and asynchronous copies of views. */
export const tileOps = defineOps({
  "tile.zero": { doc: "Zeros.", operands: {}, result: "given", effects: [], anyLayout: true, level: "tile", verify: givesTile },
  "tile.load": {
    doc: "A tile from memory; what lies outside a tensor is `other`, or 0.",
    operands: { view: "view", other: "scalar?" },
    attrs: { ...access, ...running },
    result: "given",
    effects: ["read.global", "read.shared"],
    participants: "warpgroup",
    called: "a load of a tile",
    level: "tile",
    verify: givesTile,
  },
  "tile.store": {
    doc: "A tile to memory; elements outside a tensor are not written.",
    operands: { tile: "tile", view: "view" },
    attrs: { ...access, ...running },
    effects: ["write.global", "write.shared"],
    participants: "warpgroup",
    called: "a store of a tile",
    level: "tile",
  },
  "tile.combine": {
    doc: "Combines each element of a tile with the one in memory at once, as atomics do; elements outside a tensor are left out.",
    operands: { tile: "tile", view: "view" },
    attrs: { ...access, ...running, op: reductions, scope: scopes },
    effects: ["read.global", "write.global", "read.shared", "write.shared", "sync"],
    participants: "warpgroup",
    called: "a reduction of a tile into memory",
    level: "tile",
  },
  "tile.convert": {
    doc: "f32 rounded to the result's type of 16 bits.",
    operands: { tile: "tile" },
    result: "given",
    effects: ["wgmma"],
    level: "tile",
    verify: givesTile,
  },
  "tile.columns": {
    doc: "Some of the columns.",
    operands: { tile: "tile" },
    attrs: { start: "number" },
    result: "given",
    effects: ["wgmma"],
    level: "tile",
    verify: givesTile,
  },
  "tile.elements": {
    doc: "The elements that this thread holds, in the order of its registers. Only after a covering wait.",
    operands: { tile: "tile" },
    result: "given",
    effects: ["wgmma"],
    level: "tile",
  },
  "tile.from": {
    doc: "The tile of which this thread holds these elements.",
    operands: { values: "scalar*" },
    result: "given",
    effects: [],
    level: "tile",
    verify: givesTile,
  },
  "tile.coordinates": {
    doc: "The coordinate along a dimension of each element that this thread holds of the tile. Reads no element.",
    operands: { tile: "tile" },
    attrs: { axis: "number", ...running },
    result: "given",
    effects: [],
    level: "tile",
  },
  "tile.splat": {
    doc: "The same number everywhere.",
    operands: { value: "scalar" },
    result: "given",
    effects: [],
    anyLayout: true,
    level: "tile",
    verify: (op) =>
      givesTile(op) ?? (operandType(op, "value") === elementOf(op.results[0]?.type) ? undefined : "gives a tile of that type"),
  },
  "tile.iota": {
    doc: "Of each element its coordinate along a dimension.",
    operands: {},
    attrs: { axis: "number", ...running },
    result: "given",
    effects: [],
    anyLayout: true,
    level: "tile",
    verify: (op) => givesTile(op) ?? (elementOf(op.results[0]?.type) === "i32" ? undefined : "gives a tile of i32"),
  },
  "tile.map": {
    doc: "What the body makes of the elements at each place of tiles that lie alike. With `coordinates` it gets those of the place, too. Only after a covering wait.",
    operands: { tiles: "tile*" },
    attrs: { coordinates: "boolean", ...running },
    result: "given",
    regions: ["body"],
    flow: "function",
    body: (op) => {
      const rank = op.attrs.coordinates ? (tileOperands(op)[0]?.shape.length ?? 0) : 0;
      return {
        takes: [...elementsOf(tileOperands(op)), ...Array.from({ length: rank }, () => "i32" as const)],
        gives: elementsOf(tileResults(op)),
      };
    },
    effects: ["wgmma"],
    level: "tile",
    verify: (op) =>
      lieAlike([...tileOperands(op), ...tileResults(op)]) ? undefined : "goes through tiles of one shape and layout",
  },
  "tile.reduce": {
    doc: "The elements of each row combined (`axis` 1), or of each column (0), and so on: the body combines two of each tile. Only after a covering wait.",
    operands: { tiles: "tile*" },
    attrs: { axis: "number", commutative: "boolean", ...running },
    result: "given",
    ...combines,
    called: "a reduction of a tile",
    layoutFrom: "operands",
    level: "tile",
    verify: givesSlice,
  },
  "tile.scan": {
    doc: "Of each place what the elements up to it along `axis` are combined, the body combining two; from the other end with `reverse`.",
    operands: { tiles: "tile*" },
    attrs: { axis: "number", reverse: "boolean", ...running },
    result: "given",
    ...combines,
    called: "a scan of a tile",
    level: "tile",
    verify: (op) => (lieAlike([...tileOperands(op), ...tileResults(op)]) ? undefined : "gives tiles as it takes them"),
  },
  "tile.expand": {
    doc: "What a reduction left, beside what it was taken from: a dimension more.",
    operands: { tile: "tile" },
    result: "given",
    effects: ["wgmma"],
    level: "tile",
    verify: givesExpanded,
  },
  "tile.broadcast": {
    doc: "Dimensions of one element become as long as those of other tiles of that layout.",
    operands: { tile: "tile" },
    result: "given",
    effects: ["wgmma"],
    level: "tile",
    verify: (op) => {
      const [from, to] = [tileOperand(op), tileResults(op)[0]];
      if (!from || !to || from.dtype !== to.dtype || layoutText(from.layout) !== layoutText(to.layout))
        return "gives a tile of that layout";
      return from.shape.every((n, d) => n === 1 || n === to.shape[d]) ? undefined : "makes dimensions of one element longer";
    },
  },
  "tile.convert_layout": {
    doc: "The same elements over the threads in another way: by other names of registers, through lanes, or through shared memory. `auto`: the compiler put it in.",
    operands: { tile: "tile" },
    attrs: { ...running, auto: "boolean?" },
    result: "given",
    effects: ["sync", "wgmma"],
    participants: "warp",
    called: "a conversion of a tile",
    level: "tile",
    verify: (op) => {
      const [from, to] = [tileOperand(op), tileResults(op)[0]];
      return from && to && from.dtype === to.dtype && from.shape.join() === to.shape.join()
        ? undefined
        : "gives a tile of that shape and type";
    },
  },
  "tile.rearrange": {
    doc: "A transpose, where `permutation` says which dimension each is now, or a reshape: every thread keeps its elements, which have other coordinates.",
    operands: { tile: "tile" },
    attrs: { permutation: "number[]?" },
    result: "given",
    effects: ["wgmma"],
    layoutFrom: "operands",
    level: "tile",
    verify: (op) => {
      const [from, to] = [tileOperand(op), tileResults(op)[0]];
      return from && to && from.dtype === to.dtype && asMany(from, to) ? undefined : "gives a tile of as many elements";
    },
  },
  "tile.join": {
    doc: "Two tiles as one with a last dimension of 2: every thread keeps its elements, one of each beside the other.",
    operands: { tiles: "tile*" },
    result: "given",
    effects: ["wgmma"],
    layoutFrom: "operands",
    level: "tile",
    verify: givesJoined,
  },
  "tile.split": {
    doc: "The two halves of a tile along its last dimension, which is 2 and lies within a thread.",
    operands: { tile: "tile" },
    result: "given",
    effects: ["wgmma"],
    level: "tile",
    verify: givesHalves,
  },
  "tile.gather": {
    doc: "Of each place of the indices the element of the tile whose coordinate along `axis` is the index there.",
    operands: { tile: "tile", indices: "tile" },
    attrs: { axis: "number", ...running },
    result: "given",
    effects: ["sync", "wgmma"],
    participants: "warp",
    called: "a gather from a tile",
    level: "tile",
    verify: givesGathered,
  },
  "tile.histogram": {
    doc: "How many elements of the tile are 0, 1, 2, …, one less than the result has elements. Others are left out.",
    operands: { tile: "tile" },
    attrs: running,
    result: "given",
    effects: ["sync", "wgmma"],
    participants: "warp",
    called: "a histogram of a tile",
    level: "tile",
    verify: givesCounts,
  },
  "tile.mma": {
    doc: "acc + A @ B, or A @ B where `accumulate` is false, as one group of products: fence, issue, commit. Asynchronous. With `metadata` A is what is stored of a sparse matrix, and they say where its elements stand.",
    ptx: "9.7.15.5.2",
    operands: { acc: "tile", a: "operand", b: "operand", metadata: "tile?", accumulate: "pred?" },
    attrs: { negate: ["", "A", "B"], ...running },
    result: "=acc",
    tied: "acc",
    effects: ["read.shared", "async", "proxy.async", "wgmma"],
    participants: "warpgroup",
    called: "wgmma",
    level: "tile",
    target: "sm_90a",
  },
  "tile.dot": {
    doc: "acc + A @ B, warp by warp: A and B lie as the operands of the accumulator's layout.",
    ptx: "9.7.14.5.14",
    operands: { acc: "tile", a: "tile", b: "tile" },
    result: "=acc",
    effects: ["sync"],
    participants: "warp",
    called: "a product of a warp (mma.sync)",
    level: "tile",
    verify: multiplies,
  },
  "operand.shared": {
    doc: "A matrix in shared memory as one side of a product.",
    operands: { view: "view" },
    ...makesOperand,
  },
  "operand.at": {
    doc: "The operand at that index of its leading dimension.",
    operands: { operand: "operand", stage: "offset" },
    ...makesOperand,
  },
  "operand.registers": {
    doc: "A tile as the left side of a product, whose words of 32 bits each thread has.",
    operands: { tile: "tile" },
    ...makesOperand,
    effects: ["wgmma"],
  },
  "map.at": {
    doc: "The tensor map that lies in 128 bytes of global memory.",
    operands: { view: "view" },
    result: "given",
    effects: [],
    level: "tile",
  },
  "map.replace": {
    doc: "Makes a map in global memory of another one, with another address, extents or strides (bytes; all but the innermost) where they are there, innermost first.",
    ...mapChange,
    operands: { ...mapChange.operands, address: "view?" },
    level: "tile",
  },
  "copy.async": {
    doc: "Global to shared by all threads that run here, each its pieces of `bytes` along a dimension (`cp.async`). What lies outside of the tensor is 0. How large the pieces are is open until the pass `vectorise`.",
    ptx: "9.7.9.25.3.1",
    operands: { dst: "view", src: "view" },
    attrs: {
      bytes: [0, 4, 8, 16],
      along: "number?",
      unmasked: "boolean?",
      cache: ["", "ca", "cg"],
      warps: "number",
      ...running,
    },
    effects: ["read.global", "write.shared", "async", "sync"],
    participants: "warpgroup",
    called: "a copy of a tile (cp.async)",
    level: "tile",
  },
  "copy.load": {
    doc: "Global to shared through a tensor map, box by box, completing its bytes on `bar`.",
    ...boxLoad,
    operands: { ...boxLoad.operands, dst: "view" },
    attrs: { ...map, ...boxHints },
    level: "tile",
  },
  "copy.store": {
    doc: "Shared to global through a tensor map, box by box, part of this thread's open bulk group.",
    ...boxStore,
    operands: { ...boxStore.operands, src: "view" },
    attrs: { ...map, ...boxHints },
    level: "tile",
  },
  "copy.reduce": {
    doc: "Like a store, but combines with what is there.",
    ...boxStore,
    operands: { ...boxStore.operands, src: "view" },
    attrs: { ...map, op: reductions, ...boxHints },
    effects: reduces,
    level: "tile",
  },
  "copy.bulk": {
    doc: "Global to shared without a tensor map: views in one piece, completing the bytes on `bar`.",
    operands: { dst: "view", src: "view", bar: "ptr.shared", multicast: "scalar?", pred: "pred?" },
    attrs: cacheHint,
    effects: loads,
    level: "tile",
    verify: (op) => (operandType(op, "dst") === undefined ? "copies to a view" : keepsHint(op)),
  },
  "copy.bulk_peer": {
    doc: "The shared memory of this block to that of another one of its cluster: views in one piece, completing the bytes on that block's `bar`.",
    operands: { dst: "view", src: "view", bar: "ptr.cluster", pred: "pred?" },
    effects: copiesToPeer,
    level: "tile",
  },
  "copy.bulk_store": {
    doc: "Shared to global without a tensor map: views in one piece, part of this thread's open bulk group.",
    operands: { dst: "view", src: "view", pred: "pred?" },
    attrs: cacheHint,
    effects: stores,
    level: "tile",
    verify: keepsHint,
  },
  "copy.bulk_reduce": {
    doc: "Like a bulk store, but combines with what is there.",
    operands: { dst: "view", src: "view", pred: "pred?" },
    attrs: { op: reductions, ...cacheHint },
    effects: reduces,
    level: "tile",
    verify: keepsHint,
  },
  "copy.bulk_prefetch": {
    doc: "Brings a view in one piece into the L2 cache.",
    operands: { src: "view", pred: "pred?" },
    effects: ["read.global", "async"],
    level: "tile",
  },
});
