import { asyncCopy, blockIdx, cdiv, kernel, range, sharedMemory, staticRange, syncThreads, type Tensor } from "warpsmith";
import { sameShape } from "../shapes.ts";
import type { Add } from "./add.ts";
import type { Tile } from "./memcpy.ts";

/** The same with `buffers` tiles of each in shared memory: while one is added, the next ones are on their way. */
export function makePipelined(tile: Tile, buffers: number): Add {
  return kernel({ block: 128, grid: (a) => cdiv(a.shape[0], tile[0]) },
    function pipelined(a: Tensor<"f32", 2>, b: Tensor<"f32", 2>, c: Tensor<"f32", 2>) {
      for (const other of [b, c]) sameShape(a, other);
      const aTiles = sharedMemory.alloc("f32", [buffers, ...tile]), bTiles = sharedMemory.alloc("f32", [buffers, ...tile]);
      const tiles = cdiv(a.shape[1], tile[1]);
      const placeOf = (i: number) => [blockIdx.x * tile[0], i * tile[1]] as const;
      const load = (i: number) => {
        if (i < tiles) {
          asyncCopy.load(aTiles.at(i % buffers), a.subview(placeOf(i), tile));
          asyncCopy.load(bTiles.at(i % buffers), b.subview(placeOf(i), tile));
        }
        asyncCopy.commit();                            // a group for each tile, also for those behind the last one
      };

      for (const i of staticRange(buffers - 1)) load(i);
      for (const i of range(tiles)) {
        load(i + buffers - 1);
        asyncCopy.wait(buffers - 1);                   // all but the newest groups are done: tile i is there …
        syncThreads();                                 // … for everyone
        c.storeTile(placeOf(i), aTiles.at(i % buffers).load() + bTiles.at(i % buffers).load());
        syncThreads();                                 // its buffers may be overwritten
      }
    });
}
