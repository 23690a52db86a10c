// Element by element: what the author's function makes of the elements at each place of tiles that lie alike.

import { elementBytes } from "../../base/element-types.ts";
import type { DType } from "../../base/types.ts";
import { first } from "../../ir/arith.ts";
import { opSpec, registerType, type TileType, type Value, walkOps } from "../../ir/index.ts";
import { elementsPerThread, warpgroupsOf } from "../../layout/index.ts";
import { unlessChanging } from "../calls/alone.ts";
import { callFunction } from "../calls/call.ts";
import { type Body, elementType, traceBody } from "../numbers/elementwise.ts";
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

/** An element type, as the author gave it. W3026. */
export function checkDType(dtype: unknown): void {
  if (typeof dtype !== "string" || !Object.hasOwn(elementBytes, dtype))
    failHere("W3026", { what: "a tile", dtype: String(dtype) });
}

/** What the author's function is called with, and by whom. */
interface Mapping {
  readonly method: string;
  readonly fn: unknown;
  /** At least one: those that lie alike, of which the function is given an element each. */
  readonly tiles: readonly [AnyTile, ...AnyTile[]];
}

const callOf = (trace: Trace, { fn, method }: Mapping, args: readonly unknown[]): unknown =>
  callFunction(trace, { f: fn, receiver: undefined, args, text: `the function given to \`${method}\``, construct: false });

const whatMade = ({ method }: Mapping): string => `what \`${method}\` makes of an element`;

/** May what a body does be done once for each element, each time with nothing left of the time before? */
function standsAlone({ region }: Body): boolean {
  let alone = true;
  walkOps(region, ({ name }) => {
    const { effects, participants } = opSpec(name);
    if (participants !== undefined || effects.some((effect) => effect === "sync" || effect === "wgmma" || /async/.test(effect)))
      alone = false;
  });
  return alone;
}

/**
 * The function traced once, with the element and its coordinates as parameters; undefined where that does not say it all: it changes what is older
 * than its call, such as a variable that it counts in, or is refused, which may be so only then.
 */
function bodyOnce(trace: Trace, mapping: Mapping): Body | undefined {
  const [{ type }] = mapping.tiles;
  const takeBack = trace.save();
  const types = [...mapping.tiles.map((tile) => registerType(tile.type.dtype)), ...type.shape.map(() => "i32" as const)];
  const made = whatMade(mapping);
  try {
    const body = unlessChanging(trace, () =>
      traceBody(trace, types, made, (own) => callOf(trace, mapping, own), { number: registerType(type.dtype) }),
    );
    if (body && standsAlone(body)) return body;
  } catch {
    // Told, if it is so, when the function is called for the first element.
  }
  takeBack();
  return undefined;
}

/** The type of what the author's function gives: that of the tile, unless it says otherwise. */
function typeOf(results: readonly unknown[], dtype: DType): DType {
  const typed = results.find((r) => isStagedScalar(r));
  if (!isStagedScalar(typed) || typed.type === registerType(dtype)) return dtype;
  return elementType(typed.type);
}

/** Calls the function for one element after the other, in the order of the thread's registers. */
function oneByOne(trace: Trace, mapping: Mapping, warpgroups: readonly number[] | undefined): Value {
  const [tile] = mapping.tiles;
  const { type } = tile;
  const places = Array.from({ length: elementsPerThread(type) }, (_, i) => i);
  const lists = mapping.tiles.map(({ value, type: { dtype } }) => {
    const types = places.map(() => registerType(dtype));
    return trace.emit("tile.elements", { tile: value }, {}, { types }).results;
  });
  const types = places.map(() => "i32" as const);
  const coordinates = type.shape.map(
    (_, axis) => trace.emit("tile.coordinates", { tile: tile.value }, { axis, warpgroups }, { types }).results,
  );
  const at = (i: number): readonly Value[] => [...lists, ...coordinates].flatMap((values) => values.slice(i, i + 1));
  const results = places.map((i) => callOf(trace, mapping, at(i).map(scalar)));
  const dtype = typeOf(results, type.dtype);
  const values = results.map((r) => lift(r, registerType(dtype), whatMade(mapping)));
  return first(trace.emit("tile.from", { values }, {}, { types: [{ ...type, dtype }] }));
}

/** The tile of what `fn` makes of the elements at each place, which it is given with their coordinates. */
export function mapElements(trace: Trace, mapping: Mapping): Value {
  const [{ type }] = mapping.tiles;
  const warpgroups = warpgroupsHere(trace, warpgroupsOf(type));
  const body = bodyOnce(trace, mapping);
  if (!body) return oneByOne(trace, mapping, warpgroups);
  const [made = "f32"] = body.types;
  const dtype = made === registerType(type.dtype) ? type.dtype : elementType(made);
  const parts = { types: [{ ...type, dtype }], regions: [body.region] };
  const tiles = mapping.tiles.map(({ value }) => value);
  return first(trace.emit("tile.map", { tiles }, { coordinates: true, warpgroups }, parts));
}
