// Gates with a matrix of another shape.
import { openDevice } from "warpsmith";
import { gatedMatmul } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const [a, gate, up] = [gpu.zeros("f16", [64, 64]), gpu.zeros("f16", [64, 128]), gpu.zeros("f16", [64, 64])];
  gatedMatmul(a, gate, up); // error: W7693
};
