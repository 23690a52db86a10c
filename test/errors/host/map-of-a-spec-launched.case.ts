// Launches with a tensor map of a tensorSpec.
import { kernel, openDevice, tensorSpec, TMA } from "warpsmith";

const load = kernel({ block: 128 }, function load(a: TMA<"f16", 2>) {
  a.prefetch();
});

export const run = async () => {
  await using gpu = await openDevice();
  load.launch({ grid: 1 }, new TMA(tensorSpec("f16", [64, 64]), { box: [64, 64] })); // error: W7505
};
