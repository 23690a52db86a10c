// Comes to where no code is, on a GPU.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";
import { stoppedAt } from "../../support/stopped-machine.ts";

const fails = kernel({ block: 32, grid: 4 }, function fails(x: Tensor<"i32", 1>) {
  x[threadIdx.x] = 1; // error: W7762
});

export const machine = stoppedAt(fails, /st\.global/, { exception: 8 });

export async function run(): Promise<void> {
  await using gpu = await openDevice("cuda");
  const x = gpu.zeros("i32", [64]);
  fails.launch({ watch: false }, x);
  await x.read();
}
