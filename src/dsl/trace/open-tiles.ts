/** Tiles whose layout is open: the pass `assign-layouts` chooses it. What the tracer does where one meets a tile whose layout the author gave. */
import { first } from "../../ir/arith.ts";
import { isTile, type TileType, type Value } from "../../ir/index.ts";
import { type AutoLayout, isAuto, layoutText, type TileLayout } from "../../layout/index.ts";
import { failHere } from "./fail-here.ts";
import { runningHere, warpsHere } from "./partition.ts";
import { type StagedTile, tileOf } from "./staged-tile.ts";
import type { Trace } from "./trace.ts";

/** The layout of a tile that is made here without one. */
export function openLayout(trace: Trace, rank: number): AutoLayout {
  const { first: from, count } = runningHere(trace);
  return { kind: "auto", rank, over: warpsHere(trace), groups: [from, count] };
}

/** Its elements may have to be exchanged, which all its warps do together: those that run here. W6204. */
export function checkOpenHere(trace: Trace, { layout }: TileType): void {
  if (isAuto(layout) && layoutText(layout) !== layoutText(openLayout(trace, layout.rank)))
    failHere("W6204", { layout: layout.over, here: warpsHere(trace) });
}

function converted(trace: Trace, value: Value, type: TileType): Value {
  const { first: from, count } = runningHere(trace);
  return first(trace.emit("tile.convert_layout", { tile: value }, { warpgroups: [from, count], auto: true }, { types: [type] }));
}

/** The value as a tile of that type, which differs in the layout alone, and where one of the two layouts is open; else undefined. */
export function adaptedTo(trace: Trace, value: Value, wanted: Value["type"]): Value | undefined {
  const { type } = value;
  if (!isTile(type) || !isTile(wanted) || type.dtype !== wanted.dtype || String(type.shape) !== String(wanted.shape))
    return undefined;
  if (layoutText(type.layout) === layoutText(wanted.layout)) return value;
  if (isAuto(type.layout) === isAuto(wanted.layout)) return undefined;
  return converted(trace, value, wanted);
}

/** The tile in that layout, where its own is open; else the tile. */
export function closedAs(trace: Trace, tile: StagedTile, layout: TileLayout): StagedTile {
  if (!isAuto(tile.type.layout) || isAuto(layout)) return tile;
  const type: TileType = { ...tile.type, layout };
  return tileOf(converted(trace, tile.value, type), type);
}
