import type { Static, Tensor, TMA } from "warpsmith";
import {
  fence,
  kernel,
  Mbarriers,
  namedBarrier,
  range,
  sharedMemory,
  syncThreads,
  syncWarp,
  threadIdx,
  warpgroup,
} from "warpsmith";
import { input, mapOf, output } from "../cases/case.ts";
import { type Hazard, kernelHazard } from "./hazard.ts";
import { count } from "./parts.ts";

const file = import.meta.filename;

/** Barrier 0 is for all threads of the block, and some are elsewhere for good. */
const blockBarrierInAPartition = kernel(
  { block: 256, grid: 1 },
  function blockBarrierInAPartition(out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const cells = sharedMemory.alloc("i32", [128]);
    const done = new Mbarriers(1).at(0);
    if (threadIdx.x === 0) {
      done.init(128);
      fence.mbarrierInit();
    }
    syncThreads();
    warpgroup.specialize({
      waits: {
        run: () => done.wait(false), // or: W9001
      },
      meets: {
        run: () => {
          const t = warpgroup.thread;
          cells.at(t).store(t);
          if (broken)
            syncThreads(); // reported: W9001
          else namedBarrier(1, 128).sync();
          out[t] = cells.at(127 - t).load();
          done.arrive();
        },
      },
    });
  },
);

/** Seen by the compiler: only some threads of a warp come to the barrier. */
const barrierOfSomeLanes = kernel(
  { block: 64, grid: 1 },
  function barrierOfSomeLanes(out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const cells = sharedMemory.alloc("i32", [64]);
    cells.at(threadIdx.x).store(threadIdx.x);
    if (broken) {
      if (threadIdx.x < 48) syncThreads(); // refused: W2048
    } else syncThreads();
    out[threadIdx.x] = cells.at(63 - threadIdx.x).load();
  },
);

/** One side counts 64 threads, the other its own 32. */
const countsDiffer = kernel({ block: 64, grid: 1 }, function countsDiffer(out: Tensor<"i32", 1>, broken: Static<boolean>) {
  const cells = sharedMemory.alloc("i32", [64]);
  cells.at(threadIdx.x).store(threadIdx.x); // or: W9201
  if (threadIdx.x < 32)
    namedBarrier(1, 64).sync(); // or: W9003
  else namedBarrier(1, broken ? 32 : 64).sync(); // reported: W9003
  out[threadIdx.x] = cells.at(63 - threadIdx.x).load(); // or: W9201
});

/** Two groups that should meet apart use the same barrier: warps of one let warps of the other go on. */
const sameBarrier = kernel({ block: 128, grid: 1 }, function sameBarrier(out: Tensor<"i32", 1>, broken: Static<boolean>) {
  const cells = sharedMemory.alloc("i32", [128]);
  const t = threadIdx.x;
  cells.at(t).store(t); // or: W9201
  if ((t >> 5) % 2 === 0)
    namedBarrier(1, 64).sync(); // or: W9247
  else namedBarrier(broken ? 1 : 2, 64).sync(); // reported: W9247
  out[t] = cells.at(t ^ 64).load(); // or: W9201
});

/** Two tiles are ready one after the other, at the same barrier: both arrivals of the one side may count for the first tile. */
const arrivesTwice = kernel({ block: 64, grid: 1 }, function arrivesTwice(out: Tensor<"i32", 1>, broken: Static<boolean>) {
  const cells = sharedMemory.alloc("i32", [2, 32]);
  const t = threadIdx.x & 31;
  const [ready, taken] = [namedBarrier(1, 64), namedBarrier(2, 64)];
  for (const iteration of range(2)) {
    if (threadIdx.x < 32) {
      cells.at(iteration, t).store(10 * t + iteration); // or: W9201
      ready.arrive(); // reported: W9226
      if (!broken) taken.sync();
    } else {
      ready.sync();
      out[32 * iteration + t] = cells.at(iteration, 31 - t).load(); // or: W9201
      if (!broken) taken.arrive();
    }
  }
});

/** ConSan: ws_two_producers_two_consumers, one iteration short. The consumer waits for a stage that nobody fills. */
const iterationsDiffer = kernel(
  { block: 64, grid: 1 },
  function iterationsDiffer(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
    const bars = new Mbarriers(2);
    const [full, empty] = [bars.at(0), bars.at(1)];
    if (threadIdx.x === 0) {
      full.init(1);
      empty.init(32);
      fence.mbarrierInit();
    }
    syncThreads();
    if (threadIdx.x < 32) {
      for (const r of range(broken ? 3 : 4)) {
        empty.wait((r & 1) ^ 1);
        if (threadIdx.x === 0) {
          full.arrive({ tx: row.bytes });
          x.load(row, full, [0, r]);
        }
        syncWarp();
      }
    } else {
      let sum = 0;
      for (const r of range(4)) {
        full.wait(r & 1); // reported: W9001
        sum += row.at(0, threadIdx.x).load();
        fence.proxyAsync();
        empty.arrive();
      }
      out[threadIdx.x - 32] = sum;
    }
  },
);

/** A loop of no iterations: the only arrival stands in it (tilelang#2566). */
const noIterations = kernel(
  { block: 64, grid: 1 },
  function noIterations(iterations: Tensor<"i32", 1>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const bar = new Mbarriers(1).at(0);
    if (threadIdx.x === 0) {
      bar.init(64);
      fence.mbarrierInit();
    }
    syncThreads();
    for (const _ of range(iterations.at(broken ? 0 : 1).load())) bar.arrive();
    bar.wait(false); // reported: W9001
    out[threadIdx.x] = threadIdx.x;
  },
);

/** ConSan: deadlock_after_other_partition_returns. */
const returnsEarly = kernel(
  { block: 64, grid: 1 },
  function returnsEarly(n: Tensor<"i32", 1>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const bar = new Mbarriers(1).at(0);
    if (threadIdx.x === 0) {
      bar.init(64);
      fence.mbarrierInit();
    }
    syncThreads();
    const end = n.at(0).load();
    if (!broken) bar.arrive();
    if (threadIdx.x >= end) return;
    if (broken) bar.arrive();
    bar.wait(false); // reported: W9001
    out[threadIdx.x] = threadIdx.x;
  },
);

/** ConSan: deadlock_two_partitions. Each waits for the other's arrival before its own. */
const circle = kernel({ block: 64, grid: 1 }, function circle(out: Tensor<"i32", 1>, broken: Static<boolean>) {
  const bars = new Mbarriers(2);
  if (threadIdx.x === 0) {
    bars.at(0).init(32);
    bars.at(1).init(32);
    fence.mbarrierInit();
  }
  syncThreads();
  if (threadIdx.x < 32) {
    if (!broken) bars.at(0).arrive();
    bars.at(1).wait(false); // reported: W9001
    if (broken) bars.at(0).arrive();
  } else {
    bars.at(0).wait(false); // or: W9001
    bars.at(1).arrive();
  }
  out[threadIdx.x] = threadIdx.x;
});

const data = count(512).map((i) => 11 * i + 2);
const rowsTo32 = () => [
  mapOf(input("i32", [4, 128], data), { box: [1, 128] }),
  output(
    "i32",
    [32],
    count(32).map((c) => [0, 128, 256, 384].reduce((sum, r) => sum + (data[r + c + 32] ?? 0), 0)),
  ),
];

export const control: readonly Hazard[] = [
  kernelHazard({
    name: "control/block-barrier-in-a-partition",
    classes: [45],
    file,
    kernel: blockBarrierInAPartition,
    args: () => [output("i32", [128], count(128).toReversed())],
  }),
  kernelHazard({
    name: "control/barrier-of-some-lanes",
    classes: [45],
    file,
    kernel: barrierOfSomeLanes,
    args: () => [output("i32", [64], count(64).toReversed())],
  }),
  kernelHazard({
    name: "control/counts-differ",
    classes: [45],
    file,
    kernel: countsDiffer,
    args: () => [output("i32", [64], count(64).toReversed())],
  }),
  kernelHazard({
    name: "control/same-barrier",
    classes: [45],
    file,
    kernel: sameBarrier,
    args: () => [
      output(
        "i32",
        [128],
        count(128).map((t) => t ^ 64),
      ),
    ],
    eitherSide: true,
  }),
  kernelHazard({
    name: "control/arrives-twice",
    classes: [45],
    file,
    kernel: arrivesTwice,
    args: () => [
      output(
        "i32",
        [64],
        count(64).map((i) => 10 * (31 - (i & 31)) + (i >> 5)),
      ),
    ],
  }),
  kernelHazard({ name: "control/iterations-differ", classes: [46], file, kernel: iterationsDiffer, args: rowsTo32 }),
  kernelHazard({
    name: "control/no-iterations",
    classes: [46],
    file,
    kernel: noIterations,
    args: () => [input("i32", [2], [0, 1]), output("i32", [64], count(64))],
  }),
  kernelHazard({
    name: "control/returns-early",
    classes: [47],
    file,
    kernel: returnsEarly,
    args: () => [
      input("i32", [1], [32]),
      output(
        "i32",
        [64],
        count(64).map((t) => (t < 32 ? t : -1)),
        { initial: new Array<number>(64).fill(-1) },
      ),
    ],
  }),
  kernelHazard({ name: "control/circle", classes: [48], file, kernel: circle, args: () => [output("i32", [64], count(64))] }),
];
