import { elementBytes } from "../../../base/element-types.ts";
import { add, both, compare, countType, toInt } from "../../../ir/arith.ts";
import type { Emitter, TileType, Value } from "../../../ir/index.ts";
import { elementPlaces } from "../../../layout/index.ts";
import { dimensionParts, type Part, type ViewParts } from "../../facts/index.ts";
import type { Location } from "./accesses.ts";
import { type Address, tensorAddress, tensorStep } from "./addresses.ts";
import type { Expansion } from "./expansion.ts";
import { originOf, type Running } from "./fragment.ts";
import { type IndexValue, noOffset, type Offset, plus } from "./offset.ts";
import type { TensorDimension, TensorParts } from "./parts.ts";
import { runsAlong, type Vector } from "./vectors.ts";

/** Elements of a thread that one access moves, where `pred` is true: their numbers, in the order of memory. */
interface TensorRun {
  readonly at: Location;
  readonly elements: readonly number[];
  readonly pred: Value | undefined;
}

/** A part of a tensor, and what is known of where it begins. `unmasked`: all of the tile lies in it, the author says. */
export interface PlacedTensor {
  readonly tensor: TensorParts;
  readonly known: ViewParts;
  readonly unmasked: boolean;
}

/** A tile's elements in a part of a tensor, one access after the other. `pred` is false outside the part and outside the tensor. */
export function* tensorRuns(
  x: Expansion,
  tile: TileType,
  { tensor, known, unmasked }: PlacedTensor,
  running: Running,
  vector: Vector,
): Generator<TensorRun> {
  const { w } = x;
  const origin = originOf(x, tile, running);
  const { first: begins, count } = dimensionParts;
  const edges = tensor.dims.map((dim, d): Edge => {
    const [extent = 1, at] = [tile.shape[d], origin[d]];
    return unmasked || !at ? {} : edge(x, dim, extent, at, known[begins + d * count]);
  });
  const places = elementPlaces(tile);
  const whole = edges.reduce((all: Value | undefined, e) => both(w, all, e.whole), undefined);
  const start = origin.reduce((sum, at, d) => plus(w, sum, tensorStep(w, tensor, d, at)), tensor.offset);
  const addressOf = placesIn(x, tensor, start);
  const where = { space: "global", dtype: tile.dtype } as const;

  const preds = new Map<string, Value | undefined>();
  for (const elements of runsAlong(places, vector)) {
    const place = places[elements[0] ?? 0] ?? [];
    const key = edges.map((e, d) => (e.each ? place[d] : "")).join();
    if (!preds.has(key)) {
      const conditions = edges.map((e, d) => e.each?.(place[d] ?? 0));
      preds.set(
        key,
        both(
          w,
          whole,
          conditions.toReversed().reduce((rest, one) => both(w, one, rest)),
        ),
      );
    }
    yield { at: { ...where, address: () => addressOf(place) }, elements, pred: preds.get(key) };
  }
}

/** Addresses of elements: static strides go into the instruction, staged ones into one address for each step along them. */
function placesIn({ w }: Expansion, tensor: TensorParts, start: Offset): (place: readonly number[]) => Address {
  const { dims } = tensor;
  const bytes = elementBytes[tensor.dtype];
  const bases = new Map<string, Address>();
  return (place) => {
    const isKnown = (d: number): boolean => typeof dims[d]?.stride === "number";
    const fixedSteps = place.reduce((sum, n, d) => {
      const stride = dims[d]?.stride;
      return typeof stride === "number" ? sum + n * stride * bytes : sum;
    }, 0);
    const staged = place.map((n, d) => (isKnown(d) ? 0 : n));
    const far = start.fixed + fixedSteps >= 2 ** 31;
    const key = (far ? place : staged).join();
    const fixed = far ? fixedSteps : 0;
    let base = bases.get(key);
    if (!base) {
      const steps = staged.map((n, d) => tensorStep(w, tensor, d, n));
      const moved = plus(
        w,
        start,
        steps.reduceRight((rest, step) => plus(w, step, rest), noOffset),
      );
      base = tensorAddress(w, tensor, { fixed: moved.fixed + fixed, staged: moved.staged });
      bases.set(key, base);
    }
    return { ptr: base.ptr, offset: base.offset + (far ? 0 : fixedSteps) };
  };
}

/** How a dimension of the tile meets the edge of the tensor. */
interface Edge {
  /** One condition for the whole tile. */
  readonly whole?: Value;
  /** One for each step from the thread's first element. */
  readonly each?: (step: number) => Value;
}

/** `x < limit` for an integer that may be negative: a negative one is outside. */
function inside(e: Emitter, i: Value, limit: IndexValue): Value {
  const unsigned = (x: Value): Value => e.once("convert", { a: x }, {}, [i.type === "i64" ? "u64" : "u32"]);
  return compare(e, "lt", unsigned(i), typeof limit === "number" ? limit : unsigned(limit));
}

/** `known`: of where the dimension begins. */
function edge(x: Expansion, dim: TensorDimension, tile: number, origin: Value, known: Part | undefined): Edge {
  const { w } = x;
  const { extent, begin, limit } = dim;
  const cut = typeof extent !== "number" || extent < tile;
  if (!cut && !begin.staged && typeof limit === "number" && begin.fixed >= 0 && begin.fixed + tile <= limit) return {};
  if (!cut && begin.staged && typeof limit === "number" && limit % tile === 0 && (known?.divisor ?? 1) % tile === 0) {
    return { whole: inside(w, add(w, begin.staged, begin.fixed), limit) };
  }
  const own = toInt(w, origin, countType(limit));
  const first = begin.staged ? add(w, begin.staged, own) : own;
  const each = (step: number): Value => {
    const inTensor = inside(w, add(w, first, begin.fixed + step), limit);
    return cut ? (both(w, inTensor, inside(w, add(w, origin, step), extent)) as Value) : inTensor;
  };
  return { each };
}
