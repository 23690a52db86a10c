import { add, and, constant, mul, shl, shr, xor } from "../../ir/arith.ts";
import type { Value } from "../../ir/index.ts";
import { type Layout, offsetIn, patternBytes, stepsAdd } from "../../layout/modes.ts";
import { elementBytes } from "../memory/dtype.ts";
import { isMultipleOf } from "../memory/multiple-of.ts";
import { indexOffset, type Offset, plus } from "../memory/offset.ts";
import type { Address, Location } from "../memory/place.ts";
import { isPeer, pointer, type SharedViewObject, sharedAddress, swizzleValue } from "../memory/shared-view.ts";
import type { Trace } from "../trace.ts";
import { elementPlaces, groupIndex, laneOf, originOf, type TileShape, warpInGroup } from "./fragment.ts";

/** Gives the address of the element that is `row`, `col` (static) from a thread's own first element. */
type AddressOf = (row: number, col: number) => Address;

/** Rows and columns of a thread's first element: which values they take. */
interface Origins {
  readonly row: Value;
  readonly col: Value;
  readonly rows: readonly number[];
  readonly cols: readonly number[];
}

/**
 * Addresses as one staged part and static rest: the rest goes into the instruction, and with a swizzle, where it changes only bits
 * that the staged part leaves free, into one exclusive or. Falls back to a whole address per element for irregular views.
 */
function addresses(
  trace: Trace,
  view: SharedViewObject,
  origin: Origins,
  steps: readonly { row: number; col: number }[],
): AddressOf {
  const { parts } = view;
  const [rows, cols] = [parts.layout[0] ?? [], parts.layout[1] ?? []];
  const staticOffset = (row: number, col: number): number => offsetIn(rows, row) + offsetIn(cols, col);
  const whole = (row: number, col: number): Offset =>
    plus(
      trace,
      parts.offset,
      plus(
        trace,
        indexOffset(trace, rows, add(trace, origin.row, row), "i32"),
        indexOffset(trace, cols, add(trace, origin.col, col), "i32"),
      ),
    );
  const rowsAdd = stepsAdd(
    rows,
    origin.rows,
    steps.map((s) => s.row),
  );
  const colsAdd = stepsAdd(
    cols,
    origin.cols,
    steps.map((s) => s.col),
  );
  if (!rowsAdd || !colsAdd) return (row, col) => sharedAddress(trace, parts, whole(row, col));
  const start = whole(0, 0);
  if (parts.swizzle === "none") {
    const { ptr, offset } = sharedAddress(trace, parts, start);
    return (row, col) => ({ ptr, offset: offset + staticOffset(row, col) });
  }
  return (
    swizzledAddresses(trace, view, origin, steps, start, staticOffset) ??
    ((row, col) => sharedAddress(trace, parts, whole(row, col)))
  );
}

/** The bits 4 to 6 of a swizzled address that the static step may set, where the staged part never does. */
function swizzledAddresses(
  trace: Trace,
  view: SharedViewObject,
  origin: Origins,
  steps: readonly { row: number; col: number }[],
  start: Offset,
  staticOffset: (row: number, col: number) => number,
): AddressOf | undefined {
  const { swizzle, base, layout, offset } = view.parts;
  const pattern = patternBytes(swizzle);
  const row = pattern / 8;
  const inRows = origin.rows.map((r) => offsetIn(layout[0] ?? [], r));
  const inCols = origin.cols.map((c) => offsetIn(layout[1] ?? [], c));
  const taken = inCols.reduce((bits, c) => inRows.reduce((all, r) => all | (r + c), bits), 0);
  const free = steps.every((s) => {
    const low = staticOffset(s.row, s.col) % pattern;
    return low < row && (low & taken) === 0 && low % 16 === 0;
  });
  if (!free || !start.staged || offset.fixed % pattern !== 0 || !stagedMultiple(trace, view, row)) return undefined;
  const swizzledStart = swizzleValue(trace, start.staged, swizzle);
  const pointers = new Map<number, Value>();
  return (r, c) => {
    const step = staticOffset(r, c);
    const low = step % pattern;
    const ptr = pointers.get(low) ?? pointer(trace, base, xor(trace, swizzledStart, low));
    pointers.set(low, ptr);
    return { ptr, offset: start.fixed + step - low };
  };
}

const range = (n: number, by = 1): number[] => Array.from({ length: n }, (_, i) => i * by);

/** Eight neighbouring columns are 16 bytes that begin at a multiple of 16. */
function fitsMatrices(trace: Trace, tile: TileShape, view: SharedViewObject): boolean {
  const { layout, offset, align } = view.parts;
  if (elementBytes[tile.dtype] !== 2 || (tile.dtype !== "f16" && tile.dtype !== "bf16")) return false;
  const columns = layout[1]?.at(-1);
  return (
    !isPeer(view.parts) &&
    columns?.stride === 2 &&
    columns.extent % 8 === 0 &&
    align >= 16 &&
    offset.fixed % 16 === 0 &&
    runsBeginAt(layout, 16) &&
    stagedMultiple(trace, view, 16)
  );
}

/** Where a whole warp moves two or four 8 x 8 matrices at once. */
interface MatrixPlace {
  readonly address: () => Address;
  /** The first of the thread's elements, and how many pairs of them: one of each matrix. */
  readonly first: number;
  readonly pairs: 2 | 4;
}

/**
 * Lane i gives the address of row i % 8 of matrix i / 8; the matrices are (rows 0–7, 8–15) × (columns 0–7, 8–15). PTX ISA 9.7.14.5.15,
 * 9.7.14.5.16. The last eight columns of an odd number of eights are two matrices, to which lanes 0 to 15 give the addresses.
 * Undefined where the elements are not 16-bit ones along whole rows.
 */
export function matrixPlaces(trace: Trace, tile: TileShape, view: SharedViewObject): readonly MatrixPlace[] | undefined {
  if (!fitsMatrices(trace, tile, view)) return undefined;
  const cols = tile.shape[1];
  const steps = range(tile.rows / 64, 64).flatMap((row) => range(Math.ceil(cols / 16), 16).map((col) => ({ row, col })));
  const lane = laneOf(trace);
  const group = groupIndex(trace, tile.sharing);
  const inWarp = add(trace, shl(trace, warpInGroup(trace), 4), and(trace, lane, 15));
  const rows = {
    row: group ? add(trace, mul(trace, group, tile.rows), inWarp) : inWarp,
    rows: range(tile.sharing, tile.rows).flatMap((g) => range(64).map((r) => g + r)),
  };
  const isWhole = (step: { readonly col: number }): boolean => step.col + 16 <= cols;
  const [whole, last] = [steps.filter(isWhole), steps.filter((s) => !isWhole(s))];
  const four = addresses(trace, view, { ...rows, col: shl(trace, shr(trace, lane, 4), 3), cols: [0, 8] }, whole);
  const two = last.length > 0 ? addresses(trace, view, { ...rows, col: constant(trace, 0, "i32"), cols: [0] }, last) : four;
  return steps.map((step) => ({
    address: () => (isWhole(step) ? four : two)(step.row, step.col),
    first: (step.row / 64) * (cols / 2) + step.col / 2,
    pairs: isWhole(step) ? 4 : 2,
  }));
}

/** Elements of a thread that one access moves. */
interface Run {
  readonly at: Location;
  readonly first: number;
  readonly count: 1 | 2;
}

/** Two neighbouring columns at a time; one by one where the view is transposed. */
export function sharedRuns(trace: Trace, tile: TileShape, view: SharedViewObject): readonly Run[] {
  const cols = tile.shape[1];
  const bytes = elementBytes[tile.dtype];
  const origin = originOf(trace, tile.rows, tile.sharing);
  const places = elementPlaces(tile.rows, cols);
  const columns = view.parts.layout[1]?.at(-1);
  const pairs = columns?.stride === bytes && columns.extent % 2 === 0 && pairAligned(trace, view, 2 * bytes);
  const steps = pairs ? places.filter((p) => p.col % 2 === 0) : places;
  const rowsTaken = range(tile.sharing, tile.rows).flatMap((g) =>
    range(64)
      .filter((r) => (r & 8) === 0)
      .map((r) => g + r),
  );
  const at = addresses(trace, view, { ...origin, rows: rowsTaken, cols: [0, 2, 4, 6] }, steps);
  const where = { space: "shared", dtype: tile.dtype, what: "a tile", exact: undefined, run: 2 } as const;
  return places.flatMap((place, first): Run[] => {
    if (pairs && place.col % 2 !== 0) return [];
    return [{ at: { ...where, address: () => at(place.row, place.col) }, first, count: pairs ? 2 : 1 }];
  });
}

/** Does a staged part of the view's offset surely keep to multiples of so many bytes? */
function stagedMultiple(trace: Trace, view: SharedViewObject, bytes: number): boolean {
  const { staged } = view.parts.offset;
  return staged === undefined || isMultipleOf(trace, staged, bytes);
}

/** Do all runs of neighbouring columns, of every row and panel, begin at multiples of so many bytes from the first one? */
const runsBeginAt = (layout: Layout, bytes: number): boolean =>
  layout
    .flatMap((dimension, d) => (d === 1 ? dimension.slice(0, -1) : dimension))
    .every((m) => m.extent <= 1 || m.stride % bytes === 0);

/** Every row begins at a multiple of the pair's bytes. */
function pairAligned(trace: Trace, view: SharedViewObject, bytes: number): boolean {
  const { layout, offset, align } = view.parts;
  return align % bytes === 0 && offset.fixed % bytes === 0 && runsBeginAt(layout, bytes) && stagedMultiple(trace, view, bytes);
}
