import {
  blockIdx, cdiv, fence, type Kernel, kernel, Pipeline, type ProducerStage, range, type Static, sharedMemory, syncThreads, type TensorSpec, TMA, threadIdx, tma,
} from "warpsmith";
import { sameShape } from "../shapes.ts";

/** Rows and columns of a tile, and how many tiles of a and b have room in shared memory. */
export interface AddPlan {
  readonly tile: readonly [rows: number, columns: number];
  readonly buffers: number;
}
type Add = Kernel<[a: TMA<"f32", 2>, b: TMA<"f32", 2>, c: TMA<"f32", 2>, plan: Static<AddPlan>]>;

/** c = a + b. Each block goes along some rows: TMA brings the next tiles while this one is added and the one before it leaves. */
export const add: Add = kernel({ block: 128, grid: (a, _b, _c, { tile }) => cdiv(a.shape[0], tile[0]) },
  function add(a: TMA<"f32", 2>, b: TMA<"f32", 2>, c: TMA<"f32", 2>, plan: Static<AddPlan>) {
    const { tile: [rows, columns], buffers } = plan;
    for (const other of [b, c]) sameShape(a, other);
    const aTiles = sharedMemory.alloc("f32", [buffers, rows, columns], { align: 128 });
    const bTiles = sharedMemory.alloc("f32", [buffers, rows, columns], { align: 128 });
    const cTile = sharedMemory.alloc("f32", [rows, columns], { align: 128 });
    const pipe = new Pipeline({ stages: buffers });
    pipe.init();
    const elected = threadIdx.x === 0, row = blockIdx.x * rows, tiles = cdiv(a.shape[1], columns);
    const load = (put: ProducerStage, i: number) => {
      if (elected && i < tiles) {
        const full = put.acquire(aTiles.at(0).bytes + bTiles.at(0).bytes);
        a.load(aTiles.at(put.index), full, [i * columns, row]);
        b.load(bTiles.at(put.index), full, [i * columns, row]);
      }
      return put.next();
    };

    let put = pipe.producer(), get = pipe.consumer();
    for (const i of range(buffers - 1)) put = load(put, i);
    for (const i of range(tiles)) {
      put = load(put, i + buffers - 1);
      get.wait();
      const sum = aTiles.at(get.index).load() + bTiles.at(get.index).load();
      if (elected) tma.wait(0, { read: true });        // TMA has read the sum before this one …
      syncThreads();                                   // … and everyone knows
      cTile.store(sum);
      fence.proxyAsync();                              // what each thread has read and written comes before what TMA does next …
      syncThreads();                                   // … when all are here
      get.release({ pred: elected });
      get = get.next();
      if (elected) {
        c.store(cTile, [i * columns, row]);
        tma.commit();
      }
    }
    if (elected) tma.wait(0);
  });

type Matrix = TensorSpec<"f32", 2>;

/** What `add` takes. To time it: `add.bench({}, ...addArgs(a, b, c, plan))`. */
export const addArgs = (a: Matrix, b: Matrix, c: Matrix, plan: AddPlan) => {
  const box = plan.tile;
  return [new TMA(a, { box }), new TMA(b, { box }), new TMA(c, { box }), plan] as const;
};
