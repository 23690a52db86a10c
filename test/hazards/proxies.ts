import type { Static, Tensor, TMA } from "warpsmith";
import {
  fence,
  kernel,
  range,
  sharedMemory,
  syncThreads,
  syncWarp,
  threadIdx,
  tma,
  WGMMAMatrix,
  WMMAMatrix,
  warp,
} from "warpsmith";
import { input, mapOf, output } from "../cases/case.ts";
import { type Hazard, kernelHazard } from "./hazard.ts";
import { count, oneBarrier, small, squares } from "./parts.ts";

const file = import.meta.filename;

/** What threads wrote is not there yet for the asynchronous proxy. ConSan: async_shared_store. */
const storeWithoutFence = kernel({ block: 128, grid: 1 }, function storeWithoutFence(to: TMA<"i32", 2>, broken: Static<boolean>) {
  const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
  row.at(0, threadIdx.x).store(threadIdx.x + 1); // the other side
  if (!broken) fence.proxyAsync();
  syncThreads();
  if (threadIdx.x === 0) {
    to.store(row, [0, 0]); // reported: W9202
    tma.commit();
    tma.wait(0);
  }
});

/** ConSan: mma_read_local_alloc_write. */
const operandWithoutFence = kernel(
  { block: 128, grid: 1 },
  function operandWithoutFence(a: Tensor<"f16", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
    for (const e of range(threadIdx.x, 4096, 128)) {
      tile.at(e >> 6, e & 63).store(a.at(e >> 6, e & 63).load()); // the other side
    }
    if (!broken) fence.proxyAsync();
    syncThreads();
    const A = WGMMAMatrix.descriptor(tile, [64, 64]);
    const B = WGMMAMatrix.descriptor(tile.transpose(), [64, 64]);
    let D = WGMMAMatrix.accumulator("f32", [64, 64]);
    D = D.mma(A, B, { wait: 0 }); // reported: W9202
    D.store(d);
  },
);

/** The fence stands in a loop that some threads never enter: they wrote before it (FlashKDA#24). */
const fenceInAnEmptyLoop = kernel(
  { block: 128, grid: 1 },
  function fenceInAnEmptyLoop(to: TMA<"i32", 2>, iterations: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
    row.at(0, threadIdx.x).store(threadIdx.x); // the other side
    for (const _ of range(iterations.at(0).load())) fence.proxyAsync();
    if (!broken) fence.proxyAsync();
    syncThreads();
    if (threadIdx.x === 0) {
      to.store(row, [0, 0]); // reported: W9202
      tma.commit();
      tma.wait(0);
    }
  },
);

/** ConSan: fence_async_shared_across_warp_specialize. A fence before the rendezvous orders nothing that others wrote. */
const fenceBeforeTheBarrier = kernel(
  { block: 128, grid: 1 },
  function fenceBeforeTheBarrier(to: TMA<"i32", 2>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
    row.at(0, threadIdx.x).store(threadIdx.x); // the other side
    if (!broken || threadIdx.x < 32) fence.proxyAsync();
    syncThreads();
    if (threadIdx.x === 0) {
      to.store(row, [0, 0]); // reported: W9202
      tma.commit();
      tma.wait(0);
    }
  },
);

/** A fence of the thread that stores, after the rendezvous: practice lets it pass, the manual asks for one of each writer. */
const fenceOfTheReader = kernel({ block: 128, grid: 1 }, function fenceOfTheReader(to: TMA<"i32", 2>, broken: Static<boolean>) {
  const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
  row.at(0, threadIdx.x).store(threadIdx.x); // the other side
  if (!broken) fence.proxyAsync();
  syncThreads();
  if (threadIdx.x === 0) {
    if (broken) fence.proxyAsync();
    to.store(row, [0, 0]); // reported in strict: W9202
    tma.commit();
    tma.wait(0);
  }
});

/** Reads of threads before a copy into the same memory: CUTLASS has no fence there. */
const readsWithoutFence = kernel(
  { block: 128, grid: 1 },
  function readsWithoutFence(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
    const bar = oneBarrier(1);
    let sum = 0;
    let parity = false;
    for (const r of range(2)) {
      if (threadIdx.x === 0) {
        bar.arrive({ tx: row.bytes });
        x.load(row, bar, [0, r]); // reported in strict: W9203
      }
      bar.wait(parity);
      sum += row.at(0, threadIdx.x).load(); // the other side
      if (!broken) fence.proxyAsync();
      syncThreads();
      parity = !parity;
    }
    out[threadIdx.x] = sum;
  },
);

/** The same of matrices of a warp: on an H200 the copy overtakes such reads. */
const matrixReadsWithoutFence = kernel(
  { block: 64, grid: 1 },
  function matrixReadsWithoutFence(x: TMA<"f16", 2>, out: Tensor<"f32", 2>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("f16", [16, 16], { align: 128 });
    const full = oneBarrier(1),
      empty = oneBarrier(1);
    if (warp.index === 1) {
      for (const r of range(2)) {
        if (warp.lane === 0) {
          empty.wait(r === 0);
          full.arrive({ tx: tile.bytes });
          x.load(tile, full, [0, 16 * r]); // reported: W9203
        }
      }
    } else {
      let D = WMMAMatrix.accumulator("f32", [16, 16, 16]);
      for (const r of range(2)) {
        full.wait(r === 1);
        D = D.mma(WMMAMatrix.load("a", tile), WMMAMatrix.load("b", tile)); // the other side
        if (!broken) fence.proxyAsync({ space: "shared::cta" });
        syncWarp();
        if (warp.lane === 0) empty.arrive();
      }
      D.store(out);
    }
  },
);

/** Threads write global memory, and a copy of the same kernel reads it. */
const globalWithoutFence = kernel(
  { block: 128, grid: 1 },
  function globalWithoutFence(x: TMA<"i32", 2>, memory: Tensor<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
    const bar = oneBarrier(1);
    memory.at(0, threadIdx.x).store(threadIdx.x * 3); // the other side
    fence.proxyAsync({ space: broken ? "shared::cta" : "global" });
    syncThreads();
    if (threadIdx.x === 0) {
      bar.arrive({ tx: row.bytes });
      x.load(row, bar, [0, 0]); // reported: W9202
    }
    bar.wait(false);
    out[threadIdx.x] = row.at(0, threadIdx.x).load();
  },
);

const plain = count(128);
const to = (expected: readonly number[]) => mapOf(output("i32", [1, 128], expected), { box: [1, 128] });

const matrix = small(4096);

/** The sum of the squares of two matrices of 16 × 16, one below the other. */
const squares16 = (): number[] =>
  count(256).map((e) =>
    count(32).reduce((sum, i) => {
      const [r, k] = [i >> 4, i & 15];
      return sum + (matrix[(16 * r + (e >> 4)) * 16 + k] ?? 0) * (matrix[(16 * r + k) * 16 + (e & 15)] ?? 0);
    }, 0),
  );

export const proxies: readonly Hazard[] = [
  kernelHazard({
    name: "proxies/store-without-fence",
    classes: [27],
    file,
    kernel: storeWithoutFence,
    args: () => [to(plain.map((i) => i + 1))],
  }),
  kernelHazard({
    name: "proxies/operand-without-fence",
    classes: [27],
    file,
    kernel: operandWithoutFence,
    args: () => [input("f16", [64, 64], matrix), output("f32", [64, 64], squares(matrix))],
  }),
  kernelHazard({
    name: "proxies/fence-in-an-empty-loop",
    classes: [27],
    file,
    kernel: fenceInAnEmptyLoop,
    args: () => [to(plain), input("i32", [1], [0])],
  }),
  kernelHazard({
    name: "proxies/fence-of-one-warp",
    classes: [29],
    file,
    kernel: fenceBeforeTheBarrier,
    args: () => [to(plain)],
  }),
  kernelHazard({ name: "proxies/fence-of-the-reader", classes: [29], file, kernel: fenceOfTheReader, args: () => [to(plain)] }),
  kernelHazard({
    name: "proxies/reads-without-fence",
    classes: [28],
    file,
    kernel: readsWithoutFence,
    args: () => [
      mapOf(input("i32", [2, 128], count(256)), { box: [1, 128] }),
      output(
        "i32",
        [128],
        plain.map((c) => 2 * c + 128),
      ),
    ],
  }),
  kernelHazard({
    name: "proxies/matrix-reads-without-fence",
    classes: [28],
    file,
    kernel: matrixReadsWithoutFence,
    args: () => [mapOf(input("f16", [32, 16], matrix.slice(0, 512)), { box: [16, 16] }), output("f32", [16, 16], squares16())],
  }),
  kernelHazard({
    name: "proxies/global-without-fence",
    classes: [31],
    file,
    kernel: globalWithoutFence,
    args: () => {
      const expected = plain.map((i) => 3 * i);
      const memory = output("i32", [1, 128], expected);
      return [mapOf(memory, { box: [1, 128] }), memory, output("i32", [128], expected)];
    },
  }),
];
