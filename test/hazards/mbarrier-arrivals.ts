import { kernel, type Static, syncThreads, type Tensor, threadIdx } from "warpsmith";
import { output } from "../cases/case.ts";
import { type Hazard, kernelHazard } from "./hazard.ts";
import { count, oneBarrier } from "./parts.ts";

const file = import.meta.filename;

/** ConSan: deadlock_underarrival. */
const tooFewArrivals = kernel({ block: 64, grid: 1 }, function tooFewArrivals(out: Tensor<"i32", 1>, broken: Static<boolean>) {
  const bar = oneBarrier(broken ? 65 : 64);
  bar.arrive();
  bar.wait(false); // reported: W9001
  out[threadIdx.x] = threadIdx.x;
});

/** ConSan: deadlock_overarrival. The phase is over before everybody has come, and the next one after it. */
const tooManyArrivals = kernel({ block: 64, grid: 1 }, function tooManyArrivals(out: Tensor<"i32", 1>, broken: Static<boolean>) {
  const bar = oneBarrier(broken ? 32 : 64);
  bar.arrive();
  bar.wait(false); // reported: W9214 or W9001
  out[threadIdx.x] = threadIdx.x;
});

/** ConSan: barrier_underflow. */
const moreThanPending = kernel({ block: 32, grid: 1 }, function moreThanPending(out: Tensor<"i32", 1>, broken: Static<boolean>) {
  const bar = oneBarrier(32);
  if (threadIdx.x === 0) bar.arrive({ count: broken ? 33 : 32 }); // reported: W9105
  bar.wait(false);
  out[threadIdx.x] = threadIdx.x;
});

/** Nobody was elected: all arrive where one should. */
const notElected = kernel({ block: 32, grid: 1 }, function notElected(out: Tensor<"i32", 1>, broken: Static<boolean>) {
  const bar = oneBarrier(1);
  bar.arrive({ pred: broken || threadIdx.x === 0 });
  bar.wait(false); // reported: W9214 or W9001
  out[threadIdx.x] = threadIdx.x;
});

/** One was elected: it arrives where all should. */
const elected = kernel({ block: 32, grid: 1 }, function elected(out: Tensor<"i32", 1>, broken: Static<boolean>) {
  const bar = oneBarrier(32);
  bar.arrive({ pred: !broken || threadIdx.x === 0 });
  bar.wait(false); // reported: W9001
  out[threadIdx.x] = threadIdx.x;
});

/** ConSan: deadlock_two_partitions. Each warp waits for what the other does behind its own wait. */
const eachWaitsFirst = kernel({ block: 64, grid: 1 }, function eachWaitsFirst(out: Tensor<"i32", 1>, broken: Static<boolean>) {
  const bar = oneBarrier(1);
  const elect = threadIdx.x === 0;
  if (broken) bar.wait(false); // reported: W9001
  bar.arrive({ pred: elect });
  bar.wait(false);
  syncThreads();
  out[threadIdx.x] = threadIdx.x;
});

const on = (threads: number) => () => [output("i32", [threads], count(threads))];

export const mbarrierArrivals: readonly Hazard[] = [
  kernelHazard({ name: "mbarrier/too-few-arrivals", classes: [5], file, kernel: tooFewArrivals, args: on(64) }),
  kernelHazard({ name: "mbarrier/too-many-arrivals", classes: [5], file, kernel: tooManyArrivals, args: on(64) }),
  kernelHazard({ name: "mbarrier/more-than-pending", classes: [5], file, kernel: moreThanPending, args: on(32) }),
  kernelHazard({ name: "mbarrier/all-arrive-for-one", classes: [6], file, kernel: notElected, args: on(32) }),
  kernelHazard({ name: "mbarrier/one-arrives-for-all", classes: [6], file, kernel: elected, args: on(32) }),
  kernelHazard({ name: "mbarrier/each-waits-first", classes: [5, 48], file, kernel: eachWaitsFirst, args: on(64) }),
];
