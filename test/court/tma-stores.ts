/** Memory that a TMA store still reads. */
import { fence, kernel, range, type Static, sharedMemory, syncThreads, type TMA, threadIdx, tma } from "warpsmith";
import { input, mapOf, output } from "../cases/case.ts";
import { count } from "../cases/numbers.ts";
import { oneBarrier } from "../hazards/parts.ts";
import { type CourtCase, kernelCase } from "./court-case.ts";

const file = import.meta.filename;
const tiles = 4;

/** Two stages: a wait that leaves one group leaves the one that reads the stage. */
const waitTooShallow = kernel(
  { block: 64, grid: 1 },
  function waitTooShallow(x: TMA<"i32", 2>, to: TMA<"i32", 2>, broken: Static<boolean>) {
    const stages = sharedMemory.alloc("i32", [2, 1, 64], { align: 128 });
    const full = oneBarrier(1);
    let parity = false;
    for (const r of range(tiles)) {
      const stage = stages.at(r % 2);
      if (threadIdx.x === 0) {
        tma.wait(broken ? 2 : 1, { read: true });
        full.arrive({ tx: stage.bytes });
        x.load(stage, full, [0, r]); // reported: W9205 or W9208
        full.wait(parity);
        to.store(stage, [0, r]); // the other side
        tma.commit();
      }
      parity = !parity;
    }
    if (threadIdx.x === 0) tma.wait(0);
  },
);

const waitBehindTheLoop = kernel({ block: 64, grid: 1 }, function waitBehindTheLoop(to: TMA<"i32", 2>, broken: Static<boolean>) {
  const row = sharedMemory.alloc("i32", [1, 64], { align: 128 });
  for (const r of range(tiles)) {
    row.at(0, threadIdx.x).store(threadIdx.x + 64 * r); // reported: W9205
    fence.proxyAsync();
    syncThreads();
    if (threadIdx.x === 0) {
      to.store(row, [0, r]); // the other side
      if (!broken) {
        tma.commit();
        tma.wait(0, { read: true });
      }
    }
    syncThreads();
  }
  if (threadIdx.x === 0) {
    tma.commit();
    tma.wait(0);
  }
});

/** Groups belong to the thread that has committed them: the others wait for nothing. */
const othersWaitForNothing = kernel(
  { block: 64, grid: 1 },
  function othersWaitForNothing(to: TMA<"i32", 2>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 64], { align: 128 });
    for (const r of range(tiles)) {
      row.at(0, threadIdx.x).store(threadIdx.x + 64 * r); // reported: W9201 or W9205
      fence.proxyAsync();
      syncThreads();
      if (threadIdx.x === 0) {
        to.store(row, [0, r]); // the other side
        tma.commit();
      }
      tma.wait(0, { read: true });
      if (!broken) syncThreads();
    }
    if (threadIdx.x === 0) tma.wait(0);
  },
);

/** One thread waits before its next store; the others have refilled the tile by then. */
const refilledBeforeTheWait = kernel(
  { block: 64, grid: 1 },
  function refilledBeforeTheWait(to: TMA<"i32", 2>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 64], { align: 128 });
    for (const r of range(tiles)) {
      if (!broken) {
        if (threadIdx.x === 0) tma.wait(0, { read: true });
        syncThreads();
      }
      row.at(0, threadIdx.x).store(threadIdx.x + 64 * r); // reported: W9201 or W9205
      fence.proxyAsync();
      syncThreads();
      if (threadIdx.x === 0) {
        tma.wait(0, { read: true });
        to.store(row, [0, r]); // the other side
        tma.commit();
      }
    }
    if (threadIdx.x === 0) tma.wait(0);
  },
);

/** Each tile begins at the first stage again, while the wait counts on a ring. */
const stageBeginsAgain = kernel({ block: 64, grid: 1 }, function stageBeginsAgain(to: TMA<"i32", 2>, broken: Static<boolean>) {
  const ring = sharedMemory.alloc("i32", [3, 1, 64], { align: 128 });
  for (const tile of range(2)) {
    for (const part of range(2)) {
      const r = tile * 2 + part;
      const stage = ring.at(broken ? part : r % 3);
      stage.at(0, threadIdx.x).store(threadIdx.x + 64 * r); // reported: W9205
      fence.proxyAsync();
      syncThreads();
      if (threadIdx.x === 0) {
        to.store(stage, [0, r]); // the other side
        tma.commit();
        tma.wait(2, { read: true });
      }
      syncThreads();
    }
  }
  if (threadIdx.x === 0) tma.wait(0);
});

/** A tile is the input of the product and then its result, whose store the next load does not wait for. */
const loadedOverTheResult = kernel(
  { block: 64, grid: 1 },
  function loadedOverTheResult(x: TMA<"i32", 2>, to: TMA<"i32", 2>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 64], { align: 128 });
    const full = oneBarrier(1);
    let parity = false;
    for (const r of range(tiles)) {
      if (threadIdx.x === 0) {
        if (!broken) tma.wait(0, { read: true });
        full.arrive({ tx: row.bytes });
        x.load(row, full, [0, r]); // reported: W9205 or W9208
      }
      full.wait(parity);
      const value = row.at(0, threadIdx.x).load();
      row.at(0, threadIdx.x).store(value + 1);
      fence.proxyAsync();
      syncThreads();
      if (threadIdx.x === 0) {
        to.store(row, [0, r]); // the other side
        tma.commit();
      }
      parity = !parity;
    }
    if (threadIdx.x === 0) tma.wait(0);
  },
);

const options = { box: [1, 64] } as const;
const rows = count(tiles * 64);
const from = () => mapOf(input("i32", [tiles, 64], rows), options);
const to = (by = 0) =>
  mapOf(
    output(
      "i32",
      [tiles, 64],
      rows.map((x) => x + by),
    ),
    options,
  );

export const tmaStoreCases: readonly CourtCase[] = [
  kernelCase({
    name: "tma-stores/wait-too-shallow",
    what: "Before a stage of two is loaded again, `wait_group` leaves two stores under way: one of them still reads that stage.",
    mended: "The wait leaves one.",
    links: ["https://github.com/deepseek-ai/DeepEP/issues/657", "https://github.com/facebookexperimental/triton/pull/3286"],
    file,
    kernel: waitTooShallow,
    args: () => [from(), to()],
    eitherSide: true,
  }),
  kernelCase({
    name: "tma-stores/wait-behind-the-loop",
    what: "A loop writes a tile and stores it by TMA; commit and wait come behind the loop, and the next iteration writes over the source.",
    mended: "Commit and wait are in the loop.",
    links: ["https://github.com/NVIDIA/Fuser/pull/5448"],
    file,
    kernel: waitBehindTheLoop,
    args: () => [to()],
  }),
  kernelCase({
    name: "tma-stores/others-wait-for-nothing",
    what: "All threads call `wait_group.read`; only the one that issued the store has a group to wait for, and the others write on.",
    mended: "A barrier of the block behind the wait.",
    links: ["https://github.com/NVIDIA/TransformerEngine/pull/3417"],
    file,
    kernel: othersWaitForNothing,
    args: () => [to()],
    eitherSide: true,
  }),
  kernelCase({
    name: "tma-stores/refilled-before-the-wait",
    what: "One staging tile is refilled for each wave by all threads; the one that stores waits only before its next store.",
    mended: "It waits before the refill, and all meet.",
    links: ["https://github.com/tile-ai/TileOPs/pull/1550"],
    file,
    kernel: refilledBeforeTheWait,
    args: () => [to()],
    eitherSide: true,
  }),
  kernelCase({
    name: "tma-stores/stage-begins-again",
    what: "The number of the stage begins at 0 for each tile, while the wait counts on a ring that goes on: a stage whose store is under way is written.",
    mended: "The number goes on over the tiles.",
    links: ["https://github.com/NVIDIA/cutlass/pull/3636"],
    file,
    kernel: stageBeginsAgain,
    args: () => [to()],
  }),
  kernelCase({
    name: "tma-stores/loaded-over-the-result",
    what: "One tile of shared memory is the input and then the result; the next load comes while the result is being stored.",
    mended: "The wait for the store is at the beginning of each task.",
    links: ["https://github.com/uccl-project/mKernel/pull/18"],
    file,
    kernel: loadedOverTheResult,
    args: () => [from(), to(1)],
    eitherSide: true,
  }),
];
