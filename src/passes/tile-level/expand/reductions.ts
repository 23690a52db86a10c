import { constant, first } from "../../../ir/arith.ts";
import { bitsOf, isFloat, type Op, type ScalarType, type Value } from "../../../ir/index.ts";
import { registerType } from "../../../ir/types.ts";
import { elementPlaces, sharersAlong } from "../../../layout/tile-layout.ts";
import { type Expand, standFor, tileOf } from "./expansion.ts";
import { elementsOf, tileType } from "./tiles.ts";
import type { Writer } from "./writer.ts";

type Combine = (a: Value, b: Value) => Value;

/** Floats of fewer than 32 bits are summed as f32, and the sum is rounded once. */
const sumType = (type: ScalarType): ScalarType => (isFloat(type) && bitsOf(type) < 32 ? "f32" : type);

const converted = (w: Writer, a: Value, type: ScalarType): Value => (a.type === type ? a : w.once("convert", { a }, {}, [type]));

/** Neighbours two by two, then these sums two by two, and so on; the last one of an odd number waits for the next round. */
function tree(values: readonly Value[], combine: Combine): Value {
  let round = values;
  while (round.length > 1)
    round = round.flatMap((a, i) => {
      const b = round[i + 1];
      return i % 2 === 1 ? [] : [b ? combine(a, b) : a];
    });
  const [all] = round;
  if (!all) throw new TypeError("a thread holds nothing to combine");
  return all;
}

/** Over the lanes that differ in these bits: each takes the value of the one opposite, the lowest bit first. All of them end with the same. */
const butterflies = (w: Writer, lanes: readonly number[], own: Value, combine: Combine): Value =>
  lanes.reduce(
    (value, mask) => combine(value, first(w.emit("shfl", { value, by: constant(w, mask, "i32") }, { mode: "bfly" }))),
    own,
  );

/**
 * First each thread combines its own elements, in the order of its registers, which is that of the columns, as a tree; then the lanes that
 * share a row exchange what they have. Addition commutes, so that all of them get the same bits.
 */
const reduces: Expand<"tile.reduce"> = (x, op) => {
  const { w } = x;
  const tile = tileOf(x, op.operands.tile);
  const type = tileType(op as Op);
  const { axis } = op.attrs;
  const { lanes, warps, warpgroups } = sharersAlong(tile.type, axis);
  if (warps.length > 0 || warpgroups) throw new TypeError("the tracer refuses what several warps share");
  const element = registerType(type.dtype);
  const within = sumType(element);
  const combine: Combine = (a, b) => first(w.emit("add", { a, b }, {}));
  const elements = elementsOf(w, tile).map((v) => converted(w, v, within));
  const left = elementPlaces(tile.type).map((place) => place.toSpliced(axis, 1).join());
  const values = elementPlaces(type).map((place) => {
    const own = elements.filter((_, i) => left[i] === place.join());
    return converted(w, butterflies(w, lanes, tree(own, combine), combine), element);
  });
  standFor(x, op, { kind: "tile", type, contents: { kind: "elements", values } });
};

/** A thread that has an element of a row has what there is for the row. */
const expands: Expand<"tile.expand"> = (x, op) => {
  const from = tileOf(x, op.operands.tile);
  const type = tileType(op as Op);
  const { layout } = from.type;
  if (layout.kind !== "slice") throw new TypeError("only what a reduction left is expanded");
  const own = elementsOf(x.w, from);
  const at = new Map(elementPlaces(from.type).map((place, i) => [place.join(), own[i]]));
  const values = elementPlaces(type).map((place) => {
    const value = at.get(place.toSpliced(layout.axis, 1).join());
    if (!value) throw new TypeError("a thread lacks what there is for a row of its own");
    return value;
  });
  standFor(x, op, { kind: "tile", type, contents: { kind: "elements", values } });
};

/** Reductions of tiles follow their layouts: over the registers of a thread, then over lanes. */
export const reductionRules = { "tile.reduce": reduces, "tile.expand": expands } as const;
