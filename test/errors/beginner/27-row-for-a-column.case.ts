// Loads a row for each block, with its number where the column belongs.
import { blockIdx, fence, kernel, Mbarriers, openDevice, sharedMemory, syncThreads, type Tensor, TMA, threadIdx } from "warpsmith";

const copy = kernel({ block: 32 }, function copy(a: TMA<"f32", 2>, x: Tensor<"f32", 2>) {
  const tile = sharedMemory.alloc("f32", [1, 32]);
  const bar = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    bar.init(1);
    fence.mbarrierInit();
  }
  syncThreads();
  if (threadIdx.x === 0) {
    bar.arrive({ tx: tile.bytes });
    a.load(tile, bar, [blockIdx.x, 0]); // error: W9119
  }
  bar.wait(false);
  x[blockIdx.x][threadIdx.x] = tile[0][threadIdx.x];
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const a = new TMA(gpu.zeros("f32", [4, 32]), { box: [1, 32] });
  const x = gpu.zeros("f32", [4, 32]);
  copy.launch({ grid: 4 }, a, x);
  await x.read();
}
