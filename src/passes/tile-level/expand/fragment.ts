import { add, and, compare, constant, modulo, mul, shl, shr, xor } from "../../../ir/arith.ts";
import type { Emitter, TileType, Value } from "../../../ir/index.ts";
import type { InputDimension, LinearLayout } from "../../../layout/linear-layout.ts";
import { linearLayout, repeatedLanes, rowsEach, warpgroupsOf } from "../../../layout/tile-layout.ts";
import type { Expansion } from "./expansion.ts";

/** Where a thread's part of a tile begins: the row and column of its first element. Both i32. */
export interface Origin {
  readonly row: Value;
  readonly col: Value;
}

const warpInGroup = (e: Emitter): Value => and(e, e.once("warp.index", {}, {}), 3);
export const laneOf = (e: Emitter): Value => e.once("sreg", {}, { reg: "laneid" });

/** The warpgroups that run where an op stands: the number of the first, and how many. */
export type Running = readonly number[] | undefined;

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

/** What lane and warp make of a coordinate: the exclusive or of their parts, or the sum where these have no bit in common. Undefined where they make nothing. */
export function coordinate(e: Emitter, { inputs, outputs }: LinearLayout, name: string): Value | undefined {
  const at = outputs.findIndex((d) => d.name === name);
  let sum: Value | undefined;
  let taken = 0;
  for (const input of inputs.toReversed()) {
    if (input.name !== "lane" && input.name !== "warp") continue;
    for (const run of runsOf(input, at)) {
      const from = input.name === "lane" ? laneOf(e) : warpInGroup(e);
      const part = moved(e, from, input.bases.length, run);
      const bits = (2 ** run.count - 1) * run.adds;
      sum = !sum ? part : (taken & bits) === 0 ? add(e, sum, part) : xor(e, sum, part);
      taken |= bits;
    }
  }
  return sum;
}

/** The coordinates that lanes and warps give a coordinate: all that it may be. */
export function valuesOf({ inputs, outputs }: LinearLayout, name: string): readonly number[] {
  const at = outputs.findIndex((d) => d.name === name);
  const bases = inputs.filter((d) => d.name === "lane" || d.name === "warp").flatMap((d) => d.bases.map((b) => b[at] ?? 0));
  const all = [0];
  for (const x of bases) if (x > 0) for (const y of [...all]) all.push(y ^ x);
  return all;
}

/** A row of a warpgroup's part as a row of the tile. `group`: the warpgroup's number among those that share it. */
export const inTile = (e: Emitter, tile: TileType, row: Value, group: Value | undefined): Value =>
  group ? add(e, mul(e, group, rowsEach(tile)), row) : row;

/** Where each thread's first element of a tile is. */
export function originOf({ w }: Expansion, tile: TileType, running: Running): Origin {
  laneOf(w);
  const layout = linearLayout(tile);
  const row = coordinate(w, layout, "row") ?? constant(w, 0, "i32");
  const col = coordinate(w, layout, "col") ?? constant(w, 0, "i32");
  return { row: inTile(w, tile, row, groupIndex(w, tile, running)), col };
}

/** Whether this lane is the first of those that hold the same; undefined where each lane has elements of its own. */
export function isFirstHolder({ w }: Expansion, tile: TileType): Value | undefined {
  const mask = repeatedLanes(tile);
  return mask === 0 ? undefined : compare(w, "eq", and(w, laneOf(w), mask), 0);
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
