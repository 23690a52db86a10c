// Has one matrix of the pair transposed, and the other one not.
import { openDevice } from "warpsmith";
import { gatedMatmul } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const [a, gate, up] = [gpu.zeros("f16", [64, 64]), gpu.zeros("f16", [64, 128]), gpu.zeros("f16", [128, 64])];
  gatedMatmul(a, gate, up.transpose(1, 0)); // error: W7694
};
