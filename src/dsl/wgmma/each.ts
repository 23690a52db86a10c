import { first } from "../../ir/arith.ts";
import type { TileType, Value } from "../../ir/index.ts";
import { registerType } from "../../ir/types.ts";
import { elementsPerThread, warpgroupsOf } from "../../layout/tile-layout.ts";
import { elementBytes } from "../../tensor-map.ts";
import type { DType } from "../../types.ts";
import { callFunction } from "../calls/call.ts";
import { convertTo } from "../numbers/convert.ts";
import { lift } from "../numbers/lift.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar, scalar } from "../trace/scalar.ts";
import type { Trace } from "../trace/trace.ts";
import { warpgroupsHere } from "./sharing.ts";

/** A tile of any shape. */
interface AnyTile {
  readonly value: Value;
  readonly type: TileType;
}

/** Elements of a thread, and of which type the tile of them is. */
interface Elements {
  readonly values: readonly Value[];
  readonly dtype: DType;
}

/** The thread's elements, in the order of its registers. */
export function elementsOf(trace: Trace, { value, type }: AnyTile): readonly Value[] {
  const types = Array.from({ length: elementsPerThread(type) }, () => registerType(type.dtype));
  return trace.emit("tile.elements", { tile: value }, {}, { types }).results;
}

/** The tile of these elements. */
export const tileFrom = (trace: Trace, type: TileType, values: readonly Value[]): Value =>
  first(trace.emit("tile.from", { values }, {}, { types: [type] }));

/** An element type, as the author gave it. W3026. */
export function checkDType(dtype: unknown): void {
  if (typeof dtype !== "string" || !Object.hasOwn(elementBytes, dtype))
    failHere("W3026", { what: "a tile", dtype: String(dtype) });
}

/** Each element in another type. */
export function convertedElements(trace: Trace, tile: AnyTile, dtype: DType): readonly Value[] {
  const type = registerType(dtype);
  return elementsOf(trace, tile).map((v) => convertTo(type, scalar(v)).value);
}

/** The type of what the author's function gives: that of the tile, unless it says otherwise. */
function typeOf(results: readonly unknown[], dtype: DType): DType {
  const typed = results.find((r) => isStagedScalar(r));
  if (!isStagedScalar(typed) || typed.type === registerType(dtype)) return dtype;
  return typed.type === "pred" ? "bool" : typed.type;
}

/** Calls `fn` with each place's elements, one of each list, and its coordinates along these axes of the tile. */
export function eachElement(
  trace: Trace,
  tile: AnyTile,
  method: string,
  fn: unknown,
  lists: readonly (readonly Value[])[],
  axes: readonly number[],
): Elements {
  const { type } = tile;
  const warpgroups = warpgroupsHere(trace, warpgroupsOf(type));
  const places = Array.from({ length: elementsPerThread(type) }, (_, i) => i);
  const types = places.map(() => "i32" as const);
  const coordinates = axes.map(
    (axis) => trace.emit("tile.coordinates", { tile: tile.value }, { axis, warpgroups }, { types }).results,
  );
  const call = (args: readonly unknown[]): unknown =>
    callFunction(trace, { f: fn, receiver: undefined, args, text: `the function given to \`${method}\``, construct: false });
  const at = (i: number): readonly Value[] => [...lists, ...coordinates].flatMap((values) => values.slice(i, i + 1));
  const results = places.map((i) => call(at(i).map(scalar)));
  const dtype = typeOf(results, type.dtype);
  const values = results.map((r) => lift(r, registerType(dtype), `what \`${method}\` makes of an element`));
  return { values, dtype };
}
