// Asks for sums of rows, and for bits that do not depend on the number of rows.
import { helper, openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

const withSquares = helper((value: number) => ({ value, squares: value * value }));

export const run = async () => {
  await using gpu = await openDevice();
  const [a, b, squares] = [gpu.zeros("f16", [64, 64]), gpu.zeros("f16", [64, 64]), gpu.zeros("f32", [64])];
  matmul(a, b, { epilogue: withSquares, outputs: { squares: { sum: squares } }, invariant: true }); // error: W7699
};
