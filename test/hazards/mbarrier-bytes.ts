import { kernel, type Static, sharedMemory, type Tensor, type TMA, threadIdx } from "warpsmith";
import { input, mapOf, output } from "../cases/case.ts";
import { type Hazard, kernelHazard } from "./hazard.ts";
import { count, oneBarrier, twoRows } from "./parts.ts";

const file = import.meta.filename;

/** ConSan: expect_bytes_mismatch, ws_two_loads_one_bar. The first copy ends the phase of both. */
const bytesOfOneCopy = kernel(
  { block: 128, grid: 1 },
  function bytesOfOneCopy(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const rows = sharedMemory.alloc("i32", [2, 1, 128], { align: 128 });
    const bar = oneBarrier(1);
    if (threadIdx.x === 0) {
      bar.arrive({ tx: broken ? rows.at(0).bytes : rows.bytes });
      x.load(rows.at(0), bar, [0, 0]);
      x.load(rows.at(1), bar, [0, 1]); // reported: W9215
    }
    bar.wait(false);
    out[threadIdx.x] = rows.at(0, 0, threadIdx.x).load() + rows.at(1, 0, threadIdx.x).load(); // or: W9204
  },
);

/** Fewer bytes than the one copy brings. */
const tooFewBytes = kernel(
  { block: 128, grid: 1 },
  function tooFewBytes(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
    const bar = oneBarrier(1);
    if (threadIdx.x === 0) {
      bar.arrive({ tx: broken ? row.bytes - 16 : row.bytes });
      x.load(row, bar, [0, 0]); // or: W9215
    }
    bar.wait(false); // reported: W9001
    out[threadIdx.x] = row.at(0, threadIdx.x).load(); // or: W9204
  },
);

const tooManyBytes = kernel(
  { block: 128, grid: 1 },
  function tooManyBytes(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
    const bar = oneBarrier(1);
    if (threadIdx.x === 0) {
      bar.arrive({ tx: broken ? row.bytes + 16 : row.bytes });
      x.load(row, bar, [0, 0]);
    }
    bar.wait(false); // reported: W9001
    out[threadIdx.x] = row.at(0, threadIdx.x).load();
  },
);

const expectedButNotLoaded = kernel(
  { block: 128, grid: 1 },
  function expectedButNotLoaded(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
    const bar = oneBarrier(1);
    const elected = threadIdx.x === 0;
    bar.arrive({ tx: row.bytes, pred: elected });
    if (!broken) x.load(row, bar, [0, 0], { pred: elected });
    bar.wait(false); // reported: W9001
    out[threadIdx.x] = broken ? 0 : row.at(0, threadIdx.x).load();
  },
);

/** ConSan: deadlock_exempt_when_tma_signals is the mended one. */
const loadedButNotExpected = kernel(
  { block: 128, grid: 1 },
  function loadedButNotExpected(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
    const bar = oneBarrier(1);
    if (threadIdx.x === 0) {
      bar.arrive(broken ? {} : { tx: row.bytes });
      x.load(row, bar, [0, 0]); // reported: W9215
    }
    bar.wait(false);
    out[threadIdx.x] = row.at(0, threadIdx.x).load(); // or: W9204
  },
);

/** A box over the edge of the tensor counts in full. */
const bytesInsideAlone = kernel(
  { block: 128, grid: 1 },
  function bytesInsideAlone(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const rows = sharedMemory.alloc("i32", [2, 64], { align: 128 });
    const bar = oneBarrier(1);
    if (threadIdx.x === 0) {
      bar.arrive({ tx: broken ? rows.bytes / 2 : rows.bytes });
      x.load(rows, bar, [0, 3]); // or: W9215
    }
    bar.wait(false); // reported: W9001
    out[threadIdx.x] = rows.at(threadIdx.x >> 6, threadIdx.x & 63).load(); // or: W9204
  },
);

const moreThanItCounts = kernel(
  { block: 32, grid: 1 },
  function moreThanItCounts(out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const bar = oneBarrier(1);
    if (threadIdx.x === 0) {
      if (broken) {
        bar.expectTx(600_000);
        bar.expectTx(600_000); // reported: W9106
      }
      bar.arrive();
    }
    bar.wait(false);
    out[threadIdx.x] = threadIdx.x;
  },
);

const data = count(256).map((i) => 5 * i - 7);
const { firstRow, bothRows } = twoRows(data);
const overTheEdge = () => [
  mapOf(input("i32", [4, 64], data), { box: [2, 64] }),
  output("i32", [128], [...data.slice(192), ...new Array<number>(64).fill(0)]),
];

export const mbarrierBytes: readonly Hazard[] = [
  kernelHazard({ name: "bytes/of-one-copy-of-two", classes: [11], file, kernel: bytesOfOneCopy, args: bothRows }),
  kernelHazard({ name: "bytes/too-few", classes: [11], file, kernel: tooFewBytes, args: firstRow }),
  kernelHazard({ name: "bytes/too-many", classes: [11], file, kernel: tooManyBytes, args: firstRow }),
  kernelHazard({ name: "bytes/expected-but-not-loaded", classes: [11], file, kernel: expectedButNotLoaded, args: firstRow }),
  kernelHazard({ name: "bytes/loaded-but-not-expected", classes: [11], file, kernel: loadedButNotExpected, args: firstRow }),
  kernelHazard({ name: "bytes/inside-alone", classes: [12], file, kernel: bytesInsideAlone, args: overTheEdge }),
  kernelHazard({
    name: "bytes/more-than-it-counts",
    classes: [11],
    file,
    kernel: moreThanItCounts,
    args: () => [output("i32", [32], count(32))],
  }),
];
