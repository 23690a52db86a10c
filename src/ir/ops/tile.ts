import { sliceOf } from "../../layout/tile-layout.ts";
import { isOperand, isTile, typeName } from "../types.ts";
import { operandType, type RawOp } from "../value.ts";
import type { TileType } from "../view-types.ts";
import { defineOps } from "./define-ops.ts";
import { hints, reductions } from "./tma.ts";

const gives = (op: RawOp, is: "tile" | "operand"): string | undefined => {
  const [result, ...more] = op.results;
  const fits = result && (is === "tile" ? isTile(result.type) : isOperand(result.type)) && more.length === 0;
  return fits ? undefined : is === "tile" ? "gives one tile" : "gives one operand";
};
const givesTile = (op: RawOp): string | undefined => gives(op, "tile");
/** What a reduction leaves of a tile, printed. */
const leftOf = (t: TileType, axis: number): string => typeName({ kind: "tile", dtype: t.dtype, ...sliceOf(t, axis) });
/** What a reduction leaves lies as the tile did. */
function givesSlice(op: RawOp): string | undefined {
  const [from, [to, ...more]] = [operandType(op, "tile"), op.results];
  const axis = Number(op.attrs.axis);
  if (!from || !isTile(from) || !(axis >= 0 && axis < from.shape.length)) return "reduces a tile along one of its dimensions";
  const left = leftOf(from, axis);
  return to && typeName(to.type) === left && more.length === 0 ? undefined : `gives one ${left}`;
}
/** What there is for each row goes beside a matrix of these rows. */
function givesMatrix(op: RawOp): string | undefined {
  const [from, [to, ...more]] = [operandType(op, "tile"), op.results];
  if (!from || !isTile(from) || from.layout.kind !== "slice") return "expands what a reduction left";
  const fits = to && isTile(to.type) && leftOf(to.type, from.layout.axis) === typeName(from);
  return fits && more.length === 0 ? undefined : `gives one tile that a reduction makes ${typeName(from)} of`;
}
const givesOperand = (op: RawOp): string | undefined => gives(op, "operand");

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

/** Matrices over the registers of a warpgroup, products of them, and asynchronous copies of views. */
export const tileOps = defineOps({
  "tile.zero": { doc: "Zeros.", operands: {}, result: "given", effects: [], level: "tile", verify: givesTile },
  "tile.load": {
    doc: "A tile from memory; what lies outside a tensor is `other`, or 0.",
    operands: { view: "view", other: "scalar?" },
    attrs: { ...access, ...running },
    result: "given",
    effects: ["read.global", "read.shared"],
    level: "tile",
    verify: givesTile,
  },
  "tile.store": {
    doc: "A tile to memory; elements outside a tensor are not written.",
    operands: { tile: "tile", view: "view" },
    attrs: { ...access, ...running },
    effects: ["write.global", "write.shared"],
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
  "tile.reduce": {
    doc: "The elements of each row combined (`axis` 1), or of each column (0). Only after a covering wait.",
    operands: { tile: "tile" },
    attrs: { axis: "number", op: ["add"] },
    result: "given",
    effects: ["sync", "wgmma"],
    participants: "warp",
    called: "a reduction of a tile",
    level: "tile",
    verify: givesSlice,
  },
  "tile.expand": {
    doc: "For each element of a matrix what there is for its row, or for its column: the matrix that a reduction took it from, or one of as many.",
    operands: { tile: "tile" },
    result: "given",
    effects: [],
    level: "tile",
    verify: givesMatrix,
  },
  "tile.mma": {
    doc: "acc + A @ B, or A @ B where `accumulate` is false, as one group of products: fence, issue, commit. Asynchronous.",
    ptx: "9.7.15.5.2",
    operands: { acc: "tile", a: "operand", b: "operand", accumulate: "pred?" },
    attrs: { negate: ["", "A", "B"], ...running },
    result: "=acc",
    tied: "acc",
    effects: ["read.shared", "async", "proxy.async", "wgmma"],
    participants: "warpgroup",
    called: "wgmma",
    level: "tile",
    target: "sm_90a",
  },
  "operand.shared": {
    doc: "A matrix in shared memory as one side of a product.",
    operands: { view: "view" },
    result: "given",
    effects: [],
    level: "tile",
    verify: givesOperand,
  },
  "operand.at": {
    doc: "The operand at that index of its leading dimension.",
    operands: { operand: "operand", stage: "offset" },
    result: "given",
    effects: [],
    level: "tile",
    verify: givesOperand,
  },
  "operand.registers": {
    doc: "A tile of 16-bit elements as the left side of a product.",
    operands: { tile: "tile" },
    result: "given",
    effects: ["wgmma"],
    level: "tile",
    verify: givesOperand,
  },
  "copy.load": {
    doc: "Global to shared through a tensor map, box by box, completing its bytes on `bar`.",
    operands: {
      dst: "view",
      map: "tensormap",
      bar: "ptr.shared",
      coords: "i32*",
      offsets: "scalar*",
      multicast: "scalar?",
      pred: "pred?",
    },
    attrs: { ...map, cacheHint: hints },
    effects: ["read.global", "write.shared", "write.barrier", "async", "proxy.async"],
    level: "tile",
  },
  "copy.store": {
    doc: "Shared to global through a tensor map, box by box, part of this thread's open bulk group.",
    operands: { src: "view", map: "tensormap", coords: "i32*", pred: "pred?" },
    attrs: { ...map, cacheHint: hints },
    effects: ["read.shared", "write.global", "async", "proxy.async"],
    level: "tile",
  },
  "copy.reduce": {
    doc: "Like a store, but combines with what is there.",
    operands: { src: "view", map: "tensormap", coords: "i32*", pred: "pred?" },
    attrs: { ...map, op: reductions },
    effects: ["read.shared", "read.global", "write.global", "async", "proxy.async"],
    level: "tile",
  },
  "copy.bulk": {
    doc: "Global to shared without a tensor map: views in one piece, completing the bytes on `bar`.",
    operands: { dst: "view", src: "view", bar: "ptr.shared" },
    effects: ["read.global", "write.shared", "write.barrier", "async", "proxy.async"],
    level: "tile",
    verify: (op) => (operandType(op, "dst") === undefined ? "copies to a view" : undefined),
  },
});
