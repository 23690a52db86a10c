import { cluster, type Kernel, kernel, type SharedView, sharedMemory, staticRange, type Tensor, threadIdx, tile } from "warpsmith";
import { sameShape } from "../shapes.ts";

export interface SoftmaxPlan {
  /** Blocks that share a row: the size of a cluster. */
  readonly blocks: 2 | 4 | 8;
  readonly threads: number;
}
export type Softmax = Kernel<[x: Tensor<"f32", 2>, y: Tensor<"f32", 2>]>;

/** Softmax of each row, which a cluster of blocks holds in registers. The columns are a power of two. */
export function makeSoftmax({ blocks, threads }: SoftmaxPlan): Softmax {
  return kernel({ block: threads, cluster: blocks, grid: (x) => x.shape[0] * blocks }, function softmax(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>) {
    sameShape(x, y);
    const share = x.shape[1] / blocks, mine = [cluster.index.x, cluster.rank * share] as const;
    const greatest = sharedMemory.alloc("f32", [blocks]), sums = sharedMemory.alloc("f32", [blocks]);
    cluster.sync();                                    // every block has begun: its shared memory may be written

    const t = x.loadTile(mine, [1, share], undefined, { mask: false });
    const max = exchanged(tile.max(tile.max(t, 1), 0), greatest, (a, b) => Math.max(a, b));
    const e = Math.exp(t - max);
    const sum = exchanged(tile.sum(tile.sum(e, 1), 0), sums, (a, b) => a + b);
    y.storeTile(mine, e / sum, { mask: false });
  });
}

/** What all blocks of the cluster have, combined: each tells every other one its number, in a place of its own. All threads call it, and all get it. */
function exchanged(value: number, places: SharedView<"f32", 1>, combine: (a: number, b: number) => number): number {
  "use kernel";
  if (threadIdx.x < cluster.size) cluster.map(places, threadIdx.x)[cluster.rank] = value;
  cluster.sync();                                      // all have told all
  let all = places[0];
  for (const rank of staticRange(1, cluster.size)) all = combine(all, places[rank]);
  return all;
}
