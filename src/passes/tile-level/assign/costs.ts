/**
 * What layouts cost, in wavefronts of one warp: roughly the cycles in which a multiprocessor does nothing else for it. A sector of global memory counts as two of
 * shared memory, a shuffle with what chooses its registers as three, a barrier as twenty.
 */

import { elementBytes } from "../../../base/element-types.ts";
import { getOrMake } from "../../../base/get-or-make.ts";
import { isView, type TileType } from "../../../ir/index.ts";
import {
  conversionCost,
  elementPlaces,
  layoutText,
  type Spread,
  sectorsOf,
  sharedOut,
  sharedWavefrontsOf,
  sharersAlong,
  type TileLayout,
} from "../../../layout/index.ts";
import { dimensionParts, type Facts } from "../../facts/index.ts";
import { type Access, accessOf, placesOf } from "../tile-accesses.ts";

const sector = 2;
const shuffle = 3;
const barrier = 20;

const held = new WeakMap<TileLayout, Map<string, number>>();

/** Elements that each thread holds. */
function heldBy(tile: Spread): number {
  const known = getOrMake(held, tile.layout, () => new Map());
  const shape = tile.shape.join();
  return getOrMake(known, shape, () => elementPlaces(tile).length);
}

const conversions = new Map<string, number>();

/** From one layout to another; infinite where there is no way. */
export function costOfConversion(from: Spread, to: Spread, bytes: number): number {
  const key = `${bytes} ${from.shape.join("x")} ${layoutText(from.layout)} > ${layoutText(to.layout)}`;
  let cost = conversions.get(key);
  if (cost === undefined) {
    cost = conversionOnce(from, to, bytes);
    if (conversions.size > 10_000) conversions.clear();
    conversions.set(key, cost);
  }
  return cost;
}

function conversionOnce(from: Spread, to: Spread, bytes: number): number {
  const words = Math.max(1, bytes / 4);
  const found = conversionCost(from, to, bytes);
  switch (found?.kind) {
    case undefined:
      return Number.POSITIVE_INFINITY;
    case "rename":
      return 0;
    case "shuffles":
      return shuffle * found.count * words;
    case "shared":
      return (found.stores + found.loads) * words + 2 * barrier;
  }
}

/** The strides of a view of a tensor, in elements; undefined where nobody knows one. */
export function stridesOf(facts: Facts, { operands: { view } }: Access): readonly (number | undefined)[] {
  if (!isView(view.type) || view.type.space !== "global") return [];
  const parts = facts.view(view);
  return view.type.dims.map(({ stride }, d) => {
    const known = parts[dimensionParts.first + d * dimensionParts.count + 2]?.key;
    return stride ?? (typeof known === "number" ? known : undefined);
  });
}

/** An access of a tile of that type. */
export function costOfAccess(facts: Facts, op: Access, tile: TileType): number {
  const { view } = op.operands;
  if (!isView(view.type)) throw new TypeError("no access of a tile");
  const bytes = elementBytes[view.type.dtype];
  const moving = { tile, access: accessOf(facts, op, tile), elementBytes: bytes, isStore: op.name !== "tile.load" };
  if (view.type.space === "global") return sector * sectorsOf(moving, stridesOf(facts, op));
  return sharedWavefrontsOf(moving, placesOf(view.type, facts.view(view)));
}

/** A reduction or a scan along an axis. RangeError where a layout has none. */
export function costOfCombining(tile: Spread, axis: number, isScan: boolean): number {
  if (isScan && sharedOut(tile)?.dim === axis) throw new RangeError("warpgroups share the axis out");
  const { lanes, warps, warpgroups } = sharersAlong(tile, axis);
  const own = heldBy(tile);
  const rows = isScan ? own : new Set(elementPlaces(tile).map((place) => place.toSpliced(axis, 1).join())).size;
  const others = 2 ** warps.length;
  const between = warps.length > 0 || warpgroups ? 2 * barrier + rows * (1 + others) : 0;
  return own + rows * lanes.length * shuffle + between;
}

/** What goes through each element once. */
export const costOfMap = (tile: Spread): number => heldBy(tile);
