// Gives a sum for each column where one for each row is asked for.
import { helper, openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

const withSquares = helper((value: number) => ({ value, squares: value * value }));

export const run = async () => {
  await using gpu = await openDevice();
  const [a, b, squares] = [gpu.zeros("f16", [64, 64]), gpu.zeros("f16", [64, 128]), gpu.zeros("f32", [128])];
  matmul(a, b, { epilogue: withSquares, outputs: { squares: { sum: squares } } }); // error: W7696
};
