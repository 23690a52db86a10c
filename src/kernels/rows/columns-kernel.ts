import {
  cluster,
  f32,
  gridDependency,
  type Kernel,
  kernel,
  range,
  sharedMemory,
  syncThreads,
  type Tensor,
  threadIdx,
} from "warpsmith";
import type { Kept } from "../common/made.ts";
import { rounded } from "../common/numbers.ts";
import type { FloatType } from "../common/tensors.ts";
import type { Rows } from "./places.ts";

/** How the threads of a launch share columns. */
export interface ColumnsPlan {
  readonly threads: number;
  /** Threads beside each other: a block has so many vectors of each of its rows. */
  readonly across: number;
  /** Blocks that share the rows of the same columns: 1, 2, 4 or 8. */
  readonly cluster: number;
  /** Loads of a thread under way at a time. */
  readonly depth: number;
}

export interface ColumnsShape {
  readonly plan: ColumnsPlan;
  readonly columns: number;
  readonly vector: number;
}

/** The sum of each column: threads add rows that are equally far apart, then those of a block, then blocks of a cluster. */
export function makeSumColumns(shape: ColumnsShape, overlaps: boolean, kept: Kept): Kernel<[x: Rows, y: Tensor<FloatType, 1>]> {
  const { plan, columns, vector } = shape;
  const { threads, across } = plan;
  const [width, down] = [across * vector, threads / across];
  return kernel(
    { ...kept, block: threads, cluster: plan.cluster, grid: Math.ceil(columns / width) * plan.cluster, dynamic: { x: [0] } },
    function sumColumns(x: Rows, y: Tensor<FloatType, 1>) {
      if (overlaps) gridDependency.wait();
      const first = cluster.index.x * width;
      const [beside, below] = [threadIdx.x % across, Math.trunc(threadIdx.x / across)];
      const column = first + beside * vector;
      const own = addRows(x, shape, column, cluster.rank * down + below, down * plan.cluster);
      const parts = sharedMemory.alloc("f32", [down, width]);
      const sums = sharedMemory.alloc("f32", [width]);
      for (const [j, v] of own.entries()) parts.at(below, beside * vector + j).store(v);
      syncThreads();
      for (const c of range(threadIdx.x, width, threads)) {
        let sum = f32(0);
        for (const r of range(down)) sum = sum + parts.at(r, c).load();
        sums.at(c).store(sum);
      }
      if (plan.cluster > 1) cluster.sync();
      else syncThreads();
      if (cluster.rank === 0) {
        for (const c of range(threadIdx.x, width, threads)) {
          let sum = f32(0);
          for (let rank = 0; rank < plan.cluster; rank++)
            sum = sum + (plan.cluster > 1 ? cluster.map(sums, rank) : sums).at(c).load();
          if (first + c < columns) y.at(first + c).store(rounded(y.dtype, sum));
        }
      }
      if (plan.cluster > 1) cluster.sync(); // nobody leaves while the first block still reads
    },
  );
}

/** The sums of a vector's columns over every `step`-th row. */
function addRows(
  x: Rows,
  { plan, columns, vector }: ColumnsShape,
  column: number,
  from: number,
  step: number,
): readonly number[] {
  "use kernel";
  const rows = x.shape[0];
  const inside = column < columns;
  let sums: readonly number[] = Array.from({ length: vector }, () => f32(0));
  for (const row of range(from, rows, step * plan.depth)) {
    const loaded = Array.from({ length: plan.depth }, (_, i) => {
      const at = row + i * step;
      const options = { pred: inside && at < rows };
      return vector === 1 ? [x.at(at, column).load(options)] : x.at(at, column).load({ ...options, vector: vector as 8 });
    });
    for (const chunk of loaded) sums = sums.map((sum, j) => sum + f32(chunk[j] ?? 0));
  }
  return sums;
}
