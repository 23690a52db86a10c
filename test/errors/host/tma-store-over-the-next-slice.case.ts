// Stores by TMA to 37 of 64 columns: rows of 74 bytes, behind which the other columns begin.
import { fence, kernel, openDevice, sharedMemory, syncThreads, TMA, threadIdx, tma } from "warpsmith";

const store = kernel({ block: 64, grid: 1 }, function store(to: TMA<"f16", 2>) {
  const row = sharedMemory.alloc("f16", [1, 64], { align: 128 });
  row.at(0, threadIdx.x).store(1);
  fence.proxyAsync();
  syncThreads();
  if (threadIdx.x === 0) {
    to.store(row, [0, 0]); // error: W7675
    tma.commit();
    tma.wait(0);
  }
});

export async function run() {
  await using gpu = await openDevice();
  const out = gpu.zeros("f16", [8, 64]);
  store.launch({}, new TMA(out.slice(undefined, [0, 37]), { box: [1, 64] }));
}
