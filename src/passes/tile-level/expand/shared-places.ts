import { add, constant, xor } from "../../../ir/arith.ts";
import type { TileType, Value } from "../../../ir/index.ts";
import type { LinearLayout } from "../../../layout/index.ts";
import { elementPlaces, linearLayout, operandLines, partShape, sharedOut, warpgroupsOf } from "../../../layout/index.ts";
import { chunkBytes, offsetIn, patternBytes, spanBytes, stepsAdd } from "../../../layout/modes/index.ts";
import type { Location } from "./accesses.ts";
import { type Address, pointer, sharedAddress, swizzleValue } from "./addresses.ts";
import type { Expansion } from "./expansion.ts";
import { coordinate, groupIndex, inTile, laneOf, originOf, type Running, valuesOf } from "./fragment.ts";
import { indexOffset, noOffset, type Offset, plus } from "./offset.ts";
import type { SharedParts } from "./parts.ts";
import { runsAlong, type Vector } from "./vectors.ts";

/** Coordinates of an element. */
type Place = readonly number[];

/** Gives the address of the element that lies so far (static) from a thread's own first element. */
type AddressOf = (place: Place) => Address;

/** A view of shared memory, and what surely divides the staged part of the bytes from its buffer to its first element. */
export interface PlacedView {
  readonly view: SharedParts;
  readonly divisor: number;
}

/** The coordinates of a thread's first element, and which values each of them takes. */
interface Origins {
  readonly at: readonly Value[];
  readonly values: readonly (readonly number[])[];
}

/**
 * Addresses as one staged part and static rest: the rest goes into the instruction, and with a swizzle, where it changes only bits
 * that the staged part leaves free, into one exclusive or. Falls back to a whole address per element for irregular views.
 */
function addresses(x: Expansion, placed: PlacedView, origin: Origins, steps: readonly Place[]): AddressOf {
  const { w } = x;
  const { view } = placed;
  const { layout, swizzle } = view.type;
  const staticOffset = (place: Place): number => place.reduce((sum, n, d) => sum + offsetIn(layout[d] ?? [], n), 0);
  const whole = (place: Place): Offset => {
    const offsets = place.map((n, d) => indexOffset(w, layout[d] ?? [], add(w, origin.at[d] as Value, n), "i32"));
    return plus(
      w,
      view.offset,
      offsets.reduce((a, b) => plus(w, a, b), noOffset),
    );
  };
  const separable = layout.every((dimension, d) =>
    stepsAdd(
      dimension,
      origin.values[d] ?? [],
      steps.map((s) => s[d] ?? 0),
    ),
  );
  if (!separable) return (place) => sharedAddress(w, view, whole(place));
  const start = whole(layout.map(() => 0));
  if (swizzle === "none") {
    const { ptr, offset } = sharedAddress(w, view, start);
    return (place) => ({ ptr, offset: offset + staticOffset(place) });
  }
  return swizzledAddresses(x, placed, origin, steps, start, staticOffset) ?? ((place) => sharedAddress(w, view, whole(place)));
}

/** The bits that a swizzle changes: the static step may set some of them, where the staged part never does. */
function swizzledAddresses(
  x: Expansion,
  { view, divisor }: PlacedView,
  origin: Origins,
  steps: readonly Place[],
  start: Offset,
  staticOffset: (place: Place) => number,
): AddressOf | undefined {
  const { swizzle, layout } = view.type;
  const pattern = patternBytes(swizzle);
  const [span, chunk] = [spanBytes(swizzle), chunkBytes(swizzle)];
  const sums = layout.reduce(
    (all, dimension, d) => {
      const offsets = new Set((origin.values[d] ?? []).map((n) => offsetIn(dimension, n)));
      return [...new Set(all.flatMap((sum) => [...offsets].map((offset) => sum + offset)))];
    },
    [0],
  );
  const taken = sums.reduce((bits, sum) => bits | sum, 0);
  const bytesTo = (place: Place): number => start.fixed + staticOffset(place);
  const free = steps.every((s) => {
    const low = bytesTo(s) % pattern;
    return low < span && (low & taken) === 0 && low % chunk === 0;
  });
  if (!free || !start.staged || divisor % span !== 0) return undefined;
  const swizzledStart = swizzleValue(x.w, start.staged, swizzle);
  const pointers = new Map<number, Value>();
  return (place) => {
    const step = bytesTo(place);
    const low = step % pattern;
    const ptr = pointers.get(low) ?? pointer(x.w, view.base, xor(x.w, swizzledStart, low));
    pointers.set(low, ptr);
    return { ptr, offset: step - low };
  };
}

/** Where a whole warp moves two or four 8 x 8 matrices at once. */
interface MatrixPlace {
  readonly address: () => Address;
  /** The first of the thread's elements, and how many pairs of them: one of each matrix. */
  readonly first: number;
  readonly pairs: 2 | 4;
}

/** What each coordinate of threads' first elements may be, of all warpgroups that share the tile. */
const valuesIn = (tile: TileType, layout: LinearLayout): readonly (readonly number[])[] =>
  tile.shape.map((_, d) => {
    const out = sharedOut(tile);
    const firsts = out?.dim === d ? Array.from({ length: warpgroupsOf(tile) }, (_, g) => g * out.each) : [0];
    return firsts.flatMap((first) => valuesOf(layout, d).map((at) => first + at));
  });

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
  const [, cols = 0] = partShape(tile);
  const places = elementPlaces(tile);
  const steps = places.flatMap((place, first) => {
    const [row = 0, col = 0] = place;
    return row % 16 === 0 && col % 16 === 0 ? [{ place, col, first }] : [];
  });
  laneOf(w);
  const group = groupIndex(w, tile, running);
  const four = addressesBy(4, tile);
  const at = (layout: LinearLayout, d: number): Value => coordinate(w, tile, running, d, layout) ?? constant(w, 0, "i32");
  const row = inTile(w, tile, 0, at(four, 0), group);
  const addressing = (layout: LinearLayout, of: typeof steps): AddressOf => {
    const origin = { at: [row, at(layout, 1)], values: valuesIn(tile, layout) };
    return addresses(
      x,
      view,
      origin,
      of.map((s) => s.place),
    );
  };
  const isWhole = (step: { readonly col: number }): boolean => step.col + 16 <= cols;
  const [whole, last] = [steps.filter(isWhole), steps.filter((s) => !isWhole(s))];
  const ofFour = addressing(four, whole);
  const ofTwo = last.length > 0 ? addressing(addressesBy(2, tile), last) : ofFour;
  return steps.map((step) => ({
    address: () => (isWhole(step) ? ofFour : ofTwo)(step.place),
    first: step.first,
    pairs: isWhole(step) ? 4 : 2,
  }));
}

/** Where a whole warp loads 8 x 8 matrices of an operand, one word of each to every lane. */
interface OperandPlace {
  readonly address: () => Address;
  /** How many matrices. */
  readonly count: 1 | 2 | 4;
}

/** The words of an operand in the order of its registers. */
export function operandPlaces(
  x: Expansion,
  tile: TileType,
  view: PlacedView,
  running: Running,
  { across, width }: { readonly across: number; readonly width: number },
): readonly OperandPlace[] {
  const { w } = x;
  const { layout, count } = operandLines(tile, across, width);
  laneOf(w);
  const at = tile.shape.map((_, d) => coordinate(w, tile, running, d, layout) ?? constant(w, 0, "i32"));
  const starts = elementPlaces(tile).filter((_, i) => i % (count * width) === 0);
  const addressOf = addresses(x, view, { at, values: valuesIn(tile, layout) }, starts);
  return starts.map((place) => ({ address: () => addressOf(place), count }));
}

/** Elements of a thread that one access moves: their numbers, in the order of memory. */
interface Run {
  readonly at: Location;
  readonly elements: readonly number[];
}

/** One element after the other, or as many at a time that lie side by side along a dimension. */
export function sharedRuns(x: Expansion, tile: TileType, view: PlacedView, running: Running, vector: Vector): readonly Run[] {
  const places = elementPlaces(tile);
  const runs = runsAlong(places, vector);
  const origin = { at: originOf(x, tile, running), values: valuesIn(tile, linearLayout(tile)) };
  const starts = runs.map(([first = 0]) => places[first] as Place);
  const at = addresses(x, view, origin, starts);
  const where = { space: view.view.type.space, dtype: tile.dtype } as const;
  return runs.map((elements, i) => ({ at: { ...where, address: () => at(starts[i] as Place) }, elements }));
}
