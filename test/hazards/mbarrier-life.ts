import { fence, kernel, Mbarriers, type Static, syncThreads, syncWarp, type Tensor, threadIdx } from "warpsmith";
import { output } from "../cases/case.ts";
import { type Hazard, kernelHazard } from "./hazard.ts";
import { count, oneBarrier } from "./parts.ts";

const file = import.meta.filename;

/** ConSan: barrier_use_without_init. */
const neverInitialised = kernel(
  { block: 32, grid: 1 },
  function neverInitialised(out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const bar = new Mbarriers(1).at(0);
    if (threadIdx.x === 0) {
      if (!broken) bar.init(32);
      fence.mbarrierInit();
    }
    syncThreads();
    bar.arrive(); // reported: W9102
    bar.wait(false);
    out[threadIdx.x] = threadIdx.x;
  },
);

/** No barrier of the block between the initialisation and the other warps. */
const notSynchronised = kernel({ block: 64, grid: 1 }, function notSynchronised(out: Tensor<"i32", 1>, broken: Static<boolean>) {
  const bar = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    bar.init(64);
    fence.mbarrierInit();
  }
  if (!broken) syncThreads();
  syncWarp();
  bar.arrive(); // reported: W9212 or W9102
  bar.wait(false);
  out[threadIdx.x] = threadIdx.x;
});

/** The other warp does not come before the initialisation, and yet nothing shows it what was initialised. */
const relaxedFlag = kernel(
  { block: 64, grid: 1 },
  function relaxedFlag(flag: Tensor<"i32", 1>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const bar = new Mbarriers(1).at(0);
    const ready = flag.at(0);
    if (threadIdx.x === 0) {
      bar.init(64);
      if (broken) ready.atomic("exch", 1);
      else ready.storeRelease(1, "block");
    }
    syncWarp();
    if (threadIdx.x >= 32) {
      while ((broken ? ready.atomic("add", 0) : ready.loadAcquire("block")) === 0) {}
    }
    bar.arrive(); // reported: W9212
    bar.wait(false);
    out[threadIdx.x] = threadIdx.x;
  },
);

/** ConSan: barrier_reinit_requires_invalidate. */
const initialisedTwice = kernel(
  { block: 64, grid: 1 },
  function initialisedTwice(out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const bar = oneBarrier(64);
    bar.arrive();
    bar.wait(false);
    syncThreads();
    if (threadIdx.x === 0) {
      if (!broken) bar.invalidate();
      bar.init(32); // reported: W9104
    }
    syncThreads();
    if (threadIdx.x < 32) bar.arrive();
    bar.wait(false);
    out[threadIdx.x] = threadIdx.x;
  },
);

/** ConSan: barrier_invalidate_requires_completion_wait. */
const invalidatedTooEarly = kernel(
  { block: 64, grid: 1 },
  function invalidatedTooEarly(out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const bar = oneBarrier(64);
    bar.arrive();
    bar.wait(false); // or: W9102
    if (!broken) syncThreads();
    out[threadIdx.x] = threadIdx.x;
    if (threadIdx.x === 0) bar.invalidate(); // reported: W9219
  },
);

/** ConSan: barrier_use_after_invalidate. */
const usedAfterInvalidation = kernel(
  { block: 64, grid: 1 },
  function usedAfterInvalidation(out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const bar = oneBarrier(64);
    bar.arrive();
    bar.wait(false);
    syncThreads();
    if (broken && threadIdx.x === 0) bar.invalidate();
    syncThreads();
    bar.arrive(); // reported: W9102
    bar.wait(true);
    out[threadIdx.x] = threadIdx.x;
  },
);

const indices = (n: number) => [output("i32", [n], count(n))];

export const mbarrierLife: readonly Hazard[] = [
  kernelHazard({ name: "mbarrier/never-initialised", classes: [1], file, kernel: neverInitialised, args: () => indices(32) }),
  kernelHazard({ name: "mbarrier/init-not-synchronised", classes: [2], file, kernel: notSynchronised, args: () => indices(64) }),
  kernelHazard({
    name: "mbarrier/init-behind-a-relaxed-flag",
    classes: [2, 64],
    file,
    kernel: relaxedFlag,
    args: () => [output("i32", [1], [1], { initial: [0] }), ...indices(64)],
  }),
  kernelHazard({ name: "mbarrier/initialised-twice", classes: [3], file, kernel: initialisedTwice, args: () => indices(64) }),
  kernelHazard({
    name: "mbarrier/invalidated-too-early",
    sometimes: true,
    classes: [4],
    file,
    kernel: invalidatedTooEarly,
    args: () => indices(64),
  }),
  kernelHazard({
    name: "mbarrier/used-after-invalidation",
    classes: [4],
    file,
    kernel: usedAfterInvalidation,
    args: () => indices(64),
  }),
];
