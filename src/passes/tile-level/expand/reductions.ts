import { elementBytes } from "../../../base/element-types.ts";
import { add, constant, first, mul, shl } from "../../../ir/arith.ts";
import { isTile, type TileType, type Value } from "../../../ir/index.ts";
import { elementPlaces, sharersAlong, warpgroupsOf } from "../../../layout/index.ts";
import { load, store, toMemory } from "./accesses.ts";
import { combinationOf, tree } from "./combination.ts";
import { giveTiles } from "./elementwise.ts";
import { type Expand, type Expansion, tileOf } from "./expansion.ts";
import { groupIndex, isFirstHolder, laneBit, type Running, warpBit } from "./fragment.ts";
import type { SharedParts } from "./parts.ts";
import { sharedRuns } from "./shared-places.ts";
import { meet, movedBy, rowMajorLayout, scratchView } from "./tile-exchange.ts";
import { elementsOf } from "./tiles.ts";

/** One element of each tile. */
type Elements = readonly Value[];
type Combine = (a: Elements, b: Elements) => Elements;

/** Both in the order of lanes, so that all lanes combine the same. */
function ordered(x: Expansion, mask: number, own: Elements, other: Elements): readonly [Elements, Elements] {
  const upper = laneBit(x.w, mask);
  const choose = (yes: Elements, no: Elements): Elements =>
    yes.map((value, i) => x.w.once("select", { condition: upper, yes: value, no: no[i] as Value }, {}));
  return [choose(other, own), choose(own, other)];
}

/** Over the lanes that differ in these bits: each takes what the one opposite has, the lowest bit first. All of them end with the same. */
function butterflies(x: Expansion, lanes: readonly number[], own: Elements, combine: Combine, commutative: boolean): Elements {
  const { w } = x;
  return lanes.reduce((values, mask) => {
    const other = values.map((value) => first(w.emit("shfl", { value, by: constant(w, mask, "i32") }, { mode: "bfly" })));
    return commutative ? combine(values, other) : combine(...ordered(x, mask, values, other));
  }, own);
}

/** Who has parts of one row beside the warp itself. */
interface Others {
  /** Bits of a warp's number. */
  readonly warps: readonly number[];
  /** Warpgroups that share the tile out along the axis. */
  readonly warpgroups: number;
}

const countOf = ({ warps, warpgroups }: Others): number => 2 ** warps.length * warpgroups;

/** The number of a warp among those that have parts of one row. */
function numberAmong(x: Expansion, tile: TileType, running: Running, { warps, warpgroups }: Others): Value {
  const { w } = x;
  const bits = warps.map((mask, i) => shl(w, warpBit(w, tile, running, mask), i));
  const group = warpgroups > 1 ? groupIndex(w, tile, running) : undefined;
  const parts = group ? [...bits, shl(w, group, warps.length)] : bits;
  return parts.reduce((a, b) => add(w, a, b));
}

/** Over warps, through shared memory: each writes what it has for its rows, all meet, and each reads what all wrote. */
function fromWarps(
  x: Expansion,
  { tile, left, running }: { readonly tile: TileType; readonly left: TileType; readonly running: Running },
  others: Others,
  own: readonly Value[],
): readonly (readonly Value[])[] {
  const { w } = x;
  const { layout, bytes } = rowMajorLayout(left);
  const whole = scratchView(x, tile, running, left.dtype, layout, bytes * countOf(others));
  const runsIn = (view: SharedParts): ReturnType<typeof sharedRuns> =>
    sharedRuns(x, left, { view, divisor: elementBytes[left.dtype] }, running, { count: 1, dim: 0 });
  meet(x, tile, running);
  const mine = movedBy(x, whole, mul(w, numberAmong(x, tile, running, others), bytes));
  const holder = isFirstHolder(x, left, running, others);
  runsIn(mine).forEach(({ at }, i) => {
    store(w, at, [toMemory(w, left.dtype, own[i] as Value)], holder);
  });
  meet(x, tile, running);
  return Array.from({ length: countOf(others) }, (_, n) => {
    const part = { ...whole, offset: { fixed: n * bytes, staged: undefined } };
    return runsIn(part).map(({ at }) => load(w, at, 1)[0] as Value);
  });
}

/**
 * First each thread combines its own elements, in the order of its registers, as a tree; then the lanes that share a row exchange what they
 * have; then the warps that do. The order is always the same.
 */
const reduces: Expand<"tile.reduce"> = (x, op) => {
  const tiles = op.operands.tiles.map((tile) => tileOf(x, tile));
  const types = op.results.flatMap(({ type }) => (isTile(type) ? [type] : []));
  const [{ type: tile } = { type: undefined }, left] = [tiles[0], types[0]];
  if (!tile || !left) throw new TypeError("a reduction is of a tile");
  const { axis, commutative, warpgroups: running } = op.attrs;
  const sharers = sharersAlong(tile, axis);
  const others: Others = { warps: sharers.warps, warpgroups: sharers.warpgroups ? warpgroupsOf(tile) : 1 };
  const { of: combine } = combinationOf(x, op);
  const lists = tiles.map((t) => elementsOf(x.w, t));
  const rows = elementPlaces(tile).map((place) => place.toSpliced(axis, 1).join());
  const within = elementPlaces(left).map((place) => {
    const row = place.join();
    const own = rows.flatMap((r, i) => (r === row ? [lists.map((list) => list[i] as Value)] : []));
    return butterflies(x, sharers.lanes, tree(own, combine), combine, commutative);
  });
  const ofTile = (all: readonly Elements[]): readonly (readonly Value[])[] => types.map((_, t) => all.map((v) => v[t] as Value));
  if (countOf(others) === 1) {
    giveTiles(x, op, ofTile(within));
    return;
  }
  const gathered = types.map((type, t) =>
    fromWarps(
      x,
      { tile, left: type, running },
      others,
      within.map((v) => v[t] as Value),
    ),
  );
  const all = within.map((_, i) =>
    tree(
      Array.from({ length: countOf(others) }, (_, n) => gathered.map((parts) => parts[n]?.[i] as Value)),
      combine,
    ),
  );
  giveTiles(x, op, ofTile(all));
};

/** Reductions of tiles follow their layouts: over the registers of a thread, then over lanes, then over warps. */
export const reductionRules = { "tile.reduce": reduces } as const;
