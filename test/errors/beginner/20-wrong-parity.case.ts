// Waits for parity 1 of an mbarrier that is in its first phase, whose parity is 0.
import { fence, kernel, Mbarriers, openDevice, sharedMemory, syncThreads, type Tensor, TMA, threadIdx } from "warpsmith";

const copy = kernel({ block: 128 }, function copy(a: TMA<"f32", 2>, x: Tensor<"f32", 1>) {
  const tile = sharedMemory.alloc("f32", [1, 128]);
  const bar = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    bar.init(1);
    fence.mbarrierInit();
  }
  syncThreads();
  if (threadIdx.x === 0) {
    bar.arrive({ tx: tile.bytes });
    a.load(tile, bar, [0, 0]);
  }
  bar.wait(1); // error: W9230
  x[threadIdx.x] = tile[0][threadIdx.x];
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const a = new TMA(gpu.zeros("f32", [1, 128]), { box: [1, 128] });
  const x = gpu.zeros("f32", [128]);
  copy.launch({ grid: 1 }, a, x);
  await x.read();
}
