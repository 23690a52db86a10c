// Forgets to return the pipeline that it makes.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";
import { tune } from "warpsmith/schedule";

const make = ({ block }: { readonly block: number }) => {
  kernel({ block, grid: 1 }, function fill(x: Tensor<"f32", 1>) {
    x[threadIdx.x] = 1;
  });
};

export const run = async () => {
  await using device = await openDevice("emulator");
  const x = device.zeros("f32", [64]);
  await tune({ block: [32, 64] }, make as never, { device, args: [x], reference: () => x.fill(1) }); // error: W7544
};
