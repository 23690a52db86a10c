// Gives a gated pair an epilogue that is no helper.
import { openDevice } from "warpsmith";
import { gatedMatmul } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const [a, gate, up] = [gpu.zeros("f16", [64, 64]), gpu.zeros("f16", [64, 64]), gpu.zeros("f16", [64, 64])];
  gatedMatmul(a, gate, up, { epilogue: (g, u) => Math.max(g, 0) * u }); // error: W7612
};
