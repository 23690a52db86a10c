/** Bulk copies without a tensor map: stores, sums and copies to another block. */

import type { Static, Tensor } from "warpsmith";
import { cluster, fence, kernel, Mbarriers, range, sharedMemory, syncThreads, threadIdx, tma } from "warpsmith";
import { output } from "../cases/case.ts";
import { type Hazard, kernelHazard } from "./hazard.ts";
import { count } from "./parts.ts";

const file = import.meta.filename;

const overwrittenWhileBulkStored = kernel(
  { block: 128, grid: 1 },
  function overwrittenWhileBulkStored(to: Tensor<"i32", 2>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [128]);
    for (const r of range(2)) {
      row[threadIdx.x] = threadIdx.x + r * 128; // reported: W9205
      fence.proxyAsync();
      syncThreads();
      if (threadIdx.x === 0) {
        tma.bulkStore(to.at(r), row); // the other side
        tma.commit();
        if (!broken) tma.wait(0, { read: true });
      }
      syncThreads();
    }
    if (threadIdx.x === 0) tma.wait(0);
  },
);

const summedWithoutFence = kernel(
  { block: 128, grid: 1 },
  function summedWithoutFence(to: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [128]);
    row[threadIdx.x] = threadIdx.x; // the other side
    if (!broken) fence.proxyAsync();
    syncThreads();
    if (threadIdx.x === 0) {
      tma.bulkReduce("add", to, row); // reported: W9202
      tma.commit();
      tma.wait(0);
    }
  },
);

/** The other block's row is there only once its barrier says so. */
const readBeforeItCame = kernel(
  { block: 128, grid: 2, cluster: 2 },
  function readBeforeItCame(out: Tensor<"i32", 2>, broken: Static<boolean>) {
    const [own, from] = [sharedMemory.alloc("i32", [128]), sharedMemory.alloc("i32", [128])];
    const bar = new Mbarriers(1).at(0);
    const one = threadIdx.x === 0;
    if (one) {
      bar.init(1);
      fence.mbarrierInit();
      bar.arrive({ tx: from.bytes });
    }
    own[threadIdx.x] = threadIdx.x;
    fence.proxyAsync();
    cluster.sync();
    if (one) tma.bulkCopy(from, own, bar, 1 - cluster.rank); // the other side
    if (!broken) bar.wait(false);
    out.at(cluster.rank, threadIdx.x).store(from[threadIdx.x]!); // reported: W9204 or W9209
    bar.wait(false);
    cluster.sync();
  },
);

export const bulkCopies: readonly Hazard[] = [
  kernelHazard({
    name: "bulk-copies/overwritten-while-stored",
    classes: [17],
    file,
    kernel: overwrittenWhileBulkStored,
    args: () => [output("i32", [2, 128], count(256))],
  }),
  kernelHazard({
    name: "bulk-copies/summed-without-fence",
    classes: [27],
    file,
    kernel: summedWithoutFence,
    args: () => [output("i32", [128], count(128), { initial: count(128).map(() => 0) })],
  }),
  kernelHazard({
    name: "bulk-copies/read-before-it-came",
    eitherSide: true,
    classes: [14],
    file,
    kernel: readBeforeItCame,
    args: () => [output("i32", [2, 128], [...count(128), ...count(128)])],
  }),
];
