/** Which elements of a row a thread has: neighbouring threads have neighbouring vectors. */
import { block, blockIdx, cluster, type Tensor, threadIdx, warp } from "warpsmith";
import { rounded } from "../common/numbers.ts";
import { type FloatType, sizeOf } from "../common/tensors.ts";
import { clusterOf, type RowPlan, type RowShape, rowsOfBlock, threadsOf } from "./plan.ts";

export type Rows = Tensor<FloatType, 2>;
export type Line = Tensor<FloatType, 1>;

/** For each load of a thread its neighbours. */
export type Values = readonly (readonly number[])[];

/** The first column of a load, and whether it lies in the row: undefined where it always does. */
export interface Place {
  readonly column: number;
  readonly pred: boolean | undefined;
}

/** This thread's loads of those numbers. */
export function placesOf({ plan, vector, columns }: RowShape, from: number, to: number): readonly Place[] {
  "use kernel";
  const width = threadsOf(plan) * vector;
  const lane = plan.group === "warp" ? warp.lane : threadIdx.x;
  const first = (clusterOf(plan) > 1 ? cluster.rank * plan.threads + lane : lane) * vector;
  return Array.from({ length: to - from }, (_, i) => {
    const column = (from + i) * width + first;
    return { column, pred: (from + i + 1) * width <= columns ? undefined : column < columns };
  });
}

/** What lies there, as memory has it; 0 beyond the end of the row. */
export function loadAt(x: Rows, row: number, { vector, plan }: RowShape, { column, pred }: Place): readonly number[] {
  "use kernel";
  const cache = plan.evict ? { evict: plan.evict } : {};
  const options = pred === undefined ? cache : { ...cache, pred };
  const place = x.at(row, column);
  return vector === 1 ? [place.load(options)] : place.load({ ...options, vector: vector as 8 });
}

/** Of what is the same for all rows, such as weights; elements wider than those of the rows take several loads. */
export function lineAt(w: Line, { vector }: RowShape, { column, pred }: Place): readonly number[] {
  "use kernel";
  const options = pred === undefined ? {} : { pred };
  const most = Math.min(vector, 16 / sizeOf(w));
  return Array.from({ length: vector / most }, (_, i) => {
    const place = w.at(column + i * most);
    return most === 1 ? [place.load(options)] : place.load({ ...options, vector: most as 8 });
  }).flat();
}

/** Rounded to the type of y. */
export function storeAt(y: Rows, row: number, { vector }: RowShape, { column, pred }: Place, values: readonly number[]) {
  "use kernel";
  const options = pred === undefined ? {} : { pred };
  const numbers = values.map((v) => rounded(y.dtype, v));
  if (vector === 1) y.at(row, column).store(numbers[0] ?? 0, options);
  else y.at(row, column).store(numbers, options);
}

/** What the threads of a row come to, in each of them. */
export function reduceOf<S>({ plan }: RowShape, own: S, combine: (a: S, b: S) => S): S {
  "use kernel";
  const [value, join] = [own, combine];
  if (plan.group === "warp") return warp.reduce(value, join) as S;
  return (clusterOf(plan) > 1 ? cluster.reduce(value, join) : block.reduce(value, join)) as S;
}

/** Whether this is the thread that stores what all have. */
export function isFirst({ plan }: RowShape): boolean {
  "use kernel";
  if (plan.group === "warp") return warp.lane === 0;
  return clusterOf(plan) > 1 ? threadIdx.x === 0 && cluster.rank === 0 : threadIdx.x === 0;
}

/** Calls `work` with the row that this group of threads has. */
export function forRow(rows: number, plan: RowPlan, work: (row: number) => void) {
  "use kernel";
  if (plan.group === "warp") {
    const row = blockIdx.x * rowsOfBlock(plan) + warp.index;
    if (row < rows) work(row);
  } else work(clusterOf(plan) > 1 ? cluster.index.x : blockIdx.x);
}
