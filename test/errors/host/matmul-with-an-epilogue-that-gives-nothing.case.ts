// Forgets to return what an element becomes.
import { helper, openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

const bias = helper((value: number) => {
  const _wide = Math.max(value, 0);
});

export const run = async () => {
  await using gpu = await openDevice();
  const [a, b] = [gpu.zeros("f16", [64, 64]), gpu.zeros("f16", [64, 64])];
  matmul(a, b, { epilogue: bias as unknown as (value: number) => number }); // error: W7615
};
