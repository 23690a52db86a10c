// Traps in PTX of its own, on a GPU.
import { kernel, openDevice, ptx, type Tensor, threadIdx } from "warpsmith";
import { stoppedAt } from "../../support/stopped-machine.ts";

const fails = kernel({ block: 32, grid: 4 }, function fails(x: Tensor<"i32", 1>) {
  if (x[threadIdx.x]! < 0) ptx("trap;"); // error: W7760
  x[threadIdx.x] = 1;
});

export const machine = stoppedAt(fails, /trap/, { exception: 0, trapped: true, threads: [[5, 0, 0]] });

export async function run(): Promise<void> {
  await using gpu = await openDevice("cuda");
  const x = gpu.zeros("i32", [64]);
  fails.launch({ watch: false }, x);
  await x.read();
}
