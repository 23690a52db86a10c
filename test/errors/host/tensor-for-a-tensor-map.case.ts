// Passes a tensor where a tensor map is wanted.
import { kernel, openDevice, type TMA } from "warpsmith";

const load = kernel({ block: 128 }, function load(a: TMA<"f16", 2>) {
  a.prefetch();
});

export const run = async () => {
  await using gpu = await openDevice();
  load.launch({ grid: 1 }, gpu.zeros("f16", [64, 64])); // error: W7503
};
