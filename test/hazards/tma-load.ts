import type { Static, Tensor, TMA } from "warpsmith";
import { fence, kernel, Mbarriers, range, sharedMemory, syncThreads, threadIdx } from "warpsmith";
import { input, mapOf, output } from "../cases/case.ts";
import { type Hazard, kernelHazard } from "./hazard.ts";
import { count, oneBarrier } from "./parts.ts";

const file = import.meta.filename;

/** ConSan: async_tma_kernel. */
const readBeforeTheWait = kernel(
  { block: 128, grid: 1 },
  function readBeforeTheWait(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
    const bar = oneBarrier(1);
    if (threadIdx.x === 0) {
      bar.arrive({ tx: row.bytes });
      x.load(row, bar, [0, 0]); // the other side
    }
    if (broken) syncThreads();
    else bar.wait(false);
    out[threadIdx.x] = row.at(0, threadIdx.x).load(); // reported: W9204
    bar.wait(false);
  },
);

/** ConSan: tma_wait_does_not_publish_overwritten_row. An ordinary store into a tile that is on its way. */
const writtenWhileItComes = kernel(
  { block: 128, grid: 1 },
  function writtenWhileItComes(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
    const bar = oneBarrier(1);
    if (threadIdx.x === 0) {
      bar.arrive({ tx: row.bytes });
      x.load(row, bar, [0, 0]); // the other side
    }
    if (broken) syncThreads();
    else bar.wait(false);
    row.at(0, threadIdx.x).store(threadIdx.x); // reported: W9204
    bar.wait(false);
    out[threadIdx.x] = row.at(0, threadIdx.x).load();
  },
);

/** ConSan: tma_overlapping_operations. */
const twoLoadsIntoOneTile = kernel(
  { block: 128, grid: 1 },
  function twoLoadsIntoOneTile(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const rows = sharedMemory.alloc("i32", [2, 1, 128], { align: 128 });
    const bar = oneBarrier(1);
    const second = broken ? 0 : 1;
    if (threadIdx.x === 0) {
      bar.arrive({ tx: rows.bytes });
      x.load(rows.at(0), bar, [0, 0]); // the other side
      x.load(rows.at(second), bar, [0, 1]); // reported: W9208
    }
    bar.wait(false);
    out[threadIdx.x] = rows.at(second, 0, threadIdx.x).load();
  },
);

/** ConSan: multibuffered_loop, ws_load_wait_store. A row is loaded again while other warps may still read it. */
const reusedWhileRead = kernel(
  { block: 128, grid: 1 },
  function reusedWhileRead(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
    const bar = oneBarrier(1);
    let sum = 0;
    let parity = false;
    for (const r of range(4)) {
      if (threadIdx.x === 0) {
        bar.arrive({ tx: row.bytes });
        x.load(row, bar, [0, r]); // reported: W9204
      }
      bar.wait(parity); // or: W9214 or W9001
      sum += row.at(0, threadIdx.x).load(); // the other side
      fence.proxyAsync();
      if (!broken) syncThreads();
      parity = !parity;
    }
    out[threadIdx.x] = sum;
  },
);

/** ConSan: ws_two_loads_two_bars_loop, without the wait for the empty stage: a pipeline that its producer overruns. */
const stageNotReleased = kernel(
  { block: 128, grid: 1 },
  function stageNotReleased(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const stages = 2;
    const rows = sharedMemory.alloc("i32", [stages, 1, 128], { align: 128 });
    const full = new Mbarriers(stages);
    const empty = new Mbarriers(stages);
    if (threadIdx.x === 0) {
      for (const s of [0, 1]) {
        full.at(s).init(1);
        empty.at(s).init(96);
      }
      fence.mbarrierInit();
    }
    syncThreads();
    if (threadIdx.x === 0) {
      for (const r of range(4)) {
        const s = r % stages;
        if (!broken) empty.at(s).wait(r < stages);
        full.at(s).arrive({ tx: rows.at(s).bytes }); // or: W9105
        x.load(rows.at(s), full.at(s), [0, r]); // reported: W9208 or W9204 or W9215
      }
    } else if (threadIdx.x >= 32) {
      let sum = 0;
      for (const r of range(4)) {
        const s = r % stages;
        full.at(s).wait(r >= stages); // or: W9214 or W9001
        sum += rows.at(s, 0, threadIdx.x).load(); // or: W9204
        fence.proxyAsync();
        empty.at(s).arrive();
      }
      out[threadIdx.x] = sum;
    }
  },
);

/** The block ends while a copy into its shared memory is on its way. */
const nobodyWaits = kernel(
  { block: 128, grid: 1 },
  function nobodyWaits(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
    const bar = oneBarrier(1);
    if (threadIdx.x === 0) {
      bar.arrive({ tx: row.bytes });
      x.load(row, bar, [0, 0]); // reported: W9216
    }
    out[threadIdx.x] = threadIdx.x;
    if (!broken) bar.wait(false);
  },
);

/** Nobody was elected: 32 threads bring the same row, and each its bytes. */
const loadedByAll = kernel(
  { block: 32, grid: 1 },
  function loadedByAll(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
    const bar = oneBarrier(1);
    bar.arrive({ tx: row.bytes, pred: threadIdx.x === 0 });
    x.load(row, bar, [0, 0], { pred: broken || threadIdx.x === 0 }); // reported: W9208 or W9215
    bar.wait(false);
    out[threadIdx.x] = row.at(0, threadIdx.x).load();
  },
);

const data = count(512).map((i) => 7 * i - 3);
const map = () => mapOf(input("i32", [4, 128], data), { box: [1, 128] });
const column = (c: number): number => [0, 128, 256, 384].reduce((sum, r) => sum + (data[r + c] ?? 0), 0);
const firstRow = () => [map(), output("i32", [128], data.slice(0, 128))];
const allRows = () => [map(), output("i32", [128], count(128).map(column))];

export const tmaLoad: readonly Hazard[] = [
  kernelHazard({ name: "load/read-before-the-wait", classes: [14], file, kernel: readBeforeTheWait, args: firstRow }),
  kernelHazard({
    name: "load/written-while-it-comes",
    classes: [16],
    file,
    kernel: writtenWhileItComes,
    args: () => [map(), output("i32", [128], count(128))],
  }),
  kernelHazard({
    name: "load/two-into-one-tile",
    classes: [16],
    file,
    kernel: twoLoadsIntoOneTile,
    args: () => [map(), output("i32", [128], data.slice(128, 256))],
  }),
  kernelHazard({ name: "load/reused-while-read", classes: [19], file, kernel: reusedWhileRead, args: allRows, eitherSide: true }),
  kernelHazard({
    name: "load/stage-not-released",
    classes: [19],
    file,
    kernel: stageNotReleased,
    args: () => [
      map(),
      output(
        "i32",
        [128],
        count(128).map((c) => (c < 32 ? -1 : column(c))),
        { initial: count(128).map(() => -1) },
      ),
    ],
  }),
  kernelHazard({
    name: "load/nobody-waits",
    classes: [24],
    file,
    kernel: nobodyWaits,
    args: () => [map(), output("i32", [128], count(128))],
  }),
  kernelHazard({
    name: "load/issued-by-all",
    classes: [50],
    file,
    kernel: loadedByAll,
    args: () => [map(), output("i32", [32], data.slice(0, 32))],
  }),
];
