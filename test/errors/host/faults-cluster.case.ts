// Writes to the shared memory of a block that has ended, on a GPU.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";
import { stoppedAtEnd } from "../../support/stopped-machine.ts";

const fails = kernel({ block: 32, grid: 4 }, function fails(x: Tensor<"i32", 1>) {
  x[threadIdx.x] = 1;
});

export const machine = stoppedAtEnd(18);

export async function run(): Promise<void> {
  await using gpu = await openDevice("cuda");
  const x = gpu.zeros("i32", [64]);
  fails.launch({ watch: false }, x); // error: W7761
  await x.read();
}
