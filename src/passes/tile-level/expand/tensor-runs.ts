import { add, both, compare, countType, toInt } from "../../../ir/arith.ts";
import type { Emitter, TileType, Value } from "../../../ir/index.ts";
import { elementPlaces, extentsOf } from "../../../layout/tile-layout.ts";
import { elementBytes } from "../../../tensor-map.ts";
import { dimensionParts, type Part, type ViewParts } from "../../facts/index.ts";
import type { Location } from "./accesses.ts";
import { type Address, tensorAddress, tensorStep } from "./addresses.ts";
import type { Expansion } from "./expansion.ts";
import { originOf, type Running } from "./fragment.ts";
import { type IndexValue, type Offset, plus } from "./offset.ts";
import type { TensorDimension, TensorParts } from "./parts.ts";

/** Elements of a thread that one access moves, where `pred` is true. */
interface TensorRun {
  readonly at: Location;
  readonly first: number;
  readonly count: 1 | 2;
  readonly pred: Value | undefined;
}

/** A part of a tensor, and what is known of where it begins. */
export interface PlacedTensor {
  readonly tensor: TensorParts;
  readonly known: ViewParts;
}

/** A tile's elements in a part of a tensor, one access after the other. `pred` is false outside the part and outside the tensor. */
export function* tensorRuns(
  x: Expansion,
  tile: TileType,
  { tensor, known }: PlacedTensor,
  running: Running,
  pairs: boolean,
): Generator<TensorRun> {
  const { w } = x;
  const [rowDim, colDim] = tensor.dims;
  if (!rowDim || !colDim) throw new TypeError("a tile has two dimensions");
  const origin = originOf(x, tile, running);
  const { first: begins, count } = dimensionParts;
  const [height, width] = extentsOf(tile);
  const rows = edge(x, rowDim, height, origin.row, known[begins]);
  const cols = edge(x, colDim, width, origin.col, known[begins + count]);
  const places = elementPlaces(tile);
  const whole = both(w, rows.whole, cols.whole);
  const start = plus(w, plus(w, tensor.offset, tensorStep(w, tensor, 0, origin.row)), tensorStep(w, tensor, 1, origin.col));
  const addressOf = placesIn(x, tensor, start);
  const where = { space: "global", dtype: tile.dtype } as const;

  const preds = new Map<string, Value | undefined>();
  for (const [first, place] of places.entries()) {
    if (pairs && place.col % 2 !== 0) continue;
    const key = `${rows.each ? place.row : ""},${cols.each ? place.col : ""}`;
    if (!preds.has(key)) preds.set(key, both(w, whole, both(w, rows.each?.(place.row), cols.each?.(place.col))));
    const at = { ...where, address: () => addressOf(place.row, place.col) };
    yield { at, first, count: pairs ? 2 : 1, pred: preds.get(key) };
  }
}

/** Addresses of elements: static strides go into the instruction, staged ones into one address per row and column. */
function placesIn({ w }: Expansion, tensor: TensorParts, start: Offset): (row: number, col: number) => Address {
  const [rowDim, colDim] = tensor.dims;
  const bytes = elementBytes[tensor.dtype];
  const known = (stride: IndexValue | undefined): stride is number => typeof stride === "number";
  const bases = new Map<string, Address>();
  return (row, col) => {
    const fixedRow = known(rowDim?.stride) ? row * rowDim.stride * bytes : 0;
    const fixedCol = known(colDim?.stride) ? col * colDim.stride * bytes : 0;
    const [stagedRow, stagedCol] = [known(rowDim?.stride) ? 0 : row, known(colDim?.stride) ? 0 : col];
    const far = start.fixed + fixedRow + fixedCol >= 2 ** 31;
    const key = far ? `${row},${col}` : `${stagedRow},${stagedCol}`;
    const fixed = far ? fixedRow + fixedCol : 0;
    let base = bases.get(key);
    if (!base) {
      const moved = plus(w, start, plus(w, tensorStep(w, tensor, 0, stagedRow), tensorStep(w, tensor, 1, stagedCol)));
      base = tensorAddress(w, tensor, { fixed: moved.fixed + fixed, staged: moved.staged });
      bases.set(key, base);
    }
    return { ptr: base.ptr, offset: base.offset + (far ? 0 : fixedRow + fixedCol) };
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
