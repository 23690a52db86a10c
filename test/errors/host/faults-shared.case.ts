// Writes outside of the shared memory of the block on a GPU.
import { kernel, openDevice, sharedMemory, type Tensor, threadIdx } from "warpsmith";
import { stoppedAt } from "../../support/stopped-machine.ts";

const fails = kernel({ block: 32, grid: 4 }, function fails(x: Tensor<"i32", 1>) {
  const s = sharedMemory.alloc("i32", [32]);
  s[x[threadIdx.x]! + 1000 * threadIdx.x] = 2; // error: W7758
  x[threadIdx.x] = s[threadIdx.x]!;
});

export const machine = stoppedAt(fails, /st\.shared/, { exception: 5 });

export async function run(): Promise<void> {
  await using gpu = await openDevice("cuda");
  const x = gpu.zeros("i32", [64]);
  fails.launch({ watch: false }, x);
  await x.read();
}
