import type { DType } from "../../base/types.ts";
import type { ScalarType, TileType } from "../../ir/index.ts";
import { registerType } from "../../ir/index.ts";
import { sliceOf } from "../../layout/index.ts";
import { changingNothing, checkAlone } from "../calls/alone.ts";
import { callFunction } from "../calls/call.ts";
import { convertTo } from "../numbers/convert.ts";
import { describe } from "../numbers/describe.ts";
import { elementwise, traceBody } from "../numbers/elementwise.ts";
import { failHere } from "../trace/fail-here.ts";
import { checkOpenHere } from "../trace/open-tiles.ts";
import { scalar } from "../trace/scalar.ts";
import { readTile, type StagedTile, tileOf } from "../trace/staged-tile.ts";
import { currentTrace, type OpenRegion, type Trace } from "../trace/trace.ts";
import { warpgroupsMeeting } from "./access.ts";

/** What two elements are combined by. */
type Combine = (a: unknown, b: unknown) => unknown;

/** A function of the author's that combines two elements, called where `what` stands. W6521. */
export const callCombine =
  (trace: Trace, what: string, f: unknown): Combine =>
  (a, b) =>
    changingNothing(trace, what, () =>
      callFunction(trace, { f, receiver: undefined, args: [a, b], text: `the function given to \`${what}\``, construct: false }),
    );

/** The tile that the author gave. W6204, W6206. */
export function wantTile(x: unknown, what: string): StagedTile {
  const tile = readTile(x) ?? failHere("W6206", { what: `\`${what}\``, given: describe(x) });
  checkOpenHere(currentTrace(what), tile.type);
  return tile;
}

/** W6207. */
export function readAxis(axis: unknown, tile: StagedTile, what: string): number {
  const rank = tile.type.shape.length;
  const valid = typeof axis === "number" && Number.isInteger(axis) && axis >= 0 && axis < rank;
  return valid ? axis : failHere("W6207", { what: `\`${what}\``, given: describe(axis), rank });
}

/** What small integers and floats are added in. */
const wider: { readonly [D in DType]?: ScalarType } = {
  ...{ i8: "i32", i16: "i32", u8: "u32", u16: "u32" },
  ...{ f16: "f32", bf16: "f32", e4m3: "f32", e5m2: "f32" },
};

/** The tile in the type that it is summed in. */
export function widened(tile: StagedTile): StagedTile {
  const type = wider[tile.type.dtype];
  return type === undefined ? tile : elementwise([tile], "`tile.sum`", ([x]) => convertTo(type, x));
}

/** Floats of 16 and 8 bits are rounded once, after they have been summed; integers stay as wide as they were summed. */
export function roundedAs(sum: unknown, dtype: DType): unknown {
  if (wider[dtype] !== "f32") return sum;
  const type = registerType(dtype);
  return readTile(sum) ? elementwise([sum], "`tile.sum`", ([x]) => convertTo(type, x)) : convertTo(type, sum as number);
}

interface Combined {
  readonly what: string;
  readonly axis: number;
  readonly combine: Combine;
  /** The two elements may change places. */
  readonly commutative: boolean;
}

/** W2010, W6521, W6524. */
function bodyOf(trace: Trace, { type }: StagedTile, { what, combine }: Combined): OpenRegion {
  const element = registerType(type.dtype);
  const made = `what the function given to \`${what}\` makes of two elements`;
  const { region } = traceBody(trace, [element, element], made, ([a, b]) => [combine(a, b)], { results: [element] });
  checkAlone(region, what);
  return region;
}

/** What is left of a tile along an axis; of a tile with one dimension a scalar, which every thread has. */
export function reduceTile(trace: Trace, tile: StagedTile, how: Combined): never {
  const region = bodyOf(trace, tile, how);
  const { axis, commutative } = how;
  const type: TileType = { kind: "tile", dtype: tile.type.dtype, ...sliceOf(tile.type, axis) };
  const attrs = { axis, commutative, warpgroups: warpgroupsMeeting(trace) };
  const op = trace.emit("tile.reduce", { tiles: [tile.value] }, attrs, { types: [type], regions: [region] });
  const [value] = op.results;
  if (!value) throw new Error("a reduction gives nothing");
  if (type.shape.length > 0) return tileOf(value, type);
  const [element] = trace.emit("tile.elements", { tile: value }, {}, { types: [registerType(type.dtype)] }).results;
  if (!element) throw new Error("a tile of no dimension has one element");
  return scalar(element);
}

/** Of each place what the elements up to it are combined. */
export function scanTile(trace: Trace, tile: StagedTile, how: Combined, reverse: boolean): never {
  const region = bodyOf(trace, tile, how);
  const attrs = { axis: how.axis, reverse, warpgroups: warpgroupsMeeting(trace) };
  const op = trace.emit("tile.scan", { tiles: [tile.value] }, attrs, { types: [tile.type], regions: [region] });
  const [value] = op.results;
  if (!value) throw new Error("a scan gives nothing");
  return tileOf(value, tile.type);
}
