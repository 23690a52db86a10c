// Keeps the product before its activation transposed.
import { helper, openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

const activated = helper((value: number) => ({ value: Math.max(value, 0), z: value }));

export const run = async () => {
  await using gpu = await openDevice();
  const [a, b, z] = [gpu.zeros("f16", [64, 64]), gpu.zeros("f16", [64, 128]), gpu.zeros("f16", [128, 64])];
  matmul(a, b, { epilogue: activated, outputs: { z: z.transpose(1, 0) } }); // error: W7706
};
