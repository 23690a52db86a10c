/** Copies by threads as the language has them: `asyncCopy`. */

import type { Static, Tensor, TMA } from "warpsmith";
import { asyncCopy, fence, kernel, Mbarriers, range, sharedMemory, syncThreads, threadIdx, tma } from "warpsmith";
import { input, mapOf, output } from "../cases/case.ts";
import { type Hazard, kernelHazard } from "./hazard.ts";
import { count } from "./parts.ts";

const file = import.meta.filename;

/** The group that is read is still under way. */
const tileWaitTooShallow = kernel(
  { block: 128, grid: 1 },
  function tileWaitTooShallow(x: Tensor<"i32", 1>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("i32", [512]);
    asyncCopy.load(tile, x); // the other side
    asyncCopy.commit();
    asyncCopy.wait(broken ? 1 : 0);
    syncThreads();
    for (const i of range(threadIdx.x, 512, 128)) out[i] = tile[511 - i]!; // reported: W9204
    asyncCopy.wait(0);
  },
);

/** Each thread has waited for its own pieces, and reads another's. */
const tileWithoutBarrier = kernel(
  { block: 128, grid: 1 },
  function tileWithoutBarrier(x: Tensor<"i32", 1>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("i32", [512]);
    asyncCopy.load(tile, x); // the other side
    asyncCopy.commit();
    asyncCopy.wait(0);
    if (!broken) syncThreads();
    for (const i of range(threadIdx.x, 512, 128)) out[i] = tile[511 - i]!; // reported: W9201 or W9204
  },
);

/** The barrier completes without the copies: they arrive at it only once they are done. */
const arrivalBeforeTheCopy = kernel(
  { block: 128, grid: 1 },
  function arrivalBeforeTheCopy(x: Tensor<"i32", 1>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("i32", [128]);
    const bar = new Mbarriers(1).at(0);
    if (threadIdx.x === 0) bar.init(128);
    syncThreads();
    asyncCopy.copy(tile.at(threadIdx.x), x.at(threadIdx.x)); // the other side
    if (broken) bar.arrive();
    else asyncCopy.arrive(bar, { noInc: true });
    bar.wait(false);
    out[threadIdx.x] = tile[127 - threadIdx.x]!; // reported: W9201 or W9204
    asyncCopy.commit();
    asyncCopy.wait(0);
  },
);

/** Copies of threads are ordinary accesses, which TMA sees behind a proxy fence alone. */
const copiedThenStored = kernel(
  { block: 128, grid: 1 },
  function copiedThenStored(x: Tensor<"i32", 2>, to: TMA<"i32", 2>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("i32", [8, 32], { align: 128 });
    asyncCopy.load(tile, x); // the other side
    asyncCopy.commit();
    asyncCopy.wait(0);
    if (!broken) fence.proxyAsync();
    syncThreads();
    if (threadIdx.x === 0) {
      to.store(tile, [0, 0]); // reported: W9202
      tma.commit();
      tma.wait(0);
    }
  },
);

const words = count(512);
const line = input("i32", [512], words);

export const asyncCopies: readonly Hazard[] = [
  kernelHazard({
    name: "async-copies/wait-too-shallow",
    classes: [15],
    file,
    kernel: tileWaitTooShallow,
    args: () => [line, output("i32", [512], words.toReversed())],
  }),
  kernelHazard({
    name: "async-copies/no-barrier",
    classes: [15],
    eitherSide: true,
    file,
    kernel: tileWithoutBarrier,
    args: () => [line, output("i32", [512], words.toReversed())],
  }),
  kernelHazard({
    name: "async-copies/arrives-without-the-copy",
    classes: [15],
    eitherSide: true,
    file,
    kernel: arrivalBeforeTheCopy,
    args: () => [input("i32", [128], count(128)), output("i32", [128], count(128).toReversed())],
  }),
  kernelHazard({
    name: "async-copies/no-proxy-fence",
    classes: [30],
    file,
    kernel: copiedThenStored,
    args: () => [input("i32", [8, 32], count(256)), mapOf(output("i32", [8, 32], count(256)), { box: [8, 32] })],
  }),
];
