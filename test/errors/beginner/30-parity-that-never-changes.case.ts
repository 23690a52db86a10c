// Waits for parity 0 in each round: from the second one on that phase is over.
import { kernel, Mbarriers, openDevice, sharedMemory, syncThreads, type Tensor, threadIdx } from "warpsmith";

const shift = kernel({ block: 128, grid: 1 }, function shift(y: Tensor<"f32", 1>) {
  const i = threadIdx.x;
  const room = sharedMemory.alloc("f32", [128]);
  const bar = new Mbarriers(1).at(0);
  if (i === 0) bar.init(128);
  syncThreads();
  for (let k = 0; k < 4; k++) {
    room.at(i).value = k;
    bar.arrive();
    bar.wait(0); // error: W9248
    y.at(i).value = y.at(i).value + room.at(127 - i).value;
    syncThreads();
  }
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const y = gpu.zeros("f32", [128]);
  shift.launch({}, y);
  await y.read();
}
