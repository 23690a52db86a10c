// Gives a number that goes nowhere, as its name is not that of the output.
import { helper, openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

const activated = helper((value: number) => ({ value: Math.max(value, 0), z: value, before: value }));

export const run = async () => {
  await using gpu = await openDevice();
  const [a, b, z] = [gpu.zeros("f16", [64, 64]), gpu.zeros("f16", [64, 64]), gpu.zeros("f16", [64, 64])];
  matmul(a, b, { epilogue: activated, outputs: { z } }); // error: W7707
};
