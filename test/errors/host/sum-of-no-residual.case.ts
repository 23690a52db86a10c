// Asks for the sum of x and a residual, and gives no residual.
import { openDevice } from "warpsmith";
import { rmsNorm } from "warpsmith/kernels";

export async function run() {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f32", [4, 64]);
  rmsNorm(x, gpu.zeros("f32", [64]), { sum: gpu.zeros("f32", [4, 64]) }); // error: W7620
}
