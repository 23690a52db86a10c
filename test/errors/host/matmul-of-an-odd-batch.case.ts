// Multiplies a part of a batch whose lines and matrices begin anywhere, by a plan that copies such lines.
import { openDevice } from "warpsmith";
import { matmul, type Plan } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const [x, b] = [gpu.zeros("f16", [4, 80, 75]), gpu.zeros("f16", [75, 64])];
  const plan: Plan = {
    ...{ tile: [64, 64], stages: 2, consumers: 1, schedule: "cooperative", cluster: [1, 1], group: 2, wait: 0 },
    ...{ stores: "warpgroup", buffers: 2, splitTail: false, promotion: "128B", blocks: 2, unaligned: "copied" },
  };
  matmul(x.slice(undefined, [0, 64]), b, { plan }); // error: W7672
};
