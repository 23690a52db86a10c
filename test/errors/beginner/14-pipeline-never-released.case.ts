// Reads the stages of a pipeline and never releases them.
import { kernel, openDevice, Pipeline, range, sharedMemory, type Tensor, TMA, threadIdx } from "warpsmith";

const sum = kernel({ block: 64 }, function sum(a: TMA<"f32", 2>, x: Tensor<"f32", 1>) {
  const tiles = sharedMemory.alloc("f32", [2, 1, 32], { align: 128 });
  const pipe = new Pipeline({ stages: 2 });
  pipe.init();
  if (threadIdx.x === 0) {
    let put = pipe.producer();
    for (const row of range(8)) {
      a.load(tiles.at(put.index), put.acquire(tiles.at(0).bytes), [0, row]); // error: W9001
      put = put.next();
    }
  } else if (threadIdx.x >= 32) {
    let get = pipe.consumer();
    let total = 0;
    for (const _ of range(8)) {
      get.wait();
      total += tiles[get.index][0][threadIdx.x - 32];
      get = get.next();
    }
    x[threadIdx.x - 32] = total;
  }
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const a = new TMA(gpu.zeros("f32", [8, 32]), { box: [1, 32] });
  const x = gpu.zeros("f32", [32]);
  sum.launch({ grid: 1 }, a, x);
  await x.read();
}
