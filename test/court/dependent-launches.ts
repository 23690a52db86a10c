/** Launches that begin before the one before them has ended (programmatic dependent launch). The last launch has the bug. */
import { fence, gridDependency, kernel, type Static, sharedMemory, type Tensor, type TMA, threadIdx, warp } from "warpsmith";
import { input, mapOf, output } from "../cases/case.ts";
import { count } from "../cases/numbers.ts";
import type { KernelPair } from "../hazards/hazard.ts";
import { oneBarrier } from "../hazards/parts.ts";
import { type CourtCase, kernelCase, ownWords, ptxCase } from "./court-case.ts";

const file = import.meta.filename;
const threads = 64;

const neverWaits = (broken: boolean): string => `${ownWords}
  ${broken ? "" : "griddepcontrol.wait;"}
  griddepcontrol.launch_dependents;
  ld.global.u32 %r2, [%d1]; // reported: W9225
  add.u32 %r2, %r2, 1;
  st.global.u32 [%d2], %r2;`;

/** The first problem's size is read where the scheduler is made, before the wait. */
const readsAhead = kernel(
  { block: threads, grid: 1 },
  function readsAhead(from: Tensor<"i32", 1>, to: Tensor<"i32", 1>, last: Static<boolean>, broken: Static<boolean>) {
    if (!broken || !last) gridDependency.wait();
    const size = from.at(0).load(); // reported: W9225
    gridDependency.wait();
    to[threadIdx.x] = (size > 1000 ? 7 : 1) + from.at(threadIdx.x).load();
  },
);

/** One warp waits; another one loads. */
const otherWarpLoads = kernel(
  { block: threads, grid: 1 },
  function otherWarpLoads(from: TMA<"i32", 2>, to: Tensor<"i32", 2>, last: Static<boolean>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, threads], { align: 128 });
    const full = oneBarrier(1);
    if (!last || !broken || warp.index === 0) gridDependency.wait();
    fence.proxyAsync();
    if (threadIdx.x === 32) {
      full.arrive({ tx: row.bytes });
      from.load(row, full, [0, 0]); // reported: W9225
    }
    full.wait(false);
    to.at(0, threadIdx.x).store(row.at(0, threadIdx.x).load() + 1);
  },
);

/** Sums are added to what the launch before clears. */
const addsTooEarly = kernel(
  { block: threads, grid: 1 },
  function addsTooEarly(sums: Tensor<"i32", 1>, last: Static<boolean>, broken: Static<boolean>) {
    if (!last) sums[threadIdx.x] = 0;
    else {
      if (!broken) gridDependency.wait();
      sums.at(threadIdx.x).reduce("add", 5); // reported: W9225
    }
    gridDependency.wait();
  },
);

const row = count(threads);
const plus = (by: number): number[] => row.map((i) => i + by);
const config = { overlapPrevious: true };

type Launches = Required<Pick<KernelPair, "args" | "behind">>;

/** The second launch takes what the first has made. */
function inTurn(): Launches {
  const [between, end] = [output("i32", [threads], plus(1)), output("i32", [threads], plus(2))];
  return {
    args: () => [input("i32", [threads], row), between, false],
    behind: [{ config, args: [between, end, true] }],
  };
}
function byMaps(): Launches {
  const options = { box: [1, threads] };
  const shape = [1, threads];
  const [between, end] = [output("i32", shape, plus(1)), output("i32", shape, plus(2))];
  return {
    args: () => [mapOf(input("i32", shape, row), options), between, false],
    behind: [{ config, args: [mapOf(between, options), end, true] }],
  };
}
function sums(): Launches {
  const cells = output("i32", [threads], new Array<number>(threads).fill(5));
  return { args: () => [cells, false], behind: [{ config, args: [cells, true] }] };
}

export const dependentLaunchCases: readonly CourtCase[] = [
  ptxCase({
    name: "dependent-launches/never-waits",
    what: "A kernel is launched to overlap the one before it, and reads its results without `griddepcontrol.wait`.",
    mended: "It waits before the first load.",
    links: [
      "https://github.com/Dao-AILab/flash-attention/pull/2481",
      "https://github.com/ggml-org/llama.cpp/pull/23690",
      "https://github.com/NVIDIA/cutlass/issues/2760",
      "https://github.com/flashinfer-ai/flashinfer/issues/2708",
    ],
    body: neverWaits,
    twice: true,
    input: row,
    expected: plus(2),
    block: [threads, 1, 1],
  }),
  kernelCase({
    name: "dependent-launches/reads-ahead",
    what: "The kernel waits, but has read one value before: the size of the first problem, a residual, a partition.",
    mended: "The wait comes before it.",
    links: [
      "https://github.com/NVIDIA/cutlass/issues/2962",
      "https://github.com/NVIDIA/cccl/pull/5456",
      "https://github.com/flashinfer-ai/flashinfer/pull/5081",
    ],
    file,
    kernel: readsAhead,
    ...inTurn(),
  }),
  kernelCase({
    name: "dependent-launches/other-warp-loads",
    what: "Of the warps that load, one does not wait for the launch before.",
    mended: "All wait, before the roles part.",
    links: ["https://github.com/NVIDIA/cutlass/pull/3279", "https://github.com/Dao-AILab/flash-attention/pull/2643"],
    file,
    kernel: otherWarpLoads,
    ...byMaps(),
  }),
  kernelCase({
    name: "dependent-launches/adds-too-early",
    what: "A kernel adds to sums that the launch before it clears, and has not waited for it.",
    mended: "It waits before the first atomic.",
    links: ["https://github.com/Dao-AILab/flash-attention/pull/2643"],
    file,
    kernel: addsTooEarly,
    ...sums(),
  }),
];
