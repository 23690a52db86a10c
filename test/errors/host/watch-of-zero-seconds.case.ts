// Watches a launch for no time at all.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const fill = kernel({ block: 32, grid: 1 }, function fill(x: Tensor<"i32", 1>) {
  x[threadIdx.x] = 1;
});

export async function run(): Promise<void> {
  const gpu = await openDevice("emulator");
  fill.launch({ watch: 0 }, gpu.zeros("i32", [32])); // error: W7046
}
