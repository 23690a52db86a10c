import {
  blockIdx,
  gridDependency,
  gridDim,
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
import type { Kept } from "../common/made.ts";
import { compute } from "./compute.ts";
import { load } from "./load.ts";
import type { Ranks } from "./mask/kernel.ts";
import type { MaskBlock, MaskLists, MaskTensors, Visible } from "./mask/list.ts";
import { type Plan, panelOf, ROWS, registers } from "./plan.ts";
import type { HalfType, Problem } from "./problem.ts";
import type { Score } from "./scores.ts";
import { checkSequences, type Sequences } from "./sequences.ts";
import type { HeadsMap } from "./walk.ts";

/** The author's functions that a kernel is made of: of scores, and of a mask, with the dimensions of each tensor that it looks at. */
export interface Functions {
  readonly score?: Score | undefined;
  readonly visible?: Visible | undefined;
  readonly ranks?: Ranks;
  /** Blocks of the mask. */
  readonly block?: MaskBlock | undefined;
  /** The dimensions of each tensor that the function of scores looks at. */
  readonly scored?: Ranks | undefined;
  /** Whether the logarithms of packed sequences go somewhere. */
  readonly logs?: boolean;
}

/** Where packed sequences begin, and the output as threads store it, [queries of all, heads, dv]. */
export interface Packed extends Partial<Sequences> {
  readonly rows?: Tensor<HalfType, 3>;
}

/** How many of all sequences there are: dimensions of a launch, not of the kernel. */
const packedDimensions = (logs: boolean) => ({
  ...{ q: [2], k: [2], v: [2], out: [2] },
  ...{ "packed.queries": [0], "packed.keys": [0], "packed.rows": [0] },
  ...(logs ? { "sums.to": [2] } : {}),
});

/** Warps of a warpgroup. */
const WARPS = 4;

/**
 * O = softmax(Q Kᵀ) V. One warpgroup loads; each of the others has 64 queries, and goes through blocks of keys and values: the scores of a block
 * become weights in registers, which multiply its values, while the tensor cores are at the scores of the next one or at another's products.
 */
export function makeFlash(
  problem: Problem,
  plan: Plan,
  { score, visible, ranks = {}, scored: looked, logs = false, block }: Functions = {},
  kept: Kept = {},
): Kernel<
  [
    q: HeadsMap,
    k: HeadsMap,
    v: HeadsMap,
    out: HeadsMap,
    sums: { readonly to?: Tensor<"f32", 3> },
    mask: Partial<MaskLists>,
    data: MaskTensors,
    packed: Packed,
    scored: MaskTensors,
    queries: number,
    length: number,
    heads: number,
    batches: number,
    tiles: number,
  ]
> {
  const { dtype, d, dv, overlaps } = problem;
  const { consumers, stages } = plan;
  const geometry = { problem, plan };
  const dims = (rank: number): readonly number[] => Array.from({ length: rank }, (_, i) => i);
  const all = (tensors: Ranks, of: string) =>
    Object.fromEntries(Object.entries(tensors).map(([name, rank]) => [`${of}.${name}`, dims(rank)]));
  const lists: Readonly<Record<string, readonly number[]>> = visible ? { "mask.counts": dims(4), "mask.blocks": dims(4) } : {};
  const packing = problem.packed ? { ...packedDimensions(logs), ...(visible ? { "mask.begins": [1] } : {}) } : {};
  const dynamic = { ...lists, ...packing, ...all(ranks, "data"), ...all(looked ?? {}, "scored") };
  return kernel(
    { ...kept, block: 128 * (1 + consumers), contract: score !== undefined, dynamic },
    function attention(
      q: TMA<HalfType, 4>,
      k: TMA<HalfType, 4>,
      v: TMA<HalfType, 4>,
      out: TMA<HalfType, 4>,
      sums: { readonly to?: Tensor<"f32", 3> },
      mask: Partial<MaskLists>,
      data: MaskTensors,
      packed: Packed,
      scored: MaskTensors,
      queries: i32,
      length: i32,
      heads: i32,
      batches: i32,
      tiles: i32,
    ) {
      const scoring = score && { score, data: looked && scored };
      const common = {
        geometry,
        sizes: { queries, keys: length, heads, batches },
        mask:
          visible && block && mask.counts && mask.blocks
            ? { visible, lists: { ...mask, counts: mask.counts, blocks: mask.blocks }, data, block }
            : undefined,
        sequences: packed.queries && packed.keys ? { queries: packed.queries, keys: packed.keys } : undefined,
        q: sharedMemory.alloc(dtype, [consumers, ROWS, d], { swizzle: panelOf(d).swizzle }),
        k: sharedMemory.alloc(dtype, [stages, plan.keys, d], { swizzle: panelOf(d).swizzle }),
        v: sharedMemory.alloc(dtype, [stages, plan.keys, dv], { swizzle: panelOf(dv).swizzle }),
        raised: sharedMemory.alloc("f32", [consumers, ROWS]),
        queries: new Pipeline({ stages: consumers }),
        // A warp hands a stage back when it is done with it.
        keys: new Pipeline({ stages, consumers: consumers * WARPS }),
        values: new Pipeline({ stages, consumers: consumers * WARPS }),
        from: blockIdx.x,
        step: gridDim.x,
        tiles,
      };
      if (threadIdx.x === 0) for (const map of [q, k, v, out]) map.prefetch();
      for (const pipe of [common.queries, common.keys, common.values]) pipe.init({ sync: false });
      syncThreads();
      if (overlaps) gridDependency.wait();
      if (common.sequences)
        checkSequences(common.sequences, blockIdx.x * 128 * (1 + consumers) + threadIdx.x, batches, mask.begins);
      const [few, many] = registers[consumers];
      warpgroup.specialize({
        producer: { registers: few, run: () => load(common, { q, k, v }) },
        consumer: {
          warpgroups: consumers,
          registers: many,
          run: (wg) => compute({ ...common, out, rows: packed.rows, sums, scoring }, wg),
        },
      });
    },
  );
}
