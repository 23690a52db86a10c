import type { Static, Tensor, TMA } from "warpsmith";
import { blockIdx, fence, kernel, range, sharedMemory, syncThreads, threadIdx, tma } from "warpsmith";
import { mapOf, output } from "../cases/case.ts";
import { type Hazard, kernelHazard } from "./hazard.ts";
import { count } from "./parts.ts";

const file = import.meta.filename;

/** ConSan: tma_store. */
const overwrittenWhileStored = kernel(
  { block: 128, grid: 1 },
  function overwrittenWhileStored(to: TMA<"i32", 2>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
    for (const r of range(2)) {
      row.at(0, threadIdx.x).store(threadIdx.x + r * 128); // reported: W9205
      fence.proxyAsync();
      syncThreads();
      if (threadIdx.x === 0) {
        to.store(row, [0, r]); // the other side
        tma.commit();
        if (!broken) tma.wait(0, { read: true });
      }
      syncThreads();
    }
    if (threadIdx.x === 0) tma.wait(0);
  },
);

/** The wait leaves one group too many. */
const waitTooShallow = kernel({ block: 128, grid: 1 }, function waitTooShallow(to: TMA<"i32", 2>, broken: Static<boolean>) {
  const rows = sharedMemory.alloc("i32", [2, 1, 128], { align: 128 });
  for (const r of range(4)) {
    rows.at(r % 2, 0, threadIdx.x).store(threadIdx.x + r * 128); // reported: W9205
    fence.proxyAsync();
    syncThreads();
    if (threadIdx.x === 0) {
      to.store(rows.at(r % 2), [0, r]); // the other side
      tma.commit();
      tma.wait(broken ? 2 : 1, { read: true });
    }
    syncThreads();
  }
  if (threadIdx.x === 0) tma.wait(0);
});

/** The sources have been read; what was written need not be there yet. */
const usedAfterTheReadWait = kernel(
  { block: 128, grid: 1 },
  function usedAfterTheReadWait(to: TMA<"i32", 2>, written: Tensor<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
    row.at(0, threadIdx.x).store(threadIdx.x * 2);
    fence.proxyAsync();
    syncThreads();
    if (threadIdx.x === 0) {
      to.store(row, [0, 0]); // the other side
      tma.commit();
      tma.wait(0, { read: broken });
    }
    syncThreads();
    out[threadIdx.x] = written.at(0, threadIdx.x).load(); // reported: W9206
    if (threadIdx.x === 0) tma.wait(0);
  },
);

/** The same across blocks: a flag says "done" when only the source has been read. */
const flagAfterTheReadWait = kernel(
  { block: 32, grid: 2 },
  function flagAfterTheReadWait(
    to: TMA<"i32", 2>,
    written: Tensor<"i32", 2>,
    flag: Tensor<"i32", 1>,
    out: Tensor<"i32", 1>,
    broken: Static<boolean>,
  ) {
    const row = sharedMemory.alloc("i32", [1, 32], { align: 128 });
    const t = threadIdx.x;
    if (blockIdx.x === 0) {
      row.at(0, t).store(t + 5);
      fence.proxyAsync();
      syncThreads();
      if (t === 0) {
        to.store(row, [0, 0]); // the other side
        tma.commit();
        tma.wait(0, { read: broken });
        flag.at(0).storeRelease(1, "gpu");
        tma.wait(0);
      }
    } else {
      while (flag.at(0).loadAcquire("gpu") === 0) {}
      out[t] = written.at(0, t).load(); // reported: W9206
    }
  },
);

/** The kernel ends with a store that has not read its source. */
const exitsTooEarly = kernel({ block: 128, grid: 1 }, function exitsTooEarly(to: TMA<"i32", 2>, broken: Static<boolean>) {
  const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
  row.at(0, threadIdx.x).store(threadIdx.x + 1);
  fence.proxyAsync();
  syncThreads();
  if (threadIdx.x === 0) {
    to.store(row, [0, 0]); // reported in strict: W9216
    tma.commit();
    if (!broken) tma.wait(0);
  }
});

/** The wait covers committed groups alone. */
const notCommitted = kernel({ block: 128, grid: 1 }, function notCommitted(to: TMA<"i32", 2>, broken: Static<boolean>) {
  const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
  row.at(0, threadIdx.x).store(threadIdx.x + 1);
  fence.proxyAsync();
  syncThreads();
  if (threadIdx.x === 0) {
    to.store(row, [0, 0]); // or: W9216
    if (!broken) tma.commit();
    tma.wait(0); // reported: W9220
  }
});

const data = (rows: number): number[] => count(rows * 128);
const to = (rows: number, expected: readonly number[]) => mapOf(output("i32", [rows, 128], expected), { box: [1, 128] });

export const tmaStore: readonly Hazard[] = [
  kernelHazard({
    name: "store/overwritten-while-stored",
    classes: [17],
    file,
    kernel: overwrittenWhileStored,
    args: () => [to(2, data(2))],
  }),
  kernelHazard({ name: "store/wait-too-shallow", classes: [17], file, kernel: waitTooShallow, args: () => [to(4, data(4))] }),
  kernelHazard({
    name: "store/used-after-the-read-wait",
    classes: [18],
    file,
    kernel: usedAfterTheReadWait,
    args: () => {
      const expected = count(128).map((i) => 2 * i);
      const written = output("i32", [1, 128], expected);
      return [mapOf(written, { box: [1, 128] }), written, output("i32", [128], expected)];
    },
  }),
  kernelHazard({
    name: "store/flag-after-the-read-wait",
    classes: [18],
    file,
    kernel: flagAfterTheReadWait,
    args: () => {
      const expected = count(32).map((i) => i + 5);
      const written = output("i32", [1, 32], expected);
      const flag = output("i32", [1], [1], { initial: [0] });
      return [mapOf(written, { box: [1, 32] }), written, flag, output("i32", [32], expected)];
    },
  }),
  kernelHazard({
    name: "store/exits-too-early",
    classes: [24],
    file,
    kernel: exitsTooEarly,
    args: () => [
      to(
        1,
        count(128).map((i) => i + 1),
      ),
    ],
  }),
  kernelHazard({
    name: "store/not-committed",
    classes: [25],
    file,
    kernel: notCommitted,
    args: () => [
      to(
        1,
        count(128).map((i) => i + 1),
      ),
    ],
  }),
];
