// Misspells the epilogue of a product.
import { helper, openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

const relu = helper((value: number) => Math.max(value, 0));

export const run = async () => {
  await using gpu = await openDevice();
  const [a, b] = [gpu.zeros("f16", [64, 64]), gpu.zeros("f16", [64, 64])];
  matmul(a, b, { epilog: relu }); // error: W2601
};
