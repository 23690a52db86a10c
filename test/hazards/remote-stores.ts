/** Stores to another block of the cluster, and what the mbarrier there counts. */
import { asyncCopy, cluster, fence, kernel, Mbarriers, type Static, sharedMemory, type Tensor, threadIdx } from "warpsmith";
import { output } from "../cases/case.ts";
import { type Hazard, kernelHazard } from "./hazard.ts";
import { count } from "./parts.ts";

const file = import.meta.filename;

const readBeforeItIsStored = kernel(
  { block: 32, grid: 2, cluster: 2 },
  function readBeforeItIsStored(out: Tensor<"i32", 2>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [32]);
    const bar = new Mbarriers(1).at(0);
    if (threadIdx.x === 0) {
      bar.init(1);
      fence.mbarrierInit();
      bar.arrive({ tx: row.bytes });
    }
    cluster.sync();
    asyncCopy.store(row.at(threadIdx.x), threadIdx.x, bar, 1 - cluster.rank); // the other side
    if (!broken) bar.wait(false);
    out.at(cluster.rank, threadIdx.x).store(row[threadIdx.x]!); // reported: W9204 or W9209
    bar.wait(false);
    cluster.sync();
  },
);

/** Some of the bytes never come. */
const fewerThanExpected = kernel(
  { block: 32, grid: 2, cluster: 2 },
  function fewerThanExpected(out: Tensor<"i32", 2>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [32]);
    const bar = new Mbarriers(1).at(0);
    if (threadIdx.x === 0) {
      bar.init(1);
      fence.mbarrierInit();
      bar.arrive({ tx: row.bytes });
    }
    cluster.sync();
    asyncCopy.store(row.at(threadIdx.x), threadIdx.x, bar, 1 - cluster.rank, { pred: !broken || threadIdx.x > 0 });
    bar.wait(false); // reported: W9001
    out.at(cluster.rank, threadIdx.x).store(row[threadIdx.x]!);
    cluster.sync();
  },
);

/** The block ends while its neighbour's stores are on their way to it. */
const goneTooEarly = kernel(
  { block: 32, grid: 2, cluster: 2 },
  function goneTooEarly(out: Tensor<"i32", 2>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [32]);
    const bar = new Mbarriers(1).at(0);
    if (threadIdx.x === 0) {
      bar.init(1);
      fence.mbarrierInit();
      bar.arrive({ tx: row.bytes });
    }
    cluster.sync();
    asyncCopy.store(row.at(threadIdx.x), threadIdx.x, bar, 1 - cluster.rank); // reported: W9216 or W9217
    out.at(cluster.rank, threadIdx.x).store(threadIdx.x);
    if (!broken) {
      bar.wait(false);
      cluster.sync();
    }
  },
);

const both = () => [output("i32", [2, 32], [...count(32), ...count(32)])];

export const remoteStores: readonly Hazard[] = [
  kernelHazard({
    name: "remote-stores/read-before-it-came",
    classes: [14],
    eitherSide: true,
    file,
    kernel: readBeforeItIsStored,
    args: both,
  }),
  kernelHazard({
    name: "remote-stores/fewer-than-expected",
    classes: [11],
    file,
    kernel: fewerThanExpected,
    args: both,
  }),
  kernelHazard({ name: "remote-stores/gone-too-early", classes: [22, 24], file, kernel: goneTooEarly, args: both }),
];
