import { constant, first } from "../../../ir/arith.ts";
import { isTile, type TileType, type Value } from "../../../ir/index.ts";
import { elementPlaces, linearLayout, sharedOut } from "../../../layout/index.ts";
import { combinationOf } from "./combination.ts";
import { giveTiles } from "./elementwise.ts";
import { type Expand, type Expansion, tileOf } from "./expansion.ts";
import { laneBit, type Running, warpBit } from "./fragment.ts";
import { fromOppositeWarp } from "./tile-exchange.ts";
import { elementsOf } from "./tiles.ts";

/** One element of each tile. */
type Elements = readonly Value[];

/** Who has the element whose coordinate differs in one bit: another register of the thread, or that bit of another lane or warp. */
type Opposite = { readonly in: "register" } | { readonly in: "lane" | "warp"; readonly mask: number };

/** Where each bit of the coordinate along an axis is, from the lowest. */
function bitsAlong(tile: TileType, axis: number): readonly Opposite[] {
  const { inputs, outputs } = linearLayout(tile);
  const size = outputs[axis]?.size ?? 1;
  if (sharedOut(tile)?.dim === axis) throw new TypeError("the tracer refuses a scan over warpgroups that share a tile out");
  return Array.from({ length: Math.log2(size) }, (_, bit): Opposite => {
    for (const { name, bases } of inputs) {
      const at = bases.findIndex((basis) => basis[axis] === 2 ** bit && basis.every((n, d) => d === axis || n === 0));
      if (at >= 0) return name === "lane" || name === "warp" ? { in: name, mask: 2 ** at } : { in: "register" };
    }
    throw new RangeError("Each bit of a coordinate is a bit of a register, a lane or a warp.");
  });
}

/** A thread's part of a scan: for each of its elements what those up to it are combined, and all of its block of 2^n neighbours. */
interface State {
  readonly upTo: readonly Elements[];
  readonly all: readonly Elements[];
}

interface Scan {
  readonly tile: TileType;
  readonly types: readonly TileType[];
  readonly running: Running;
  readonly combine: (a: Elements, b: Elements) => Elements;
}

/** What the blocks on the other side of a bit of the coordinate have, for each of the thread's elements. */
function opposite(
  x: Expansion,
  { tile, types, running }: Scan,
  { all }: State,
  at: Opposite,
  axis: number,
  bit: number,
): readonly Elements[] {
  const places = elementPlaces(tile);
  const moved = (values: Elements): Elements => {
    if (at.in === "lane")
      return values.map((value) => first(x.w.emit("shfl", { value, by: constant(x.w, at.mask, "i32") }, { mode: "bfly" })));
    if (at.in === "register") return values;
    return fromOppositeWarp(
      x,
      tile,
      running,
      at.mask,
      values.map((value, t) => ({ dtype: types[t]?.dtype ?? "f32", value })),
    );
  };
  if (at.in === "register") {
    const numbers = new Map(places.map((place, i) => [place.join(), i]));
    return places.map((place) => all[numbers.get(place.with(axis, (place[axis] ?? 0) ^ (2 ** bit)).join()) ?? 0] as Elements);
  }
  // Elements of one block have one total.
  const known = new Map<Elements, Elements>();
  return all.map((values) => {
    const other = known.get(values) ?? moved(values);
    known.set(values, other);
    return other;
  });
}

/** Joins blocks of 2^bit neighbours two by two. */
function join(x: Expansion, scan: Scan, state: State, at: Opposite, axis: number, bit: number, reverse: boolean): State {
  const { w } = x;
  const { tile, combine } = scan;
  const places = elementPlaces(tile);
  const others = opposite(x, scan, state, at, axis, bit);
  const made = new Map<Elements, Map<Elements, Elements>>();
  const once = (a: Elements, b: Elements): Elements => {
    const known = made.get(a)?.get(b);
    if (known) return known;
    const value = combine(a, b);
    made.set(a, (made.get(a) ?? new Map<Elements, Elements>()).set(b, value));
    return value;
  };
  const upper =
    at.in === "register"
      ? undefined
      : at.in === "lane"
        ? laneBit(w, at.mask)
        : w.once("cmp", { a: warpBit(w, tile, scan.running, at.mask), b: constant(w, 0, "i32") }, { is: "ne" });
  const chosen = (yes: Elements, no: Elements): Elements =>
    yes.map((value, i) => w.once("select", { condition: upper as Value, yes: value, no: no[i] as Value }, {}));
  /** Is what the element follows on the other side? */
  const follows = (i: number): boolean => (((places[i]?.[axis] ?? 0) >> bit) & 1) === (reverse ? 0 : 1);
  if (!upper)
    return {
      upTo: state.upTo.map((own, i) => (follows(i) ? once(others[i] as Elements, own) : own)),
      all: state.all.map((own, i) => (follows(i) ? once(others[i] as Elements, own) : once(own, others[i] as Elements))),
    };
  const totals = new Map<Elements, Elements>();
  const total = (own: Elements, other: Elements): Elements => {
    const known = totals.get(own);
    if (known) return known;
    const [low, high] = [chosen(other, own), chosen(own, other)];
    const value = reverse ? once(high, low) : once(low, high);
    totals.set(own, value);
    return value;
  };
  return {
    upTo: state.upTo.map((own, i) => {
      const joined = once(others[i] as Elements, own);
      return reverse ? chosen(own, joined) : chosen(joined, own);
    }),
    all: state.all.map((own, i) => total(own, others[i] as Elements)),
  };
}

/** Blocks of neighbours are joined two by two, from single elements to the whole row: the order of combining is that of the coordinates. */
const scans: Expand<"tile.scan"> = (x, op) => {
  const tiles = op.operands.tiles.map((tile) => tileOf(x, tile));
  const types = op.results.flatMap(({ type }) => (isTile(type) ? [type] : []));
  const [tile] = types;
  if (!tile) throw new TypeError("a scan is of a tile");
  const { axis, reverse, warpgroups: running } = op.attrs;
  const { of: combine } = combinationOf(x, op);
  const lists = tiles.map((t) => elementsOf(x.w, t));
  const own = elementPlaces(tile).map((_, i): Elements => lists.map((list) => list[i] as Value));
  const scan: Scan = { tile, types, running, combine };
  const { upTo } = bitsAlong(tile, axis).reduce((state: State, at, bit) => join(x, scan, state, at, axis, bit, reverse), {
    upTo: own,
    all: own,
  });
  giveTiles(
    x,
    op,
    types.map((_, t) => upTo.map((values) => values[t] as Value)),
  );
};

export const scanRules = { "tile.scan": scans } as const;
