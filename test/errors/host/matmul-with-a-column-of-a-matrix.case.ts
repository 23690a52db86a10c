// Gives a column of a matrix for the numbers of rows.
import { helper, openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

const times = helper((value: number, { scale }: { readonly scale: number }) => value * scale);

export const run = async () => {
  await using gpu = await openDevice();
  const [x, w, scales] = [gpu.zeros("f16", [32, 64]), gpu.zeros("f16", [64, 128]), gpu.zeros("f32", [32, 4])];
  matmul(x, w, { epilogue: times, inputs: { scale: scales.slice(undefined, [2, 3]) } }); // error: W7611
};
