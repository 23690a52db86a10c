import { assert, blockIdx, gridDependency, i64, type Kernel, kernel, type Tensor, threadIdx } from "warpsmith";
import type { Kept } from "../common/made.ts";
import { rounded } from "../common/numbers.ts";
import type { FloatType } from "../common/tensors.ts";

export type Ids = Tensor<"i32" | "i64", 1>;
type Matrix = Tensor<FloatType, 2>;

/** How threads share the vectors of rows that are copied. */
export interface EmbeddingPlan {
  /** Threads of a block. */
  readonly threads: number;
  /** Vectors that each of them has. */
  readonly loads: number;
  /** How rows of the table are loaded, and how the result is stored. */
  readonly evict?: "noAllocate" | "first";
  readonly stores?: "first";
}

/** Rows of a table that are copied. */
export interface EmbeddingShape {
  readonly plan: EmbeddingPlan;
  /** Elements of a row of the table. */
  readonly columns: number;
  /** Neighbours that a thread moves at a time; they divide a row. */
  readonly vector: number;
}

/** Whether an id names a row. An i64 is compared as it is. */
export function isRow(id: number | bigint, rows: number): boolean {
  "use kernel";
  return typeof id === "bigint" ? id >= 0n && id < i64(rows) : id >= 0 && id < rows;
}

/** y[i] = table[ids[i]]: NaN where there is no such row. */
export function makeEmbedding(
  { plan, columns, vector }: EmbeddingShape,
  overlaps: boolean,
  debug: boolean | undefined,
  kept: Kept,
): Kernel<[y: Matrix, table: Matrix, ids: Ids]> {
  const perRow = columns / vector;
  const { threads, loads } = plan;
  return kernel(
    {
      ...kept,
      block: threads,
      grid: ({ shape: [rows = 0] }) => {
        "use kernel"; // so that a build can follow what it computes
        return Math.ceil((rows * perRow) / (threads * loads));
      },
      dynamic: { y: [0], table: [0], ids: [0] },
      ...(debug === undefined ? {} : { debug }),
    },
    function embedding(y: Matrix, table: Matrix, ids: Ids) {
      if (overlaps) gridDependency.wait();
      const [rows, known] = [ids.shape[0], table.shape[0]];
      const first = blockIdx.x * (threads * loads) + threadIdx.x;
      const places = Array.from({ length: loads }, (_, i) => {
        const number = first + i * threads;
        const row = Math.trunc(number / perRow);
        return { row, column: (number - row * perRow) * vector, pred: row < rows };
      });
      const found = places.map(({ row, pred }) => ids.at(row).load({ pred }));
      const loaded = places.map(({ column, pred }, i) => {
        const id = found[i] ?? 0;
        const isKnown = isRow(id, known);
        assert(isKnown || !pred, "ids[{}] is {}, and the table has {} rows", places[i]?.row ?? 0, id as number, known);
        const options = { pred: pred && isKnown, other: Number.NaN, ...(plan.evict ? { evict: plan.evict } : {}) };
        const place = table.at(id, column);
        return vector === 1 ? [place.load(options)] : place.load({ ...options, vector: vector as 8 });
      });
      for (const [i, { row, column, pred }] of places.entries()) {
        const values = (loaded[i] ?? []).map((v) => rounded(y.dtype, v));
        const options = plan.stores ? { pred, evict: plan.stores } : { pred };
        if (vector === 1) y.at(row, column).store(values[0] ?? 0, options);
        else y.at(row, column).store(values, options);
      }
    },
  );
}
