// Tunes a kernel without saying what is right.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";
import { tune } from "warpsmith/schedule";

const make = ({ block }: { readonly block: number }) =>
  kernel({ block, grid: 1 }, function fill(x: Tensor<"f32", 1>) {
    x[threadIdx.x] = 1;
  });

export const run = async () => {
  await using device = await openDevice("emulator");
  await tune({ block: [32, 64] }, make, { device, args: [device.zeros("f32", [64])] }); // error: W7546
};
