/** Where to cut a row so that the elements before the cut weigh enough: by digits from the top, each with a histogram of what elements weigh. */
import { block, cluster, f32, range, type SharedView, sharedMemory, syncThreads, threadIdx, u32 } from "warpsmith";
import { loadAt, type Rows } from "../rows/places.ts";
import { clusterOf, type RowShape } from "../rows/plan.ts";
import { forLoads } from "../rows/row.ts";
import { binCount, type Cut, digitBits, digitsOf, isAtCut, orderOf, shiftOf } from "./order.ts";

/** Shared memory that narrowing takes. */
export interface Bins {
  /** What elements of this block weigh, by their digits. */
  readonly own: SharedView<"u32", 1>;
  /** Of all blocks of the cluster, in its first one. */
  readonly all: SharedView<"u32", 1>;
  /** The digit of the cut, what lies before it weighs, and what lies at it; in the first block. */
  readonly found: SharedView<"u32", 1>;
}

export function makeBins({ plan }: RowShape): Bins {
  "use kernel";
  const own = sharedMemory.alloc("u32", [binCount], { align: 16 });
  return {
    own,
    all: clusterOf(plan) > 1 ? sharedMemory.alloc("u32", [binCount], { align: 16 }) : own,
    found: sharedMemory.alloc("u32", [3]),
  };
}

/** What is known of a cut. */
export interface Narrowed {
  readonly cut: Cut;
  /** What lies before the cut weighs. */
  readonly before: number;
  /** And what lies at it, of which `wanted` has to be chosen. */
  readonly here: number;
  readonly wanted: number;
}

/** What an element weighs: a whole number; `column` is one without a sign. */
export type Weight = (value: number, order: number, column: number) => number;

/** All threads of the row wait for each other. */
export function syncRow({ plan }: RowShape): void {
  "use kernel";
  if (clusterOf(plan) > 1) cluster.sync();
  else syncThreads();
}

/** The same memory in the first block of the row. */
export function inFirst<V extends SharedView<"u32", 1>>({ plan }: RowShape, view: V): V {
  "use kernel";
  return clusterOf(plan) > 1 ? cluster.map(view, 0) : view;
}

/**
 * Narrows a cut, digit by digit, until what is chosen weighs at most `enough` or all digits are known: the fewest elements from the first in the order on that weigh
 * `wanted`, and whatever else lies at the cut. The weights of a row add up to less than 2^32 and to `wanted` at least, which is at least 1.
 */
export function narrow(
  x: Rows,
  row: number,
  shape: RowShape,
  bins: Bins,
  start: Narrowed,
  enough: number,
  weightOf: Weight,
): Narrowed {
  "use kernel";
  const { ofOrder, ofColumn } = digitsOf(x.dtype, shape.columns);
  let { cut, before, here, wanted } = start;
  for (const step of range(ofOrder + ofColumn)) {
    if (before + here <= enough) break;
    const isOrder = step < ofOrder;
    const shift = isOrder ? shiftOf(step) : digitBits * (ofOrder + ofColumn - 1 - step);
    weigh(x, row, shape, bins, cut, (order, column) => ((isOrder ? order : column) >>> shift) & (binCount - 1), weightOf);
    find(shape, bins, wanted);
    const found = inFirst(shape, bins.found);
    const [digit, skipped] = [found.at(0).load(), found.at(1).load()];
    const [value, mask] = [(digit << shift) >>> 0, ((binCount - 1) << shift) >>> 0];
    cut = isOrder
      ? { ...cut, order: (cut.order | value) >>> 0, orderMask: (cut.orderMask | mask) >>> 0 }
      : { ...cut, column: (cut.column | value) >>> 0, columnMask: (cut.columnMask | mask) >>> 0 };
    [before, here, wanted] = [before + skipped, found.at(2).load(), wanted - skipped];
  }
  return { cut, before, here, wanted };
}

/** What elements at the cut weigh, by their digits. */
function weigh(
  x: Rows,
  row: number,
  shape: RowShape,
  { own, all }: Bins,
  cut: Cut,
  digitOf: (order: number, column: number) => number,
  weightOf: Weight,
): void {
  "use kernel";
  const { plan } = shape;
  const isShared = clusterOf(plan) > 1;
  for (const i of range(threadIdx.x, binCount, plan.threads)) {
    own.at(i).store(0);
    if (isShared) all.at(i).store(0);
  }
  syncRow(shape);
  forElements(x, row, shape, (value, order, column, pred) => {
    const isHere = isAtCut(cut, order, column);
    own
      .at(digitOf(order, column))
      .reduce("add", weightOf(value, order, column), { pred: pred === undefined ? isHere : pred && isHere });
  });
  if (isShared) {
    syncThreads();
    for (const i of range(threadIdx.x, binCount, plan.threads)) {
      const weight = own.at(i).load();
      cluster
        .map(all, 0)
        .at(i)
        .reduce("add", weight, { pred: weight > 0 });
    }
  }
  syncRow(shape);
}

/** Calls `work` with each element that this thread has of a row, and with whether it lies in the row: undefined where it always does. */
export function forElements(
  x: Rows,
  row: number,
  shape: RowShape,
  work: (value: number, order: number, column: number, pred: boolean | undefined) => void,
): void {
  "use kernel";
  forLoads(shape, (places) => {
    const loaded = places.map((place) => loadAt(x, row, shape, place));
    for (const [i, { column, pred }] of places.entries()) {
      for (const [j, v] of (loaded[i] ?? []).entries()) {
        const value = f32(v);
        work(value, orderOf(value), u32(column + j), pred);
      }
    }
  });
}

/** The digit that the cut runs through: each thread has neighbouring bins. In blocks other than the first there is nothing to find. */
function find(shape: RowShape, { all, found }: Bins, wanted: number): void {
  "use kernel";
  const count = Math.ceil(binCount / shape.plan.threads);
  const first = threadIdx.x * count;
  const weights = Array.from({ length: count }, (_, i) => all.at(first + i).load({ pred: first + i < binCount }));
  let before = block.scan(
    weights.reduce((sum, weight) => sum + weight),
    (a, b) => a + b,
    { exclusive: u32(0) },
  );
  for (const [i, weight] of weights.entries()) {
    if (before < wanted && wanted <= before + weight) {
      found.at(0).store(u32(first + i));
      found.at(1).store(before);
      found.at(2).store(weight);
    }
    before = before + weight;
  }
  syncRow(shape);
}
