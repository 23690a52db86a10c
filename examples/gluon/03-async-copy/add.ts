import { asyncCopy, blockIdx, cdiv, type Kernel, kernel, range, sharedMemory, syncThreads, type Tensor } from "warpsmith";
import { sameShape } from "../shapes.ts";
import type { Tile } from "./memcpy.ts";

export type Add = Kernel<[a: Tensor<"f32", 2>, b: Tensor<"f32", 2>, c: Tensor<"f32", 2>]>;

/** c = a + b: a block for some rows, tile after tile. Nothing overlaps. */
export function makeAdd(tile: Tile): Add {
  return kernel({ block: 128, grid: (a) => cdiv(a.shape[0], tile[0]) }, function add(a: Tensor<"f32", 2>, b: Tensor<"f32", 2>, c: Tensor<"f32", 2>) {
    for (const other of [b, c]) sameShape(a, other);
    const aTile = sharedMemory.alloc("f32", tile), bTile = sharedMemory.alloc("f32", tile);
    for (const i of range(cdiv(a.shape[1], tile[1]))) {
      const at = [blockIdx.x * tile[0], i * tile[1]] as const;
      asyncCopy.load(aTile, a.subview(at, tile));
      asyncCopy.load(bTile, b.subview(at, tile));
      asyncCopy.commit();
      asyncCopy.wait(0);
      syncThreads();
      c.storeTile(at, aTile.load() + bTile.load());
      syncThreads();                                   // everyone has read the tiles: they may be overwritten
    }
  });
}
