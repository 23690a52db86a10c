import { first } from "../../ir/arith.ts";
import { isMmaInput, isMmaSum, mmaDepth, mmaExists, mmaWidth, type TileType } from "../../ir/index.ts";
import { layoutText } from "../../layout/tile-layout.ts";
import { failHere } from "../trace/fail-here.ts";
import { type StagedTile, tileOf } from "../trace/staged-tile.ts";
import type { Trace } from "../trace/trace.ts";

/** Why there is no product of these, whatever their layouts; undefined where there is one. */
function problem(a: TileType, b: TileType, acc: TileType): string | undefined {
  if ([a, b, acc].some(({ shape }) => shape.length !== 2)) return "they are no matrices";
  const [[m = 0, k = 0], [depth, n = 0]] = [a.shape, b.shape];
  if (depth !== k || acc.shape[0] !== m || acc.shape[1] !== n) return "their shapes do not meet";
  if (!isMmaInput(a.dtype) || !isMmaInput(b.dtype) || !isMmaSum(acc.dtype) || !mmaExists(a.dtype, b.dtype, acc.dtype))
    return "the tensor cores do not multiply these types so";
  if (m < 16 || n < 8) return "one instruction has 16 rows and 8 columns";
  return mmaDepth(a.dtype, k) ? undefined : `no instruction on ${a.dtype} has a K that divides ${k}`;
}

/** The product added to a tile of an `MMALayout`. W6213, W6214. */
export function dotTiles(trace: Trace, a: StagedTile, b: StagedTile, acc: StagedTile): never {
  const why = problem(a.type, b.type, acc.type);
  if (why !== undefined) return failHere("W6214", { a: a.what, b: b.what, acc: acc.what, why });
  const { layout } = acc.type;
  if (layout.kind !== "mma") return failHere("W6213", { what: "C", wanted: "mma", given: layoutText(layout) });
  for (const [operand, { type }] of [["A", a] as const, ["B", b] as const]) {
    const width = isMmaInput(type.dtype) ? mmaWidth(type.dtype) : 1;
    const wanted = layoutText({ kind: "mma operand", operand, width, warps: layout.warps });
    const given = layoutText(type.layout);
    if (given !== wanted) failHere("W6213", { what: operand, wanted, given });
  }
  return tileOf(first(trace.emit("tile.dot", { acc: acc.value, a: a.value, b: b.value }, {})), acc.type);
}
