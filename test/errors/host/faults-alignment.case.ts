// Reads a pair of elements that does not begin at a multiple of eight bytes, on a GPU.
import { kernel, openDevice, ptx, type Tensor, threadIdx } from "warpsmith";
import { stoppedAt } from "../../support/stopped-machine.ts";

const fails = kernel({ block: 32, grid: 4 }, function fails(x: Tensor<"i32", 1>) {
  const [a, b] = ptx("ld.global.v2.s32 {$0, $1}, [$2+4];", { out: ["i32", "i32"] }, x.at(2 * threadIdx.x)); // error: W7757
  x[threadIdx.x] = a + b;
});

export const machine = stoppedAt(fails, /ld\.global\.v2/, { exception: 6 });

export async function run(): Promise<void> {
  await using gpu = await openDevice("cuda");
  const x = gpu.zeros("i32", [64]);
  fails.launch({ watch: false }, x);
  await x.read();
}
