// Gives a product more stages than shared memory holds.
import { openDevice } from "warpsmith";
import { matmul, type Plan } from "warpsmith/kernels";

const plan: Plan = {
  tile: [128, 256],
  stages: 5,
  consumers: 2,
  schedule: "cooperative",
  cluster: [1, 1],
  group: 8,
  wait: 1,
  stores: "warpgroup",
  buffers: 2,
  splitTail: false,
  promotion: "128B",
  blocks: 2,
};

export const run = async () => {
  await using gpu = await openDevice();
  const [a, b] = [gpu.zeros("bf16", [256, 64]), gpu.zeros("bf16", [64, 256])];
  matmul(a, b, { plan }); // error: W7614
};
