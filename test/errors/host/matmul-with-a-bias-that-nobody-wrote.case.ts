// Reads a bias that nobody has written.
import { helper, openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

const biased = helper((value: number, { bias }: { readonly bias: number }) => value + bias);

export const run = async () => {
  await using gpu = await openDevice("emulator");
  const [a, b] = [gpu.zeros("f16", [64, 64]), gpu.zeros("f16", [64, 64])];
  const bias = gpu.empty("f32", [64]);
  const y = matmul(a, b, { epilogue: biased, inputs: { bias } }); // error: W9209
  await y.read();
};
