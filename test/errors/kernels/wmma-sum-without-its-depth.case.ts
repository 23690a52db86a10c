// Gives the accumulator its own shape, and not that of the product.
import { kernel, openDevice, type Tensor, WMMAMatrix } from "warpsmith";

const clear = kernel({ block: 32, grid: 1 }, function clear(y: Tensor<"f32", 2>) {
  // @ts-expect-error: a product has three extents.
  WMMAMatrix.accumulator("f32", [16, 16]).store(y); // error: W6301
});

export async function run() {
  await using gpu = await openDevice("emulator");
  clear.launch({}, gpu.zeros("f32", [16, 16]));
}
