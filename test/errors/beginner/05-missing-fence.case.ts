// Stores by TMA what threads have just written, without the fence between them.
import { kernel, openDevice, sharedMemory, syncThreads, TMA, threadIdx, tma } from "warpsmith";

const fill = kernel({ block: 128 }, function fill(to: TMA<"f32", 2>) {
  const tile = sharedMemory.alloc("f32", [1, 128]);
  tile[0][threadIdx.x] = 1;
  syncThreads();
  if (threadIdx.x === 0) {
    to.store(tile, [0, 0]); // error: W9202
    tma.commit();
    tma.wait(0);
  }
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f32", [1, 128]);
  fill.launch({ grid: 1 }, new TMA(x, { box: [1, 128] }));
  await x.read();
}
