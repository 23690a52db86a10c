// Makes a tensor map of a slice that begins at an odd element.
import { kernel, openDevice, TMA } from "warpsmith";

const load = kernel({ block: 128 }, function load(a: TMA<"f16", 1>) {
  a.prefetch();
});

export const run = async () => {
  await using gpu = await openDevice();
  const part = gpu.zeros("f16", [256]).slice([3, 67]);
  const map = new TMA(part, { box: [64] }); // error: W4003
  load.launch({ grid: 1 }, map);
};
