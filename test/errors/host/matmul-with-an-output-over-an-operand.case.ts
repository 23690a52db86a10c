// Keeps the product before its activation where the weights are.
import { helper, openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

const activated = helper((value: number) => ({ value: Math.max(value, 0), z: value }));

export const run = async () => {
  await using gpu = await openDevice();
  const [a, b] = [gpu.zeros("f16", [64, 64]), gpu.zeros("f16", [64, 64])];
  matmul(a, b, { epilogue: activated, outputs: { z: b } }); // error: W7705
};
