// Gives memory of the transposed shape for the product.
import { openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const [a, b] = [gpu.zeros("f16", [32, 64]), gpu.zeros("f16", [64, 128])];
  matmul(a, b, { out: gpu.empty("f16", [128, 32]) }); // error: W7606
};
