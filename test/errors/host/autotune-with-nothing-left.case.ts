// Tunes a kernel of which no configuration fits a block, or divides the tensor.
import { autotune, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const make = ({ block }: { block: number }) =>
  kernel({ block, grid: 1 }, function fill(x: Tensor<"f32", 1>) {
    x[threadIdx.x] = 1;
  });
const fill = autotune([{ block: 48 }, { block: 2048 }, { block: 4096 }], make, {
  skip: ({ block }, x) => x.shape[0] % block !== 0,
});

export const run = async () => {
  await using gpu = await openDevice("emulator");
  fill.launch({}, gpu.zeros("f32", [4096])); // error: W7542
};
