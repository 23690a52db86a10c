import {
  gridDependency,
  type i32,
  type Kernel,
  kernel,
  Pipeline,
  sharedMemory,
  syncThreads,
  type Tensor,
  type TMA,
  threadIdx,
  warpgroup,
} from "warpsmith";
import type { Kept } from "../../common/made.ts";
import type { HalfType } from "../problem.ts";
import { compute } from "./compute.ts";
import type { Parts } from "./computing.ts";
import { load } from "./load.ts";
import { type DecodeGeometry, widthOf } from "./plan.ts";
import { divide } from "./work.ts";

/** Tensors that a launch may do without. */
export interface Optional {
  /** Where logarithms go, [batch, kvHeads, queries, heads that share keys]. */
  readonly to?: Tensor<"f32", 4>;
  /** Keys of each batch. */
  readonly lengths?: Tensor<"i32", 1>;
  /** Numbers of pages, [batch, pages of one]. */
  readonly pages?: Tensor<"i32", 2>;
}

/**
 * softmax(q Kᵀ) V for one query of each head, or a few. The keys of all heads and batches are cut into equal parts, one for each block of threads, so that all of them read
 * memory to the end. `given` says which of the tensors that a launch may do without it has. One warp loads; a warpgroup multiplies, keys by queries and values by weights, with the few queries as the columns of a product.
 */
export function makeDecode(
  geometry: DecodeGeometry,
  given: Readonly<Record<keyof Optional, boolean>>,
  kept: Kept,
): Kernel<
  [
    q: Tensor<HalfType, 5>,
    k: TMA<HalfType, 4>,
    v: TMA<HalfType, 4>,
    out: Tensor<HalfType, 5>,
    optional: Optional,
    parts: Parts,
    batches: number,
    most: number,
  ]
> {
  const { problem, plan, rows } = geometry;
  const { dtype, overlaps } = problem;
  const [d, dv] = [widthOf(problem.d), widthOf(problem.dv)];
  const swizzle = "128B";
  return kernel(
    {
      ...kept,
      block: 256,
      dynamic: {
        q: [0],
        // Pages, or batches and keys: a cache that has grown is no new kernel.
        ...(problem.pageSize === undefined ? { k: [0, 2], v: [0, 2] } : { k: [0], v: [0] }),
        out: [0],
        ...(given.to ? { "optional.to": [0] } : {}),
        ...(given.lengths ? { "optional.lengths": [0] } : {}),
        ...(given.pages ? { "optional.pages": [0, 1] } : {}),
        "parts.output": [0],
        "parts.sums": [0],
        "parts.counters": [0],
      },
    },
    function attentionDecode(
      q: Tensor<HalfType, 5>,
      k: TMA<HalfType, 4>,
      v: TMA<HalfType, 4>,
      out: Tensor<HalfType, 5>,
      optional: Optional,
      parts: Parts,
      batches: i32,
      most: i32,
    ) {
      const stages = {
        k: sharedMemory.alloc(dtype, [plan.stages, plan.keys, d], { swizzle }),
        v: sharedMemory.alloc(dtype, [plan.stages, plan.keys, dv], { swizzle }),
        // A warp hands a stage back when it is done with it.
        keys: new Pipeline({ stages: plan.stages, consumers: 4 }),
        values: new Pipeline({ stages: plan.stages, consumers: 4 }),
      };
      const own = {
        q: sharedMemory.alloc(dtype, [rows.count, d], { swizzle }),
        p: sharedMemory.alloc(dtype, [rows.count, plan.keys], { swizzle }),
        arrived: sharedMemory.alloc("i32", [1]),
      };
      if (threadIdx.x === 0) for (const map of [k, v]) map.prefetch();
      stages.keys.init({ sync: false });
      stages.values.init({ sync: false });
      syncThreads();
      if (overlaps) gridDependency.wait();
      const lengths = { batches, most, ...(optional.lengths ? { of: optional.lengths } : {}) };
      const common = { ...stages, geometry, lengths, work: divide(geometry, lengths) };
      const logs = optional.to ? { to: optional.to } : {};
      warpgroup.specialize({
        producer: { run: () => load(common, { k, v }, optional.pages) },
        consumer: { run: () => compute({ ...common, ...own, queries: q, out, logs, parts }) },
      });
    },
  );
}
