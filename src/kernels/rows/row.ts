/** A row in the hands of the threads that have it together. */
import { f32, range } from "warpsmith";
import { rounded, tree } from "../common/numbers.ts";
import type { FloatType } from "../common/tensors.ts";
import { type Line, lineAt, loadAt, type Place, placesOf, type Rows, reduceOf, storeAt, type Values } from "./places.ts";
import { loadsOf, type RowShape, threadsOf } from "./plan.ts";

/** What becomes of an element, and of what lies beside it in each of the lines. */
type Work = (value: number, ...line: readonly number[]) => number;

/** One number for each element of a row, in f32: in registers, or made again from memory whenever they are used. */
export interface Row {
  /** Another number for each element. */
  map(fn: Work, ...lines: readonly Beside[]): Row;
  /** What this thread's elements come to. What is beyond the end of the row is `other`; `columns` has the first column of each load. */
  fold<S>(start: S, other: number, step: (state: S, values: Values, columns: readonly number[]) => S): S;
  /** Rounds to the type of y. */
  store(y: Rows): void;
  /** Stores it, and is from then on what was stored. */
  storedIn(y: Rows): Row;
  /** As that type has it. */
  roundedTo(dtype: FloatType): Row;
}

/** One number for each column, such as a weight: what every row has beside it. */
export type Beside = (places: readonly Place[]) => Values;

/** Begins to load them where rows stay in registers: call it before what the threads of a row wait for. */
export function readLine(line: Line, shape: RowShape): Beside {
  "use kernel";
  const read: Beside = (places) => places.map((place) => lineAt(line, shape, place));
  if (shape.plan.keep === false) return read;
  const values = read(placesOf(shape, 0, loadsOf(shape)));
  return () => values;
}

/** Some loads of this thread. */
type Read = (places: readonly Place[]) => Values;

/** The row of a matrix. */
export function readRow(x: Rows, row: number, shape: RowShape): Row {
  "use kernel";
  const read: Read = (places) => places.map((place) => loadAt(x, row, shape, place).map((v) => f32(v)));
  return rowOf(read, row, shape);
}

/** The row of x + residual. */
export function readSum(x: Rows, residual: Rows, row: number, shape: RowShape): Row {
  "use kernel";
  const read: Read = (places) => {
    const own = places.map((place) => loadAt(x, row, shape, place));
    const added = places.map((place) => loadAt(residual, row, shape, place));
    return own.map((values, i) => values.map((v, j) => f32(v) + f32(added[i]?.[j] ?? 0)));
  };
  return rowOf(read, row, shape);
}

function rowOf(read: Read, row: number, shape: RowShape): Row {
  "use kernel";
  if (shape.plan.keep === false) return streamed(read, row, shape);
  const places = placesOf(shape, 0, loadsOf(shape));
  return kept(read(places), row, shape, places);
}

function kept(values: Values, row: number, shape: RowShape, places: readonly Place[]): Row {
  "use kernel";
  const store = (y: Rows): void => {
    for (const [i, place] of places.entries()) storeAt(y, row, shape, place, values[i] ?? []);
  };
  return {
    map: (fn, ...lines) => kept(mapped(values, places, fn, lines), row, shape, places),
    fold: (start, other, step) => step(start, bounded(values, places, other), columnsOf(places)),
    store,
    storedIn: (y) => {
      store(y);
      return kept(widened(values, y.dtype), row, shape, places);
    },
    roundedTo: (dtype) => kept(widened(values, dtype), row, shape, places),
  };
}

function streamed(read: Read, row: number, shape: RowShape): Row {
  "use kernel";
  const store = (y: Rows): void =>
    forLoads(shape, (places) => {
      for (const [i, values] of read(places).entries())
        for (const place of places.slice(i, i + 1)) storeAt(y, row, shape, place, values);
    });
  return {
    map: (fn, ...lines) => streamed((places) => mapped(read(places), places, fn, lines), row, shape),
    fold: (start, other, step) => {
      let state = start;
      forLoads(shape, (places) => {
        state = step(state, bounded(read(places), places, other), columnsOf(places));
      });
      return state;
    },
    store,
    storedIn: (y) => {
      store(y);
      return readRow(y, row, shape);
    },
    roundedTo: (dtype) => streamed((places) => widened(read(places), dtype), row, shape),
  };
}

/** As that type has them, in f32 again. */
const widened = (values: Values, dtype: FloatType): Values => {
  "use kernel";
  return values.map((chunk) => chunk.map((v) => f32(rounded(dtype, v))));
};

/** Goes through the loads of a thread by a few at a time. */
export function forLoads(shape: RowShape, work: (places: readonly Place[]) => void) {
  "use kernel";
  const { plan, columns, vector } = shape;
  const width = threadsOf(plan) * vector;
  const { depth = 4 } = plan;
  const [loads, steps] = [loadsOf(shape), Math.trunc(columns / (width * depth))];
  const first = placesOf(shape, 0, depth);
  for (const i of range(steps)) work(first.map(({ column }) => ({ column: column + i * (depth * width), pred: undefined })));
  for (let i = steps * depth; i < loads; i += depth) work(placesOf(shape, i, Math.min(i + depth, loads)));
}

const columnsOf = (places: readonly Place[]): readonly number[] => {
  "use kernel";
  return places.map(({ column }) => column);
};

/** What is beyond the end of the row is `other`. */
function bounded(values: Values, places: readonly Place[], other: number): Values {
  "use kernel";
  return values.map((chunk, i) => {
    const pred = places[i]?.pred;
    return pred === undefined ? chunk : chunk.map((v) => (pred ? v : other));
  });
}

function mapped(values: Values, places: readonly Place[], fn: Work, lines: readonly Beside[]): Values {
  "use kernel";
  const beside = lines.map((line) => line(places));
  return values.map((chunk, i) => chunk.map((v, j) => fn(v, ...beside.map((line) => f32(line[i]?.[j] ?? 0)))));
}

/** All of a thread's numbers together. */
export const together = (values: Values, combine: (a: number, b: number) => number): number => {
  "use kernel";
  const chunks = values.map((chunk) => tree(chunk, combine));
  return tree(chunks, combine);
};

/** The sum over the row, in every thread that has it. */
export function sumOf(row: Row, shape: RowShape): number {
  "use kernel";
  const add = (a: number, b: number): number => a + b;
  const own = row.fold(f32(0), 0, (sum, values) => sum + together(values, add));
  return reduceOf(shape, own, add);
}

/** The greatest of the row, in every thread that has it; NaN where there is one. */
export function maxOf(row: Row, shape: RowShape): number {
  "use kernel";
  const greater = (a: number, b: number): number => Math.max(a, b);
  const own = row.fold(f32(Number.NEGATIVE_INFINITY), Number.NEGATIVE_INFINITY, (max, values) =>
    Math.max(max, together(values, greater)),
  );
  return reduceOf(shape, own, greater);
}
