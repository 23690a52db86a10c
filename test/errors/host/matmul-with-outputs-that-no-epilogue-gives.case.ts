// Asks for sums of rows, and returns a number only.
import { helper, openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

const square = helper((value: number) => value * value);

export const run = async () => {
  await using gpu = await openDevice();
  const [a, b, squares] = [gpu.zeros("f16", [64, 64]), gpu.zeros("f16", [64, 64]), gpu.zeros("f32", [64])];
  matmul(a, b, { epilogue: square as never, outputs: { squares: { sum: squares } } }); // error: W7695
};
