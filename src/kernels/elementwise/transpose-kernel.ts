import { blockIdx, type DType, gridDependency, type Kernel, kernel, type Tensor, warp } from "warpsmith";
import type { Kept } from "../common/made.ts";

/** How the threads of a launch share a matrix: each has squares of as many rows and columns as a vector has elements. */
export interface TransposePlan {
  /** Lanes of a warp beside each other along the rows of x; the others are below them. */
  readonly across: number;
  /** Warps of a block beside each other along the rows of x, and below each other. */
  readonly warps: readonly [across: number, down: number];
  /** Blocks that follow each other lie below each other. */
  readonly down?: boolean | undefined;
}

type Matrix = Tensor<DType, 2>;

/** y = xᵀ: x is [M, N], y [N, M]. */
export function makeTranspose(
  plan: TransposePlan,
  vector: number,
  overlaps: boolean,
  kept: Kept,
): Kernel<[x: Matrix, y: Matrix]> {
  const { across, warps } = plan;
  const [width, height] = [vector * across * warps[0], vector * (32 / across) * warps[1]];
  return kernel(
    {
      ...kept,
      block: 32 * warps[0] * warps[1],
      grid: (x) => {
        "use kernel"; // so that a build can follow what it computes
        return Math.ceil(x.shape[1] / width) * Math.ceil(x.shape[0] / height);
      },
      dynamic: { x: [0], y: [1] },
    },
    function transpose(x: Matrix, y: Matrix) {
      if (overlaps) gridDependency.wait();
      const [rows, columns] = x.shape;
      const perRow = Math.ceil(columns / width);
      const perColumn = plan.down ? Math.trunc((rows + height - 1) / height) : 0;
      const line = plan.down ? blockIdx.x % perColumn : Math.trunc(blockIdx.x / perRow);
      const column = plan.down ? Math.trunc(blockIdx.x / perColumn) : blockIdx.x % perRow;
      const col = column * width + ((warp.index % warps[0]) * across + (warp.lane % across)) * vector;
      const row = line * height + (Math.trunc(warp.index / warps[0]) * (32 / across) + Math.trunc(warp.lane / across)) * vector;
      const beside = col < columns;
      const lines = Array.from({ length: vector }, (_, i) => {
        const options = { pred: beside && row + i < rows };
        return vector === 1 ? [x.at(row + i, col).load(options)] : x.at(row + i, col).load({ ...options, vector: vector as 4 });
      });
      for (const j of lines.keys()) {
        const values = lines.map((values) => values[j] ?? 0);
        const options = { pred: row < rows && col + j < columns };
        if (vector === 1) y.at(col + j, row).store(values[0] ?? 0, options);
        else y.at(col + j, row).store(values, options);
      }
    },
  );
}
