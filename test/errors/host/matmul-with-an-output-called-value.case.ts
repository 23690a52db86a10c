// Calls an output what the element of the result is called.
import { helper, openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

const same = helper((value: number) => ({ value }));

export const run = async () => {
  await using gpu = await openDevice();
  const [a, b, sums] = [gpu.zeros("f16", [64, 64]), gpu.zeros("f16", [64, 64]), gpu.zeros("f32", [64])];
  matmul(a, b, { epilogue: same, outputs: { value: { sum: sums } } }); // error: W7697
};
