// Writes the sum and the greatest of a row to the same memory.
import { helper, openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

const twice = helper((value: number) => ({ value, sums: value, tops: value }));

export const run = async () => {
  await using gpu = await openDevice();
  const [a, b, rows] = [gpu.zeros("f16", [64, 64]), gpu.zeros("f16", [64, 64]), gpu.zeros("f32", [64])];
  matmul(a, b, { epilogue: twice, outputs: { sums: { sum: rows }, tops: { max: rows } } }); // error: W7698
};
