import {
  blockIdx, cdiv, fence, type Kernel, kernel, Pipeline, range, type Static, sharedMemory, syncThreads, syncWarp, type TensorSpec, TMA, tma, warp, warpgroup,
} from "warpsmith";
import { sameShape } from "../shapes.ts";

/** Rows and columns of a tile, buffers for tiles of a and b, buffers for sums, and warpgroups that add. */
export interface AddPlan {
  readonly tile: readonly [rows: number, columns: number];
  readonly loads: number;
  readonly stores: number;
  readonly warpgroups: 1 | 2;
}
type Add = Kernel<[a: TMA<"f32", 2>, b: TMA<"f32", 2>, c: TMA<"f32", 2>, plan: Static<AddPlan>]>;

/** c = a + b by three partitions: one loads, one adds, one stores. A pipeline lies between each two of them. */
export const add: Add = kernel(
  { block: (_a, _b, _c, { warpgroups }) => 128 * (2 + warpgroups), grid: (a, _b, _c, { tile }) => cdiv(a.shape[0], tile[0]) },
  function add(a: TMA<"f32", 2>, b: TMA<"f32", 2>, c: TMA<"f32", 2>, plan: Static<AddPlan>) {
    const { tile: [rows, columns], loads, stores, warpgroups } = plan;
    for (const other of [b, c]) sameShape(a, other);
    const aTiles = sharedMemory.alloc("f32", [loads, rows, columns], { align: 128 });
    const bTiles = sharedMemory.alloc("f32", [loads, rows, columns], { align: 128 });
    const cTiles = sharedMemory.alloc("f32", [stores, rows, columns], { align: 128 });
    const warps = 4 * warpgroups;
    const inputs = new Pipeline({ stages: loads, consumers: warps });        // each warp hands an input back …
    const sums = new Pipeline({ stages: stores, producers: warps });         // … and says that its part of a sum is there
    inputs.init({ sync: false });
    sums.init({ sync: false });
    syncThreads();
    const row = blockIdx.x * rows, tiles = cdiv(a.shape[1], columns);

    warpgroup.specialize({
      load: { run: () => {
        if (warpgroup.thread !== 0) return;
        let put = inputs.producer();
        for (const i of range(tiles)) {
          const full = put.acquire(aTiles.at(0).bytes + bTiles.at(0).bytes);
          a.load(aTiles.at(put.index), full, [i * columns, row]);
          b.load(bTiles.at(put.index), full, [i * columns, row]);
          put = put.next();
        }
      } },

      add: { warpgroups, run: () => {
        const first = warp.lane === 0;
        let get = inputs.consumer(), put = sums.producer();
        for (const _ of range(tiles)) {
          get.wait();
          const sum = aTiles.at(get.index).load() + bTiles.at(get.index).load();
          fence.proxyAsync();                          // each thread has read: TMA may overwrite it …
          syncWarp();
          get.release({ pred: first });                // … when every warp has said so
          get = get.next();
          put.wait();
          cTiles.at(put.index).store(sum);
          fence.proxyAsync();                          // TMA sees what each thread has written
          syncWarp();
          put.commit({ pred: first });
          put = put.next();
        }
      } },

      store: { run: () => {
        if (warpgroup.thread !== 0) return;
        let get = sums.consumer();
        for (const i of range(tiles)) {
          get.wait();
          c.store(cTiles.at(get.index), [i * columns, row]);
          tma.commit();
          tma.wait(0, { read: true });                 // TMA has read the buffer
          get.release();
          get = get.next();
        }
        tma.wait(0);
      } },
    });
  },
);

type Matrix = TensorSpec<"f32", 2>;

/** What `add` takes. To time it: `add.bench({}, ...addArgs(a, b, c, plan))`. */
export const addArgs = (a: Matrix, b: Matrix, c: Matrix, plan: AddPlan) => {
  const box = plan.tile;
  return [new TMA(a, { box }), new TMA(b, { box }), new TMA(c, { box }), plan] as const;
};
