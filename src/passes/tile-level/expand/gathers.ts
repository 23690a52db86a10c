import type { Value } from "../../../ir/index.ts";
import { offsetIn } from "../../../layout/modes.ts";
import { elementPlaces } from "../../../layout/tile-layout.ts";
import { load } from "./accesses.ts";
import { sharedAddress } from "./addresses.ts";
import { giveTiles } from "./elementwise.ts";
import { type Expand, type Expansion, tileOf } from "./expansion.ts";
import { originOf, type Running } from "./fragment.ts";
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

const gathers: Expand<"tile.gather"> = (x, op) => {
  const tile = tileOf(x, op.operands.tile);
  const { axis, warpgroups: running } = op.attrs;
  const view = shareTile(x, tile.type, elementsOf(x.w, tile), running);
  giveTiles(x, op, [looked(x, view, tileOf(x, op.operands.indices), axis, running)]);
};

/** Elements by index: all write the tile to shared memory, meet, and each thread reads what its indices name. */
export const gatherRules = { "tile.gather": gathers } as const;
