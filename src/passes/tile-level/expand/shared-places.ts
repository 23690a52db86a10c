import { add, constant, xor } from "../../../ir/arith.ts";
import type { TileType, Value } from "../../../ir/index.ts";
import type { LinearLayout } from "../../../layout/linear-layout.ts";
import { offsetIn, patternBytes, stepsAdd } from "../../../layout/modes.ts";
import { elementPlaces, extentsOf, linearLayout, rowsEach, warpgroupsOf } from "../../../layout/tile-layout.ts";
import type { Location } from "./accesses.ts";
import { type Address, pointer, sharedAddress, swizzleValue } from "./addresses.ts";
import type { Expansion } from "./expansion.ts";
import { coordinate, groupIndex, inTile, laneOf, originOf, type Running, valuesOf } from "./fragment.ts";
import { indexOffset, type Offset, plus } from "./offset.ts";
import type { SharedParts } from "./parts.ts";

/** Gives the address of the element that is `row`, `col` (static) from a thread's own first element. */
type AddressOf = (row: number, col: number) => Address;

/** A view of shared memory, and what surely divides the bytes from its buffer to its first element. */
export interface PlacedView {
  readonly view: SharedParts;
  readonly divisor: number;
}

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
function addresses(x: Expansion, placed: PlacedView, origin: Origins, steps: readonly { row: number; col: number }[]): AddressOf {
  const { w } = x;
  const { view } = placed;
  const { layout, swizzle } = view.type;
  const [rows, cols] = [layout[0] ?? [], layout[1] ?? []];
  const staticOffset = (row: number, col: number): number => offsetIn(rows, row) + offsetIn(cols, col);
  const whole = (row: number, col: number): Offset =>
    plus(
      w,
      view.offset,
      plus(w, indexOffset(w, rows, add(w, origin.row, row), "i32"), indexOffset(w, cols, add(w, origin.col, col), "i32")),
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
  if (!rowsAdd || !colsAdd) return (row, col) => sharedAddress(w, view, whole(row, col));
  const start = whole(0, 0);
  if (swizzle === "none") {
    const { ptr, offset } = sharedAddress(w, view, start);
    return (row, col) => ({ ptr, offset: offset + staticOffset(row, col) });
  }
  return (
    swizzledAddresses(x, placed, origin, steps, start, staticOffset) ?? ((row, col) => sharedAddress(w, view, whole(row, col)))
  );
}

/** The bits 4 to 6 of a swizzled address that the static step may set, where the staged part never does. */
function swizzledAddresses(
  x: Expansion,
  { view, divisor }: PlacedView,
  origin: Origins,
  steps: readonly { row: number; col: number }[],
  start: Offset,
  staticOffset: (row: number, col: number) => number,
): AddressOf | undefined {
  const { swizzle, layout } = view.type;
  const pattern = patternBytes(swizzle);
  const row = pattern / 8;
  const inRows = origin.rows.map((r) => offsetIn(layout[0] ?? [], r));
  const inCols = origin.cols.map((c) => offsetIn(layout[1] ?? [], c));
  const taken = inCols.reduce((bits, c) => inRows.reduce((all, r) => all | (r + c), bits), 0);
  const free = steps.every((s) => {
    const low = staticOffset(s.row, s.col) % pattern;
    return low < row && (low & taken) === 0 && low % 16 === 0;
  });
  if (!free || !start.staged || view.offset.fixed % pattern !== 0 || divisor % row !== 0) return undefined;
  const swizzledStart = swizzleValue(x.w, start.staged, swizzle);
  const pointers = new Map<number, Value>();
  return (r, c) => {
    const step = staticOffset(r, c);
    const low = step % pattern;
    const ptr = pointers.get(low) ?? pointer(x.w, view.base, xor(x.w, swizzledStart, low));
    pointers.set(low, ptr);
    return { ptr, offset: start.fixed + step - low };
  };
}

/** Where a whole warp moves two or four 8 x 8 matrices at once. */
interface MatrixPlace {
  readonly address: () => Address;
  /** The first of the thread's elements, and how many pairs of them: one of each matrix. */
  readonly first: number;
  readonly pairs: 2 | 4;
}

/** The rows that threads begin at, of all warpgroups that share the tile. */
const rowsOf = (tile: TileType, layout: LinearLayout): readonly number[] =>
  Array.from({ length: warpgroupsOf(tile) }, (_, g) => g * rowsEach(tile)).flatMap((first) =>
    valuesOf(layout, "row").map((row) => first + row),
  );

/** The row and column of which each lane of each warp gives the address, where as many matrices stand in rows and columns. */
function addressesBy(count: 2 | 4, tile: TileType): LinearLayout {
  const { inputs, outputs } = linearLayout(tile);
  return { inputs: [{ name: "lane", bases: addressBases[count] }, ...inputs.filter((d) => d.name === "warp")], outputs };
}

/** `matrixAddresses` and then `matrixGrid`, rows first: rows 0 to 7, the next eight, and then the next eight columns. */
export const addressBases = {
  2: [
    [1, 0],
    [2, 0],
    [4, 0],
    [8, 0],
    [0, 0],
  ],
  4: [
    [1, 0],
    [2, 0],
    [4, 0],
    [8, 0],
    [0, 8],
  ],
} as const;

/**
 * Lane i gives the address of row i % 8 of matrix i / 8; the matrices are (rows 0–7, 8–15) × (columns 0–7, 8–15). PTX ISA 9.7.14.5.15,
 * 9.7.14.5.16. The last eight columns of an odd number of eights are two matrices, to which lanes 0 to 15 give the addresses.
 */
export function matrixPlaces(x: Expansion, tile: TileType, view: PlacedView, running: Running): readonly MatrixPlace[] {
  const { w } = x;
  const [, cols] = extentsOf(tile);
  const places = elementPlaces(tile);
  const steps = places.flatMap(({ row, col }, first) => (row % 16 === 0 && col % 16 === 0 ? [{ row, col, first }] : []));
  laneOf(w);
  const group = groupIndex(w, tile, running);
  const four = addressesBy(4, tile);
  const row = inTile(w, tile, coordinate(w, four, "row") ?? constant(w, 0, "i32"), group);
  const addressing = (layout: LinearLayout, of: typeof steps): AddressOf => {
    const col = coordinate(w, layout, "col") ?? constant(w, 0, "i32");
    return addresses(x, view, { row, col, rows: rowsOf(tile, layout), cols: valuesOf(layout, "col") }, of);
  };
  const isWhole = (step: { readonly col: number }): boolean => step.col + 16 <= cols;
  const [whole, last] = [steps.filter(isWhole), steps.filter((s) => !isWhole(s))];
  const ofFour = addressing(four, whole);
  const ofTwo = last.length > 0 ? addressing(addressesBy(2, tile), last) : ofFour;
  return steps.map((step) => ({
    address: () => (isWhole(step) ? ofFour : ofTwo)(step.row, step.col),
    first: step.first,
    pairs: isWhole(step) ? 4 : 2,
  }));
}

/** Elements of a thread that one access moves. */
interface Run {
  readonly at: Location;
  readonly first: number;
  readonly count: 1 | 2;
}

/** One element after the other, or two neighbouring columns at a time. */
export function sharedRuns(x: Expansion, tile: TileType, view: PlacedView, running: Running, pairs: boolean): readonly Run[] {
  const origin = originOf(x, tile, running);
  const layout = linearLayout(tile);
  const places = elementPlaces(tile);
  const steps = pairs ? places.filter((p) => p.col % 2 === 0) : places;
  const taken = { rows: rowsOf(tile, layout), cols: valuesOf(layout, "col") };
  const at = addresses(x, view, { ...origin, ...taken }, steps);
  const where = { space: "shared", dtype: tile.dtype } as const;
  return places.flatMap((place, first): Run[] => {
    if (pairs && place.col % 2 !== 0) return [];
    return [{ at: { ...where, address: () => at(place.row, place.col) }, first, count: pairs ? 2 : 1 }];
  });
}
