import { add, and, first, shl, toInt } from "../../../ir/arith.ts";
import { type TileType, typeName, type Value } from "../../../ir/index.ts";
import { elementPlaces, linearLayout, sharedOut } from "../../../layout/index.ts";
import { offsetIn } from "../../../layout/modes/index.ts";
import { load } from "./accesses.ts";
import { sharedAddress } from "./addresses.ts";
import { giveTiles } from "./elementwise.ts";
import { type Expand, type Expansion, tileOf } from "./expansion.ts";
import { laneOf, originOf, type Running } from "./fragment.ts";
import { indexOffset, type Offset, plus } from "./offset.ts";
import type { SharedParts, TileParts } from "./parts.ts";
import { shareTile } from "./tile-exchange.ts";
import { elementsOf } from "./tiles.ts";

/** What lies in a view of shared memory at the places of the indices, the coordinate along the axis being the index there. */
function looked(x: Expansion, view: SharedParts, indices: TileParts, axis: number, running: Running): readonly Value[] {
  const { w } = x;
  const { layout, dtype } = view.type;
  const from = originOf(x, indices.type, running)
    .flatMap((at, d) => (d === axis ? [] : [indexOffset(w, layout[d] ?? [], at, "i32")]))
    .reduce((a, b) => plus(w, a, b), view.offset);
  const own = elementsOf(w, indices);
  return elementPlaces(indices.type).map((place, i) => {
    const fixed = place.reduce((sum, n, d) => sum + (d === axis ? 0 : offsetIn(layout[d] ?? [], n)), 0);
    const along: Offset = indexOffset(w, layout[axis] ?? [], own[i] as Value, "i32");
    const at = plus(w, plus(w, from, along), { fixed, staged: undefined });
    return load(w, { space: "shared", dtype, address: () => sharedAddress(w, view, at) }, 1)[0] as Value;
  });
}

/** Where the lanes of a warp have all of an axis, one element each: the bits of a lane's number that are the coordinate. */
interface AxisLanes {
  readonly shift: number;
  readonly extent: number;
}

function axisLanes(tile: TileType, axis: number): AxisLanes | undefined {
  if (sharedOut(tile)?.dim === axis) return undefined;
  const { inputs, outputs } = linearLayout(tile);
  const extent = outputs[axis]?.size ?? 1;
  const basesOf = (name: string): readonly (readonly number[])[] => inputs.find((d) => d.name === name)?.bases ?? [];
  const lanes = basesOf("lane");
  const along = (bases: readonly (readonly number[])[]): number => bases.filter((basis) => basis[axis] !== 0).length;
  const shift = lanes.findIndex((basis) => basis[axis] === 1);
  const bits = Math.log2(extent);
  const inOrder = Array.from({ length: bits }, (_, bit) => lanes[shift + bit]).every((basis, bit) =>
    basis?.every((n, d) => n === (d === axis ? 2 ** bit : 0)),
  );
  const whole = shift >= 0 && inOrder && along(lanes) === bits && along(basesOf("register")) + along(basesOf("warp")) === 0;
  return whole ? { shift, extent } : undefined;
}

/** From the lane that has the element, of the same register: tile and indices lie alike. */
function shuffled({ w }: Expansion, tile: TileParts, indices: TileParts, { shift, extent }: AxisLanes): readonly Value[] {
  const from = elementsOf(w, indices).map((index) => {
    const others = and(w, laneOf(w), 31 & ~((extent - 1) << shift));
    return add(w, others, shl(w, and(w, toInt(w, index, "i32"), extent - 1), shift));
  });
  return elementsOf(w, tile).map((value, i) => first(w.emit("shfl", { value, by: from[i] as Value }, { mode: "idx" })));
}

const gathers: Expand<"tile.gather"> = (x, op) => {
  const tile = tileOf(x, op.operands.tile);
  const indices = tileOf(x, op.operands.indices);
  const { axis, warpgroups: running } = op.attrs;
  const alike = typeName({ ...tile.type, dtype: "i32" }) === typeName({ ...indices.type, dtype: "i32" });
  const lanes = alike ? axisLanes(tile.type, axis) : undefined;
  if (lanes) {
    giveTiles(x, op, [shuffled(x, tile, indices, lanes)]);
    return;
  }
  const view = shareTile(x, tile.type, elementsOf(x.w, tile), running);
  giveTiles(x, op, [looked(x, view, indices, axis, running)]);
};

/**
 * Elements by index: from lanes of the warp, where these have all of the axis; else all write the tile to shared memory, meet, and each thread reads
 * what its indices name.
 */
export const gatherRules = { "tile.gather": gathers } as const;
