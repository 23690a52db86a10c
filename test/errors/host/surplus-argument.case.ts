// The stream of a product is given behind its options.
import { openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

export async function run() {
  await using gpu = await openDevice("emulator");
  const a = gpu.zeros("f16", [64, 64]);
  const multiply = matmul as (...args: unknown[]) => unknown;
  multiply(a, a, {}, gpu.stream()); // error: W2078
}
