import { compare, first } from "../../ir/arith.ts";
import { bitsOf, isInteger, isSigned, registerType, type TileType, type Value } from "../../ir/index.ts";
import { checkingTrace, expectThat } from "../checks/pending.ts";
import { convertTo } from "../numbers/convert.ts";
import { elementwise } from "../numbers/elementwise.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar } from "../trace/scalar.ts";
import { type StagedTile, tileOf } from "../trace/staged-tile.ts";
import type { Trace } from "../trace/trace.ts";
import { layoutOrOpen, tileTypeHere, warpgroupsMeeting } from "./access.ts";

const isNarrowInteger = ({ type }: StagedTile): boolean => {
  const element = registerType(type.dtype);
  return isInteger(element) && bitsOf(element) <= 32;
};

/** Integers of fewer bits as i32. */
function asWords(tile: StagedTile, what: string): StagedTile {
  const { dtype } = tile.type;
  return dtype === "i32" || dtype === "u32" ? tile : elementwise([tile], what, ([x]) => convertTo("i32", x));
}

/** With `debug`: the same indices, each of which has to be from 0 to `extent` - 1. */
function checked(indices: StagedTile, extent: number, axis: number): StagedTile {
  const trace = checkingTrace();
  if (!trace) return indices;
  return elementwise([indices], "`tile.gather`", ([index]) => {
    if (!isStagedScalar(index)) throw new Error("elements are staged");
    expectIndex(trace, index.value, extent, axis);
    return index;
  });
}

function expectIndex(trace: Trace, value: Value, extent: number, axis: number): void {
  const plain = isSigned(value.type) ? trace.once("bitcast", { a: value }, {}, ["u32"]) : value;
  const parts = ["index ", ` of \`tile.gather\` is outside of a tile with ${extent} elements along axis ${axis}`];
  const within = { value, least: 0, most: extent - 1 };
  expectThat(trace, compare(trace, "lt", plain, extent), { parts, values: [value], check: { about: "index" } }, within);
}

/** Of each place of the indices the element of the tile that the index names along the axis. W6215. */
export function gatherTile(trace: Trace, tile: StagedTile, indices: StagedTile, axis: number): never {
  const what = "this `tile.gather`";
  if (!isNarrowInteger(indices))
    failHere("W6215", {
      what,
      why: `the indices are of ${indices.type.dtype}`,
      fix: "give indices of i32 or u32, or of smaller integers: `i32(x)`",
    });
  const [from, to] = [tile.type.shape, indices.type.shape];
  if (from.length !== to.length || from.some((n, d) => d !== axis && n !== to[d]))
    failHere("W6215", {
      what,
      why: `the tile is [${from.join(", ")}] and the indices are [${to.join(", ")}], which may differ along axis ${axis} alone`,
      fix: "give an index for each element of the result; along the other axes both tiles are as long",
    });
  const own = checked(asWords(indices, "`tile.gather`"), from[axis] ?? 1, axis);
  const type: TileType = { ...indices.type, dtype: tile.type.dtype };
  const attrs = { axis, warpgroups: warpgroupsMeeting(trace) };
  return tileOf(first(trace.emit("tile.gather", { tile: tile.value, indices: own.value }, attrs, { types: [type] })), type);
}

/** How many elements of the tile are 0, 1, … and `bins` - 1. W6204, W6205, W6210, W6212, W6215. */
export function countTile(trace: Trace, tile: StagedTile, bins: number, layout: unknown): never {
  if (!isNarrowInteger(tile))
    failHere("W6215", {
      what: "this `tile.histogram`",
      why: `the tile is of ${tile.type.dtype}`,
      fix: "give a tile of integers of up to 32 bits, the numbers of the bins: `i32(x)`",
    });
  const lies = layoutOrOpen(trace, layout, 1, "`tile.histogram`");
  const type = tileTypeHere(trace, "i32", [bins], lies, "what `tile.histogram` gives");
  const own = asWords(tile, "`tile.histogram`");
  const attrs = { warpgroups: warpgroupsMeeting(trace) };
  return tileOf(first(trace.emit("tile.histogram", { tile: own.value }, attrs, { types: [type] })), type);
}
