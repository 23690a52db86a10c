import { first } from "../../ir/arith.ts";
import { type TileType, typeName } from "../../ir/index.ts";
import { isAuto } from "../../layout/index.ts";
import { joinedLayout, splitLayout } from "../../layout/modes/index.ts";
import { failHere } from "../trace/fail-here.ts";
import { closedAs } from "../trace/open-tiles.ts";
import { type StagedTile, tileOf } from "../trace/staged-tile.ts";
import type { Trace } from "../trace/trace.ts";

const shapeText = ({ type }: StagedTile): string => `[${type.shape.join(", ")}]`;

/** Two tiles as one with a last dimension of 2. W6201, W6202, W6215. */
export function joinTiles(trace: Trace, a: StagedTile, b: StagedTile, name: string): StagedTile {
  const what = `this \`${name}\``;
  if (shapeText(a) !== shapeText(b)) failHere("W6202", { what: `\`${name}\``, a: a.what, b: b.what });
  if (a.type.dtype !== b.type.dtype)
    failHere("W6215", {
      what,
      why: `the tiles are of ${a.type.dtype} and ${b.type.dtype}`,
      fix: `convert one of them: \`${a.type.dtype === "bool" ? b.type.dtype : a.type.dtype}(x)\``,
    });
  const like = isAuto(a.type.layout) ? b.type.layout : a.type.layout;
  return joinAlike(trace, closedAs(trace, a, like), closedAs(trace, b, like), name);
}

/** W6201, W6215. */
function joinAlike(trace: Trace, a: StagedTile, b: StagedTile, name: string): StagedTile {
  const what = `this \`${name}\``;
  const lying = ({ type }: StagedTile): string => typeName(type).replace(/^tile<"\S+ |">$/g, "");
  if (lying(a) !== lying(b)) failHere("W6201", { what: `\`${name}\``, a: lying(a), b: lying(b) });
  const layout =
    joinedLayout(a.type) ??
    failHere("W6215", {
      what,
      why: "an extent is no power of two, or several warpgroups share the tiles",
      fix: "convert them first to a layout whose extents are powers of two: `tile.convertLayout(x, layout)`",
    });
  const type: TileType = { kind: "tile", dtype: a.type.dtype, shape: [...a.type.shape, 2], layout };
  return tileOf(first(trace.emit("tile.join", { tiles: [a.value, b.value] }, {}, { types: [type] })), type);
}

/** The halves of a tile along its last dimension, as the author sees them. W6215. */
export function splitTile(trace: Trace, tile: StagedTile): readonly [never, never] {
  const what = "this `tile.split`";
  const { shape, dtype } = tile.type;
  if (shape.length < 2 || shape.at(-1) !== 2)
    failHere("W6215", {
      what,
      why: `the tile is ${shapeText(tile)}`,
      fix: "give a tile with a last dimension of 2 after others, as `tile.join` or `tile.reshape(x, [n, 2])` makes it",
    });
  const layout =
    splitLayout(tile.type) ??
    failHere("W6215", {
      what,
      why: "not every thread holds both elements of each pair",
      fix: "convert it first to a layout with two elements beside each other in a thread, such as `perThread: [1, 2]`",
    });
  const type: TileType = { kind: "tile", dtype, shape: shape.slice(0, -1), layout };
  const [a, b] = trace.emit("tile.split", { tile: tile.value }, {}, { types: [type, type] }).results;
  if (!a || !b) throw new Error("a split gives two tiles");
  return [tileOf(a, type), tileOf(b, type)];
}
