/** What the operands and results of an op on tiles must be, beyond what its declaration says. Each gives what is wrong, or undefined. */

import { autoOfRank, elementsPerThread, expandedAxis, isAuto, layoutText, sliceOf } from "../../layout/index.ts";
import { joinedLayout, splitLayout } from "../../layout/modes/index.ts";
import { isMmaInput, isMmaSum, mmaExists, mmaWidth } from "../mma-shapes.ts";
import { isOperand, isTile, registerType, type Type, typeName } from "../types.ts";
import { operandType, type RawOp } from "../value.ts";
import type { TileType } from "../view-types.ts";

const gives = (op: RawOp, is: "tile" | "operand"): string | undefined => {
  const [result, ...more] = op.results;
  const fits = result && (is === "tile" ? isTile(result.type) : isOperand(result.type)) && more.length === 0;
  return fits ? undefined : is === "tile" ? "gives one tile" : "gives one operand";
};
export const givesTile = (op: RawOp): string | undefined => gives(op, "tile");
const tilesIn = (values: readonly { readonly type: Type }[]): readonly TileType[] =>
  values.flatMap(({ type }) => (isTile(type) ? [type] : []));
export function tileOperands({ operands }: RawOp): readonly TileType[] {
  const list = operands.tiles;
  return Array.isArray(list) ? tilesIn(list as readonly { readonly type: Type }[]) : [];
}
export const tileResults = ({ results }: RawOp): readonly TileType[] => tilesIn(results);
export const tileOperand = (op: RawOp): TileType | undefined => {
  const type = operandType(op, "tile");
  return type && isTile(type) ? type : undefined;
};
export const elementOf = (type: Type | undefined): Type | undefined =>
  type && isTile(type) ? registerType(type.dtype) : undefined;
export const elementsOf = (tiles: readonly TileType[]): readonly Type[] => tiles.map(({ dtype }) => registerType(dtype));
/** Have the tiles one shape, and lie alike? */
export const lieAlike = (tiles: readonly TileType[]): boolean =>
  tiles.every(
    ({ shape, layout }) => shape.join() === tiles[0]?.shape.join() && layoutText(layout) === layoutText(tiles[0].layout),
  );

/** What a reduction leaves of a tile, printed. */
const leftOf = (t: TileType, axis: number): string => typeName({ kind: "tile", dtype: t.dtype, ...sliceOf(t, axis) });
/** What a reduction leaves lies as the tile did. */
export function givesSlice(op: RawOp): string | undefined {
  const axis = Number(op.attrs.axis);
  const from = tileOperands(op);
  if (!lieAlike(from) || !(axis >= 0 && axis < (from[0]?.shape.length ?? 0)))
    return "reduces tiles that lie alike along one of their dimensions";
  const left = from.map((t) => leftOf(t, axis));
  return String(tileResults(op).map(typeName)) === String(left) ? undefined : `gives ${left.join(", ")}`;
}
const count = ({ shape }: TileType): number => shape.reduce((n, extent) => n * extent, 1);
/** Of as many elements: in each thread, where it is known which it has. */
export const asMany = (from: TileType, to: TileType): boolean =>
  isAuto(from.layout) || isAuto(to.layout)
    ? isAuto(from.layout) && isAuto(to.layout) && count(from) === count(to)
    : elementsPerThread(from) === elementsPerThread(to);
/** What there is for each row goes beside a tile of these rows. */
export function givesExpanded(op: RawOp): string | undefined {
  const [from, to] = [tileOperand(op), tileResults(op)[0]];
  if (from && to && isAuto(from.layout)) {
    const same = layoutText(to.layout) === layoutText(autoOfRank(from.layout, to.shape.length));
    const fits = to.dtype === from.dtype && expandedAxis(from.shape, to.shape) !== undefined;
    return same && fits ? undefined : "gives a tile with one dimension more, of one element";
  }
  if (from?.layout.kind !== "slice") return "expands what a reduction left";
  const { axis } = from.layout;
  return to?.shape[axis] === 1 && leftOf(to, axis) === typeName(from)
    ? undefined
    : "gives a tile with one dimension more, of one element";
}
/** The type of two tiles of this one side by side, and of either half of this one, printed. */
const joinedOf = (t: TileType): string | undefined => {
  const layout = joinedLayout(t);
  return layout && typeName({ kind: "tile", dtype: t.dtype, shape: [...t.shape, 2], layout });
};
const halfOf = (t: TileType): string | undefined => {
  const layout = splitLayout(t);
  return layout && typeName({ kind: "tile", dtype: t.dtype, shape: t.shape.slice(0, -1), layout });
};
export function givesJoined(op: RawOp): string | undefined {
  const [a, b, ...more] = tileOperands(op);
  if (!a || !b || more.length > 0 || typeName(a) !== typeName(b)) return "joins two tiles of one type";
  const joined = joinedOf(a);
  return joined && String(tileResults(op).map(typeName)) === joined ? undefined : `gives ${joined ?? "no tile of these"}`;
}
/** How many elements there are of each number. */
export function givesCounts(op: RawOp): string | undefined {
  const [from, [to, ...more]] = [tileOperand(op), tileResults(op)];
  if (!from || !/^[iu]32$/.test(from.dtype)) return "counts elements of i32 or u32";
  return to?.dtype === "i32" && to.shape.length === 1 && more.length === 0 ? undefined : "gives a tile of i32 with one dimension";
}
/** Of each place of the indices an element of the tile. */
export function givesGathered(op: RawOp): string | undefined {
  const [from, indices] = [tileOperand(op), operandType(op, "indices")];
  if (!from || !indices || !isTile(indices) || !/^[iu]32$/.test(indices.dtype)) return "takes tiles, the indices of i32 or u32";
  const axis = Number(op.attrs.axis);
  const alike = indices.shape.length === from.shape.length && from.shape.every((n, d) => d === axis || n === indices.shape[d]);
  if (!alike || !(axis in from.shape)) return "takes tiles whose shapes differ along the axis alone";
  const wanted = typeName({ ...indices, dtype: from.dtype });
  return String(tileResults(op).map(typeName)) === wanted ? undefined : `gives ${wanted}`;
}
export function givesHalves(op: RawOp): string | undefined {
  const from = tileOperand(op);
  const half = from && halfOf(from);
  if (!half) return "splits a tile of which each thread holds whole pairs";
  return String(tileResults(op).map(typeName)) === String([half, half]) ? undefined : `gives ${half}, twice`;
}
/** Do A and B lie as the accumulator's layout asks for, and do their shapes and types meet? */
export function multiplies(op: RawOp): string | undefined {
  const [acc, a, b] = ["acc", "a", "b"].map((name) => operandType(op, name) as TileType);
  if (!acc || !a || !b || acc.layout.kind !== "mma") return "adds to a tile in a layout of mma";
  const { warps } = acc.layout;
  const side = (t: TileType, operand: "A" | "B"): boolean =>
    isMmaInput(t.dtype) && layoutText(t.layout) === layoutText({ kind: "mma operand", operand, width: mmaWidth(t.dtype), warps });
  if (!side(a, "A") || !side(b, "B")) return "takes operands of the accumulator's layout";
  const [m, k] = a.shape;
  const fits = b.shape[0] === k && acc.shape[0] === m && acc.shape[1] === b.shape[1];
  const exists = isMmaInput(a.dtype) && isMmaInput(b.dtype) && isMmaSum(acc.dtype) && mmaExists(a.dtype, b.dtype, acc.dtype);
  return fits && exists ? undefined : `has no product of ${typeName(a)} and ${typeName(b)} in ${typeName(acc)}`;
}

export const givesOperand = (op: RawOp): string | undefined => gives(op, "operand");
