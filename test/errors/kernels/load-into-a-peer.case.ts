// Loads into another block's shared memory by TMA.
import { cluster, kernel, Mbarriers, sharedMemory, TMA, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128, cluster: 2 }, function wrong(x: TMA<"f32", 2>) {
  const tile = sharedMemory.alloc("f32", [8, 32], { align: 128 });
  const bar = new Mbarriers(1).at(0);
  x.load(cluster.map(tile, 1), bar, [0, 0]); // error: W3028
});

export const run = () => wrong.compile(new TMA(tensorSpec("f32", [64, 32]), { box: [8, 32] }));
