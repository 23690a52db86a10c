import { add, constant } from "../../../ir/arith.ts";
import { isTile, type Op, type TileType, type Value } from "../../../ir/index.ts";
import { elementPlaces } from "../../../layout/index.ts";
import { appliedAtPlaces } from "./combination.ts";
import { type Expand, type Expansion, tileOf } from "./expansion.ts";
import { originOf, type Running } from "./fragment.ts";
import { elementsOf, tileType } from "./tiles.ts";

/** Says which elements the tiles have that an op gives: a list for each. */
export function giveTiles(x: Expansion, op: { readonly results: readonly Value[] }, lists: readonly (readonly Value[])[]): void {
  op.results.forEach(({ id, type }, i) => {
    if (isTile(type)) x.parts.set(id, { kind: "tile", type, contents: { kind: "elements", values: lists[i] ?? [] } });
  });
}

/** The coordinates of a thread's elements, a list for each dimension. */
function coordinatesOf(x: Expansion, tile: TileType, running: Running): readonly (readonly Value[])[] {
  const origin = originOf(x, tile, running);
  const places = elementPlaces(tile);
  return origin.map((from, d) => {
    const steps = new Map<number, Value>();
    return places.map((place) => {
      const step = place[d] ?? 0;
      const known = steps.get(step) ?? add(x.w, from, step);
      steps.set(step, known);
      return known;
    });
  });
}

const maps: Expand<"tile.map"> = (x, op) => {
  const tiles = op.operands.tiles.map((tile) => tileOf(x, tile));
  const [like] = tiles;
  if (!like) throw new TypeError("a map goes through tiles");
  const lists = tiles.map((tile) => elementsOf(x.w, tile));
  const coordinates = op.attrs.coordinates ? coordinatesOf(x, like.type, op.attrs.warpgroups) : [];
  const places = elementPlaces(like.type);
  const to = appliedAtPlaces(x, op);
  const made = places.map((_, i) => to([...lists, ...coordinates].map((list) => list[i] as Value)));
  giveTiles(
    x,
    op,
    op.results.map((_, r) => made.map((values) => values[r] as Value)),
  );
};

/** A list with this value for each of a thread's elements. */
const everywhere = (type: TileType, value: Value): readonly Value[] => elementPlaces(type).map(() => value);

const splats: Expand<"tile.splat"> = (x, op) => {
  giveTiles(x, op, [everywhere(tileType(op as Op), op.operands.value)]);
};

const iotas: Expand<"tile.iota"> = (x, op) => {
  const { axis, warpgroups } = op.attrs;
  const type = tileType(op as Op);
  giveTiles(x, op, [coordinatesOf(x, type, warpgroups)[axis] ?? everywhere(type, constant(x.w, 0, "i32"))]);
};

/** The element that a thread holds at a place of the tile, counted from its first one. */
function holding(x: Expansion, from: Value): (place: readonly number[]) => Value {
  const tile = tileOf(x, from);
  const own = elementsOf(x.w, tile);
  const held = new Map(elementPlaces(tile.type).map((place, i) => [place.join(), own[i]]));
  return (place) => {
    const value = held.get(place.join());
    if (!value) throw new TypeError("a thread lacks what there is for a place of its own");
    return value;
  };
}

/** Takes for each place of a tile the element of another one that `at` names. */
function picked(x: Expansion, from: Value, to: TileType, at: (place: readonly number[]) => readonly number[]): readonly Value[] {
  const held = holding(x, from);
  return elementPlaces(to).map((place) => held(at(place)));
}

/** A thread that has an element of a row has what there is for the row. */
const expands: Expand<"tile.expand"> = (x, op) => {
  const { type } = tileOf(x, op.operands.tile);
  const { layout } = type;
  if (layout.kind !== "slice") throw new TypeError("only what a reduction left is expanded");
  giveTiles(x, op, [picked(x, op.operands.tile, tileType(op as Op), (place) => place.toSpliced(layout.axis, 1))]);
};

const broadcasts: Expand<"tile.broadcast"> = (x, op) => {
  const { shape } = tileOf(x, op.operands.tile).type;
  const inside = (place: readonly number[]): readonly number[] => place.map((n, d) => (shape[d] === 1 ? 0 : n));
  giveTiles(x, op, [picked(x, op.operands.tile, tileType(op as Op), inside)]);
};

const rearranges: Expand<"tile.rearrange"> = (x, op) => {
  const { permutation } = op.attrs;
  if (permutation) {
    const before = (place: readonly number[]): readonly number[] => permutation.map((_, d) => place[permutation.indexOf(d)] ?? 0);
    giveTiles(x, op, [picked(x, op.operands.tile, tileType(op as Op), before)]);
    return;
  }
  giveTiles(x, op, [elementsOf(x.w, tileOf(x, op.operands.tile))]);
};

/** Of each pair the element of the tile that its last coordinate numbers. */
const joins: Expand<"tile.join"> = (x, op) => {
  const sides = op.operands.tiles.map((tile) => holding(x, tile));
  const side = (place: readonly number[]): (typeof sides)[number] => sides[place.at(-1) ?? 0] as (typeof sides)[number];
  giveTiles(x, op, [elementPlaces(tileType(op as Op)).map((place) => side(place)(place.slice(0, -1)))]);
};

const splits: Expand<"tile.split"> = (x, op) => {
  const to = tileType(op as Op);
  giveTiles(
    x,
    op,
    [0, 1].map((side) => picked(x, op.operands.tile, to, (place) => [...place, side])),
  );
};

/** What is said of elements is written for each that a thread has. */
export const elementRules = {
  "tile.map": maps,
  "tile.splat": splats,
  "tile.iota": iotas,
  "tile.expand": expands,
  "tile.broadcast": broadcasts,
  "tile.rearrange": rearranges,
  "tile.join": joins,
  "tile.split": splits,
} as const;
