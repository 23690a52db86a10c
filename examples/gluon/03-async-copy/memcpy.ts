import { asyncCopy, blockIdx, cdiv, type Kernel, kernel, sharedMemory, syncThreads, type Tensor } from "warpsmith";
import { sameShape } from "../shapes.ts";

/** Rows and columns of a tile. */
export type Tile = readonly [rows: number, columns: number];
export type Memcpy = Kernel<[x: Tensor<"f32", 2>, y: Tensor<"f32", 2>]>;

/** A copy of a tile for each block, through shared memory. What lies outside of x comes as zeros, and is not stored. */
export function makeMemcpy(tile: Tile): Memcpy {
  return kernel({ block: 128, grid: (x) => [cdiv(x.shape[0], tile[0]), cdiv(x.shape[1], tile[1])] },
    function memcpy(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>) {
      sameShape(x, y);
      const at = [blockIdx.x * tile[0], blockIdx.y * tile[1]] as const;
      const room = sharedMemory.alloc("f32", tile);
      asyncCopy.load(room, x.subview(at, tile));       // begins, and does not wait
      asyncCopy.commit();
      asyncCopy.wait(0);                               // this thread's copies are done …
      syncThreads();                                   // … and everyone's
      y.storeTile(at, room.load());
    });
}
