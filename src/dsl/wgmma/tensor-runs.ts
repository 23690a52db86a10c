import { add, both, compare } from "../../ir/arith.ts";
import type { Value } from "../../ir/index.ts";
import { failHere } from "../fail-here.ts";
import { elementBytes } from "../memory/dtype.ts";
import { isMultipleOf } from "../memory/multiple-of.ts";
import { type IndexValue, type Offset, plus } from "../memory/offset.ts";
import type { Location } from "../memory/place.ts";
import type { TensorDimension, TensorObject } from "../memory/tensor.ts";
import type { Trace } from "../trace.ts";
import { elementPlaces, originOf, type TileShape } from "./fragment.ts";

/** Elements of a thread that one access moves, where `pred` is true. */
interface TensorRun {
  readonly at: Location;
  readonly first: number;
  readonly count: 1 | 2;
  readonly pred: Value | undefined;
}

/** A tile's elements in a part of a tensor, one access after the other. `pred` is false outside the part and outside the tensor. W6119. */
export function* tensorRuns(trace: Trace, tile: TileShape, tensor: TensorObject): Generator<TensorRun> {
  const [rowDim, colDim] = tensor.parts.dims;
  const extents = tensor.parts.dims.map((d) => (typeof d.extent === "number" ? String(d.extent) : "?")).join(", ");
  const larger = tensor.parts.dims.some((d, i) => typeof d.extent === "number" && d.extent > (tile.shape[i] ?? 0));
  if (tensor.rank !== 2 || !rowDim || !colDim || larger) return failHere("W6119", { tile: tile.shape.join(", "), dst: extents });

  const origin = originOf(trace, tile.rows, tile.sharing);
  const rows = edge(trace, rowDim, tile.shape[0], origin.row);
  const cols = edge(trace, colDim, tile.shape[1], origin.col);
  const places = elementPlaces(tile.rows, tile.shape[1]);
  const whole = both(trace, rows.whole, cols.whole);
  const pairs = pairsFit(trace, tensor, colDim) && cols.even;
  const start = plus(
    trace,
    plus(trace, tensor.parts.offset, tensor.step(trace, 0, origin.row)),
    tensor.step(trace, 1, origin.col),
  );
  const addressOf = placesIn(trace, tensor, start);
  const where = { space: "global", dtype: tile.dtype, what: "a tile", exact: undefined, run: 2 } as const;

  const preds = new Map<string, Value | undefined>();
  for (const [first, place] of places.entries()) {
    if (pairs && place.col % 2 !== 0) continue;
    const key = `${rows.each ? place.row : ""},${cols.each ? place.col : ""}`;
    if (!preds.has(key)) preds.set(key, both(trace, whole, both(trace, rows.each?.(place.row), cols.each?.(place.col))));
    const at = { ...where, address: () => addressOf(place.row, place.col) };
    yield { at, first, count: pairs ? 2 : 1, pred: preds.get(key) };
  }
}

/** Addresses of elements: static strides go into the instruction, staged ones into one address per row and column. */
function placesIn(
  trace: Trace,
  tensor: TensorObject,
  start: Offset,
): (row: number, col: number) => { ptr: Value; offset: number } {
  const [rowDim, colDim] = tensor.parts.dims;
  const bytes = elementBytes[tensor.dtype];
  const known = (stride: IndexValue | undefined): stride is number => typeof stride === "number";
  const bases = new Map<string, { ptr: Value; offset: number }>();
  return (row, col) => {
    const fixedRow = known(rowDim?.stride) ? row * rowDim.stride * bytes : 0;
    const fixedCol = known(colDim?.stride) ? col * colDim.stride * bytes : 0;
    const [stagedRow, stagedCol] = [known(rowDim?.stride) ? 0 : row, known(colDim?.stride) ? 0 : col];
    const far = start.fixed + fixedRow + fixedCol >= 2 ** 31;
    const key = far ? `${row},${col}` : `${stagedRow},${stagedCol}`;
    const fixed = far ? fixedRow + fixedCol : 0;
    let base = bases.get(key);
    if (!base) {
      const moved = plus(trace, start, plus(trace, tensor.step(trace, 0, stagedRow), tensor.step(trace, 1, stagedCol)));
      base = tensor.address(trace, { fixed: moved.fixed + fixed, staged: moved.staged });
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
  /** Neighbours 2i and 2i + 1 are on the same side of the edge. */
  readonly even: boolean;
}

const unsigned = (trace: Trace, x: IndexValue): Value | number =>
  typeof x === "number" ? x : trace.once("convert", { a: x }, {}, ["u32"]);

/** `x < limit` for an i32 that may be negative: a negative one is outside. */
const inside = (trace: Trace, x: Value, limit: IndexValue): Value =>
  compare(trace, "lt", unsigned(trace, x) as Value, unsigned(trace, limit));

function edge(trace: Trace, dim: TensorDimension, tile: number, origin: Value): Edge {
  const { extent, begin, limit } = dim;
  const cut = typeof extent !== "number" || extent < tile;
  if (!cut && !begin.staged && typeof limit === "number" && begin.fixed >= 0 && begin.fixed + tile <= limit)
    return { even: true };
  const beginsAt = (n: number): boolean => begin.fixed % n === 0 && (!begin.staged || isMultipleOf(trace, begin.staged, n));
  const even = typeof limit === "number" && limit % 2 === 0 && typeof extent === "number" && extent % 2 === 0 && beginsAt(2);
  if (!cut && begin.staged && typeof limit === "number" && limit % tile === 0 && beginsAt(tile)) {
    return { whole: inside(trace, add(trace, begin.staged, begin.fixed), limit), even };
  }
  const first = begin.staged ? add(trace, begin.staged, origin) : origin;
  const each = (step: number): Value => {
    const inTensor = inside(trace, add(trace, first, begin.fixed + step), limit);
    return cut ? (both(trace, inTensor, inside(trace, add(trace, origin, step), extent)) as Value) : inTensor;
  };
  return { each, even };
}

/** Two neighbouring columns are one naturally aligned store. */
function pairsFit(trace: Trace, tensor: TensorObject, colDim: TensorDimension): boolean {
  const { offset, align, dims, dtype } = tensor.parts;
  const bytes = 2 * elementBytes[dtype];
  const rowStride = dims[0]?.stride;
  const evenRows = typeof rowStride === "number" && (rowStride * elementBytes[dtype]) % bytes === 0;
  const fits = colDim.stride === 1 && bytes <= 16 && align % bytes === 0 && evenRows && offset.fixed % bytes === 0;
  return fits && (!offset.staged || isMultipleOf(trace, offset.staged, bytes));
}
