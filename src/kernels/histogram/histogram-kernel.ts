import {
  blockIdx,
  grid,
  i32,
  type Kernel,
  kernel,
  range,
  type SharedView,
  sharedMemory,
  syncThreads,
  type Tensor,
  threadIdx,
  u32,
} from "warpsmith";
import type { Kept } from "../common/made.ts";

/** How threads share keys. */
export interface HistogramPlan {
  readonly threads: number;
  readonly blocks: number;
  readonly blocksPerSM: number;
  /** Counts of a block beside each other, for different warps: fewer threads meet at one. 0: there is no room, keys are counted in the result. */
  readonly copies: number;
  /** Loads of a thread under way at a time. */
  readonly depth: number;
}

export interface HistogramShape {
  readonly plan: HistogramPlan;
  readonly bins: number;
  /** Neighbours that a thread loads at a time. */
  readonly vector: number;
}

type Keys = Tensor<"i32" | "u8", 1>;
type Counts = Tensor<"i32", 1>;

/** counts[b] = how many keys are b: each block counts in its own memory, then all add up. */
export function makeHistogram(shape: HistogramShape, kept: Kept): Kernel<[keys: Keys, counts: Counts]> {
  const { plan, bins } = shape;
  const { threads, blocks, copies } = plan;
  return kernel(
    { ...kept, block: threads, blocksPerSM: plan.blocksPerSM, grid: blocks, cooperative: true, dynamic: { keys: [0] } },
    function histogram(keys: Keys, counts: Counts) {
      for (const bin of range(blockIdx.x * threads + threadIdx.x, bins, blocks * threads)) counts.at(bin).store(0);
      if (copies === 0) {
        grid.sync();
        forKeys(keys, shape, (bin, pred) => counts.at(bin).reduce("add", 1, { pred }));
        return;
      }
      const own = sharedMemory.alloc("u32", [copies * bins]);
      for (const at of range(threadIdx.x, copies * bins, threads)) own.at(at).store(0);
      syncThreads();
      const begin = (Math.trunc(threadIdx.x / 32) % copies) * bins;
      forKeys(keys, shape, (bin, pred) => own.at(begin + bin).reduce("add", 1, { pred }));
      grid.sync(); // the result is 0 everywhere, and this block has counted
      addUp(own, counts, shape);
    },
  );
}

/** Calls `work` with this thread's keys, and with whether each is there and has a bin. */
function forKeys(keys: Keys, { plan, bins, vector }: HistogramShape, work: (bin: number, pred: boolean) => void): void {
  "use kernel";
  const { threads, blocks, depth } = plan;
  const [length, step] = [keys.shape[0], blocks * threads];
  const vectors = Math.trunc(length / vector);
  const first = blockIdx.x * threads + threadIdx.x;
  // A key without a bin is no index, however large it is: nothing is added to it.
  const count = (key: number, there: boolean): void => {
    const has = there && key >= 0 && key < bins;
    work(has ? i32(key) : 0, has);
  };
  for (const at of range(first, vectors, step * depth)) {
    const places = Array.from({ length: depth }, (_, i) => at + i * step);
    const loaded = places.map((place) => {
      const options = { pred: place < vectors };
      const from = keys.at(place * vector);
      return vector === 1 ? [from.load(options)] : from.load({ ...options, vector: vector as 4 });
    });
    for (const [i, place] of places.entries()) for (const key of loaded[i] ?? []) count(key, place < vectors);
  }
  // What is left behind the last whole vector: a thread for each key.
  const place = vectors * vector + first;
  if (vector > 1) count(keys.at(place).load({ pred: place < length }), place < length);
}

/** What this block has counted, to the result. */
function addUp(own: SharedView<"u32", 1>, counts: Counts, { plan, bins }: HistogramShape): void {
  "use kernel";
  for (const bin of range(threadIdx.x, bins, plan.threads)) {
    let count = u32(0);
    for (let copy = 0; copy < plan.copies; copy++) count = count + own.at(copy * bins + bin).load();
    counts.at(bin).reduce("add", i32(count), { pred: count > 0 });
  }
}
