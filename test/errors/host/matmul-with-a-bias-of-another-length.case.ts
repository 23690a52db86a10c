// Gives a bias with one number for each row of W, and W has more columns.
import { helper, openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

const add = helper((value: number, { bias }: { readonly bias: number }) => value + bias);

export const run = async () => {
  await using gpu = await openDevice();
  const [x, w, bias] = [gpu.zeros("f16", [32, 64]), gpu.zeros("f16", [64, 128]), gpu.zeros("f32", [64])];
  matmul(x, w, { epilogue: add, inputs: { bias } }); // error: W7610
};
