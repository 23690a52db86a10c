// Stores the second half of a tile behind the end of the tensor, under the strict checks.
import { fence, kernel, openDevice, sharedMemory, syncThreads, TMA, threadIdx, tma } from "warpsmith";

const store = kernel({ block: 32, grid: 1 }, function store(to: TMA<"f32", 2>) {
  const tile = sharedMemory.alloc("f32", [2, 4, 32], { align: 128 });
  for (const r of [0, 1, 2, 3, 4, 5, 6, 7]) tile.at(r >> 2, r & 3, threadIdx.x).store(1);
  fence.proxyAsync();
  syncThreads();
  if (threadIdx.x === 0) {
    to.store(tile.at(0), [0, 0]);
    tma.commit();
    to.store(tile.at(1), [0, 4]); // error: W9242
    tma.commit();
    tma.wait(0);
  }
});

export async function run() {
  await using gpu = await openDevice("emulator", { check: "strict" });
  store.launch({}, new TMA(gpu.zeros("f32", [4, 32]), { box: [4, 32] }));
  await gpu.sync();
}
