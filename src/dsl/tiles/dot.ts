import { first } from "../../ir/arith.ts";
import { isMmaInput, isMmaSum, mmaDepth, mmaExists, mmaWidth, type TileType } from "../../ir/index.ts";
import {
  type AutoLayout,
  isAuto,
  layoutText,
  type MmaLayout,
  type TileLayout,
  warpgroupsOf,
  warpsOf,
} from "../../layout/index.ts";
import { failHere } from "../trace/fail-here.ts";
import { closedAs } from "../trace/open-tiles.ts";
import { type StagedTile, tileOf } from "../trace/staged-tile.ts";
import type { Trace } from "../trace/trace.ts";
import { warpgroupsMeeting } from "./access.ts";

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

/** Where it is left to the compiler: as many warps along the rows as there are 16 rows for, the others along the columns. */
function productLayout({ shape: [rows = 16] }: TileType, { over }: AutoLayout): MmaLayout {
  const along = Math.min(over, rows / 16);
  return { kind: "mma", warps: [along, over / along] };
}

/**
 * A side of a product in the layout that its accumulator asks for: a tile that lies otherwise, such as what another product gave, is converted. A remark
 * says what that costs. W6209, W6213.
 */
function sideOf(trace: Trace, operand: "A" | "B", given: StagedTile, { warps }: MmaLayout): StagedTile {
  const width = isMmaInput(given.type.dtype) ? mmaWidth(given.type.dtype) : 1;
  const wanted: TileLayout = { kind: "mma operand", operand, width, warps };
  const side = closedAs(trace, given, wanted);
  const [lies, asked] = [layoutText(side.type.layout), layoutText(wanted)];
  if (lies === asked) return side;
  const holders = warpsOf(side.type) ?? 4 * warpgroupsOf(side.type);
  if (holders !== warps[0] * warps[1]) failHere("W6213", { what: operand, wanted: asked, given: lies });
  const type: TileType = { ...side.type, layout: wanted };
  const attrs = { warpgroups: warpgroupsMeeting(trace), auto: true };
  return tileOf(first(trace.emit("tile.convert_layout", { tile: side.value }, attrs, { types: [type] })), type);
}

/** The product added to a tile of an `MMALayout`. W6209, W6213, W6214. */
export function dotTiles(trace: Trace, a: StagedTile, b: StagedTile, given: StagedTile): never {
  const why = problem(a.type, b.type, given.type);
  if (why !== undefined) return failHere("W6214", { a: a.what, b: b.what, acc: given.what, why });
  const open = given.type.layout;
  const acc = isAuto(open) ? closedAs(trace, given, productLayout(given.type, open)) : given;
  const { layout } = acc.type;
  if (layout.kind !== "mma") return failHere("W6213", { what: "C", wanted: "mma", given: layoutText(layout) });
  const [left, right] = [sideOf(trace, "A", a, layout), sideOf(trace, "B", b, layout)];
  return tileOf(first(trace.emit("tile.dot", { acc: acc.value, a: left.value, b: right.value }, {})), acc.type);
}
