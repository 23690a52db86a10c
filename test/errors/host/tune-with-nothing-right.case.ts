// Tunes a kernel that is launched with too few threads, or writes too few elements.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";
import { tune } from "warpsmith/schedule";

const make = ({ block }: { readonly block: number }) =>
  kernel({ block, grid: 1 }, function fill(x: Tensor<"f32", 1>) {
    x[threadIdx.x] = 1;
  });

export const run = async () => {
  await using device = await openDevice("emulator");
  const x = device.zeros("f32", [64]);
  await tune({ block: [16, 32, 2048] }, make, { device, args: [x], reference: () => x.fill(1) }); // error: W7545
};
