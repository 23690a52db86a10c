import type { Static, Tensor, TMA } from "warpsmith";
import { fence, kernel, Mbarriers, range, sharedMemory, syncThreads, syncWarp, threadIdx } from "warpsmith";
import { output } from "../cases/case.ts";
import { type Hazard, kernelHazard } from "./hazard.ts";
import { count, oneBarrier, twoRows } from "./parts.ts";

const file = import.meta.filename;

function twoBarriers(arrivals: number): Mbarriers {
  "use kernel";
  const bars = new Mbarriers(2);
  if (threadIdx.x === 0) {
    bars.at(0).init(arrivals);
    bars.at(1).init(arrivals);
    fence.mbarrierInit();
  }
  syncThreads();
  return bars;
}

/** ConSan: tma_wait_tracks_only_waited_barrier, ws_two_loads_two_bars. */
const wrongBarrier = kernel(
  { block: 128, grid: 1 },
  function wrongBarrier(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const rows = sharedMemory.alloc("i32", [2, 1, 128], { align: 128 });
    const bars = twoBarriers(1);
    if (threadIdx.x === 0) {
      bars.at(0).arrive({ tx: rows.at(0).bytes });
      x.load(rows.at(0), bars.at(0), [0, 0]);
      bars.at(1).arrive({ tx: rows.at(1).bytes });
      x.load(rows.at(1), bars.at(1), [0, 1]); // the other side
    }
    bars.at(0).wait(false);
    const first = rows.at(0, 0, threadIdx.x).load();
    bars.at(broken ? 0 : 1).wait(false);
    out[threadIdx.x] = first + rows.at(1, 0, threadIdx.x).load(); // reported: W9204
    bars.at(1).wait(false);
  },
);

/** ConSan: tma_wait_tracks_only_requested_phase. The phase before the first one is over from the beginning. */
const phaseBefore = kernel(
  { block: 128, grid: 1 },
  function phaseBefore(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
    const bar = oneBarrier(1);
    if (threadIdx.x === 0) {
      bar.arrive({ tx: row.bytes });
      x.load(row, bar, [0, 0]); // the other side
    }
    bar.wait(broken); // reported: W9230 or W9001
    out[threadIdx.x] = row.at(0, threadIdx.x).load();
    bar.wait(false);
  },
);

/** The parity is not turned, so that every second wait is for the phase that has just been seen. */
const parityNotTurned = kernel(
  { block: 128, grid: 1 },
  function parityNotTurned(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const rows = sharedMemory.alloc("i32", [2, 1, 128], { align: 128 });
    const bar = oneBarrier(1);
    let sum = 0;
    let parity = false;
    for (const r of range(2)) {
      if (threadIdx.x === 0) {
        bar.arrive({ tx: rows.at(r).bytes });
        x.load(rows.at(r), bar, [0, r]); // the other side
      }
      bar.wait(parity); // or: W9001 or W9248
      sum += rows.at(r, 0, threadIdx.x).load(); // reported: W9204
      if (!broken) parity = !parity;
      syncThreads();
    }
    bar.wait(true);
    out[threadIdx.x] = sum;
  },
);

/** ConSan: deadlock_different_phases. One warp waits for a phase after the last one. */
const phaseNeverToCome = kernel(
  { block: 64, grid: 1 },
  function phaseNeverToCome(out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const bar = oneBarrier(64);
    bar.arrive();
    bar.wait(false);
    if (broken) bar.wait(true); // reported: W9001
    out[threadIdx.x] = threadIdx.x;
  },
);

/** A producer that nobody holds back: what the consumer waits for is two phases ago. */
const twoPhasesAhead = kernel({ block: 64, grid: 1 }, function twoPhasesAhead(out: Tensor<"i32", 1>, broken: Static<boolean>) {
  const cells = sharedMemory.alloc("i32", [4]);
  const bars = twoBarriers(1);
  const [full, empty] = [bars.at(0), bars.at(1)];
  if (threadIdx.x < 32) {
    let parity = true;
    for (const iteration of range(4)) {
      if (!broken) empty.wait(parity);
      if (threadIdx.x === 0) {
        cells.at(iteration).store(iteration * 10);
        full.arrive();
      }
      syncWarp();
      parity = !parity;
    }
  } else {
    let parity = false;
    let sum = 0;
    for (const iteration of range(4)) {
      full.wait(parity); // reported: W9214 or W9001
      sum += cells.at(iteration).load();
      syncWarp();
      empty.arrive({ pred: threadIdx.x === 32 });
      parity = !parity;
    }
    out[threadIdx.x - 32] = sum;
  }
});

/** A test says whether the phase is over; who does not look at what it says goes on without the data. */
const resultIgnored = kernel(
  { block: 128, grid: 1 },
  function resultIgnored(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
    const bar = oneBarrier(1);
    if (threadIdx.x === 0) {
      bar.arrive({ tx: row.bytes });
      x.load(row, bar, [0, 0]); // the other side
    }
    let done = bar.testWait(false);
    if (!broken) while (!done) done = bar.testWait(false);
    out[threadIdx.x] = row.at(0, threadIdx.x).load(); // reported: W9204
    bar.wait(false);
  },
);

const data = count(256).map((i) => 3 * i + 1);
const { firstRow, bothRows } = twoRows(data);

export const mbarrierPhases: readonly Hazard[] = [
  kernelHazard({ name: "mbarrier/wrong-barrier", classes: [7], file, kernel: wrongBarrier, args: bothRows }),
  kernelHazard({ name: "mbarrier/phase-before", classes: [8], file, kernel: phaseBefore, args: firstRow, eitherSide: true }),
  kernelHazard({
    name: "mbarrier/parity-not-turned",
    classes: [8],
    file,
    kernel: parityNotTurned,
    args: bothRows,
    eitherSide: true,
  }),
  kernelHazard({
    name: "mbarrier/phase-never-to-come",
    classes: [8],
    file,
    kernel: phaseNeverToCome,
    args: () => [output("i32", [64], count(64))],
  }),
  kernelHazard({
    name: "mbarrier/two-phases-ahead",
    classes: [9],
    file,
    kernel: twoPhasesAhead,
    args: () => [output("i32", [32], new Array<number>(32).fill(60))],
    sometimes: true,
  }),
  kernelHazard({
    name: "mbarrier/wait-result-ignored",
    eitherSide: true,
    classes: [10],
    file,
    kernel: resultIgnored,
    args: firstRow,
    sometimes: true,
  }),
];
