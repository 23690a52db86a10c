// Puts the row of a box where its column belongs.
import { blockIdx, fence, kernel, Mbarriers, openDevice, sharedMemory, syncThreads, type Tensor, TMA, threadIdx } from "warpsmith";

const copy = kernel({ block: 64 }, function copy(a: TMA<"f16", 2>, x: Tensor<"f16", 2>) {
  const tile = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
  const bar = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    bar.init(1);
    fence.mbarrierInit();
  }
  syncThreads();
  if (threadIdx.x === 0) {
    bar.arrive({ tx: tile.bytes });
    a.load(tile, bar, [blockIdx.x * 64, 0]); // error: W9241
  }
  bar.wait(false);
  x[blockIdx.x][threadIdx.x] = tile[0][threadIdx.x];
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const a = new TMA(gpu.zeros("f16", [256, 64]), { box: [64, 64], swizzle: "128B" });
  const x = gpu.zeros("f16", [4, 64]);
  copy.launch({ grid: 4 }, a, x);
  await x.read();
}
