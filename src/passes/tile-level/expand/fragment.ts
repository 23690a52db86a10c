import { add, and, both, compare, constant, modulo, mul, shl, shr, xor } from "../../../ir/arith.ts";
import type { Emitter, TileType, Value } from "../../../ir/index.ts";
import type { InputDimension, LinearLayout } from "../../../layout/index.ts";
import { linearLayout, repeatedLanes, repeatedWarps, sharedOut, warpgroupsOf, warpsOf } from "../../../layout/index.ts";
import type { Expansion } from "./expansion.ts";

/** Where a thread's part of a tile begins: the coordinates of its first element, in i32. */
export type Origin = readonly Value[];

export const laneOf = (e: Emitter): Value => e.once("sreg", {}, { reg: "laneid" });

/** The warpgroups that run where an op stands: the number of the first, and how many. */
export type Running = readonly number[] | undefined;

/** The number of the warp among those of its part of the tile. */
function warpInPart(e: Emitter, tile: TileType, [start = 0]: readonly number[] = []): Value {
  const index = e.once("warp.index", {}, {});
  return warpsOf(tile) === undefined ? and(e, index, 3) : start > 0 ? add(e, index, -4 * start) : index;
}

/** Neighbouring bits of a number that are as many neighbouring bits of a coordinate. */
interface Run {
  readonly bit: number;
  readonly count: number;
  /** What the lowest of them adds. */
  readonly adds: number;
}

/** The runs of bits that add to the coordinate of that number. */
function runsOf({ bases }: InputDimension, coordinate: number): readonly Run[] {
  const runs: Run[] = [];
  bases.forEach((basis, bit) => {
    const adds = basis[coordinate] ?? 0;
    const last = runs.at(-1);
    if (adds === 0) return;
    if (last && last.bit + last.count === bit && last.adds * 2 ** last.count === adds)
      runs[runs.length - 1] = { ...last, count: last.count + 1 };
    else runs.push({ bit, count: 1, adds });
  });
  return runs;
}

/** The bits of a run, moved to where they are in the coordinate. `width`: bits that the number has. */
function moved(e: Emitter, from: Value, width: number, { bit, count, adds }: Run): Value {
  const low = shr(e, from, bit);
  const bits = bit + count === width ? low : and(e, low, 2 ** count - 1);
  return shl(e, bits, Math.log2(adds));
}

/** What the bits of a number make of a coordinate, where what they add has no bit in common. */
export function partsOf(e: Emitter, from: Value, input: InputDimension, d: number): Value | undefined {
  const parts = runsOf(input, d).map((run) => moved(e, from, input.bases.length, run));
  return parts.length === 0 ? undefined : parts.reduce((sum, part) => add(e, sum, part));
}

/** What lane and warp make of coordinate `d`: the exclusive or of their parts, or the sum where these have no bit in common. Undefined where they make nothing. */
export function coordinate(
  e: Emitter,
  tile: TileType,
  running: Running,
  d: number,
  { inputs } = linearLayout(tile),
): Value | undefined {
  let sum: Value | undefined;
  let taken = 0;
  for (const input of inputs.toReversed()) {
    if (input.name !== "lane" && input.name !== "warp") continue;
    for (const run of runsOf(input, d)) {
      const from = input.name === "lane" ? laneOf(e) : warpInPart(e, tile, running);
      const part = moved(e, from, input.bases.length, run);
      const bits = (2 ** run.count - 1) * run.adds;
      sum = !sum ? part : (taken & bits) === 0 ? add(e, sum, part) : xor(e, sum, part);
      taken |= bits;
    }
  }
  return sum;
}

/** What lanes and warps make of coordinate `d`: all that it may be. */
export function valuesOf({ inputs }: LinearLayout, d: number): readonly number[] {
  const bases = inputs.filter(({ name }) => name === "lane" || name === "warp").flatMap((i) => i.bases.map((b) => b[d] ?? 0));
  const all = [0];
  for (const x of bases) if (x > 0) for (const y of [...all]) all.push(y ^ x);
  return all;
}

/** A coordinate in a warpgroup's part as one of the tile. `group`: the warpgroup's number among those that share it. */
export function inTile(e: Emitter, tile: TileType, d: number, at: Value, group: Value | undefined): Value {
  const out = sharedOut(tile);
  return group && out?.dim === d ? add(e, mul(e, group, out.each), at) : at;
}

/** Where each thread's first element of a tile is. */
export function originOf({ w }: Expansion, tile: TileType, running: Running): Origin {
  laneOf(w);
  const parts = tile.shape.map((_, d) => coordinate(w, tile, running, d) ?? constant(w, 0, "i32"));
  return parts.map((at, d) => inTile(w, tile, d, at, sharedOut(tile)?.dim === d ? groupIndex(w, tile, running) : undefined));
}

/** The number of the warp among all that hold the tile, here. */
export const warpNumber = (e: Emitter, tile: TileType, running: Running): Value => {
  const [start = 0] = running ?? [];
  if (warpsOf(tile) === undefined && warpgroupsOf(tile) === 1) return warpInPart(e, tile, running);
  return add(e, e.once("warp.index", {}, {}), -4 * start);
};

/** Is that bit of the lane's number set? */
export const laneBit = (e: Emitter, mask: number): Value => compare(e, "ne", and(e, laneOf(e), mask), 0);
/** That bit of the warp's number among the warps of its part of the tile: 0 or 1. */
export const warpBit = (e: Emitter, tile: TileType, running: Running, mask: number): Value =>
  and(e, shr(e, warpInPart(e, tile, running), Math.log2(mask)), 1);

/**
 * Whether this thread is the first of those that hold the same; undefined where each thread has elements of its own. `but`: of warps that
 * differ in these bits of their number, and of warpgroups where there are several, each counts for itself.
 */
export function isFirstHolder(
  { w }: Expansion,
  tile: TileType,
  running: Running,
  but: { readonly warps: readonly number[]; readonly warpgroups: number } = { warps: [], warpgroups: 1 },
): Value | undefined {
  const lanes = repeatedLanes(tile);
  const warps = but.warps.reduce((mask, bit) => mask & ~bit, repeatedWarps(tile));
  const repeated = warpgroupsOf(tile) > 1 && !sharedOut(tile) && but.warpgroups === 1;
  const group = repeated ? groupIndex(w, tile, running) : undefined;
  const firsts = [
    lanes === 0 ? undefined : compare(w, "eq", and(w, laneOf(w), lanes), 0),
    warps === 0 ? undefined : compare(w, "eq", and(w, warpInPart(w, tile, running), warps), 0),
    group && compare(w, "eq", group, 0),
  ];
  return firsts.reduce((all, one) => both(w, all, one));
}

/** This warpgroup's number among those that share a tile; undefined where it is alone. */
export function groupIndex(
  e: Emitter,
  tile: TileType,
  [start = 0, count = warpgroupsOf(tile)]: readonly number[] = [],
): Value | undefined {
  const warpgroups = warpgroupsOf(tile);
  if (warpgroups === 1) return undefined;
  const index = shr(e, e.once("warp.index", {}, {}), 2);
  const here = add(e, index, -start);
  return count === warpgroups ? here : modulo(e, here, warpgroups);
}
