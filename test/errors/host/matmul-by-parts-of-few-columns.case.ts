// Splits K into more parts than a tile has columns for.
import { openDevice } from "warpsmith";
import { matmul, type Plan } from "warpsmith/kernels";

const plan: Plan = {
  tile: [64, 48],
  stages: 4,
  consumers: 1,
  schedule: "cooperative",
  cluster: [1, 1],
  splits: 4,
  group: 8,
  wait: 1,
  stores: "warpgroup",
  buffers: 2,
  splitTail: false,
  promotion: "128B",
  blocks: 4,
};

export const run = async () => {
  await using gpu = await openDevice();
  const [a, b] = [gpu.zeros("f16", [64, 64]), gpu.zeros("f16", [64, 64])];
  matmul(a, b, { plan }); // error: W7613
};
