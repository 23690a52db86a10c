/**
 * The defects of NVDSL's chapters, as their kernels have them: what its examples do, in this language. Those of its Python front end
 * (handles that are one object, predicates that are dropped, exceptions that vanish) are no hazards of the machine.
 */

import type { SharedView, Static, Tensor, TMA } from "warpsmith";
import {
  fence,
  kernel,
  Mbarriers,
  range,
  sharedMemory,
  staticRange,
  syncThreads,
  threadIdx,
  WGMMAMatrix,
  warpgroup,
  wgmma,
} from "warpsmith";
import { input, mapOf, output } from "../cases/case.ts";
import { type Hazard, kernelHazard } from "./hazard.ts";
import { count, small, squares } from "./parts.ts";

const file = import.meta.filename;
const tiles = 4;
const stages = 2;

/** Chapters 2 to 4: no fence and no barrier between the initialisation by thread 0 and the waits of the others. */
const chapter2 = kernel(
  { block: 128, grid: 1 },
  function chapter2(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
    const bar = new Mbarriers(1).at(0);
    const elected = threadIdx.x === 0;
    if (elected) bar.init(1);
    if (!broken) {
      fence.mbarrierInit();
      syncThreads();
    }
    x.load(row, bar, [0, 0], { pred: elected }); // or: W9212
    bar.arrive({ tx: row.bytes, pred: elected });
    bar.wait(false); // reported: W9212 or W9102
    out[threadIdx.x] = row.at(0, threadIdx.x).load();
  },
);

/** Chapter 5: a thread of the consumer initialises, and the producer's warpgroup uses the barriers at once. */
const chapter5 = kernel(
  { block: 256, grid: 1 },
  function chapter5(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
    const full = new Mbarriers(1).at(0);
    if (threadIdx.x === 0) {
      full.init(1);
      fence.mbarrierInit();
    }
    if (!broken) syncThreads();
    warpgroup.specialize({
      consumer: {
        run: () => {
          full.wait(false); // or: W9212 or W9102
          out[warpgroup.thread] = row.at(0, warpgroup.thread).load();
        },
      },
      producer: {
        run: () => {
          if (warpgroup.thread === 0) {
            full.arrive({ tx: row.bytes }); // reported: W9212 or W9102
            x.load(row, full, [0, 0]);
          }
        },
      },
    });
  },
);

/** Chapter 3: the accumulator is stored with a wait behind the product that leaves one group: its own. */
const chapter3 = kernel(
  { block: 128, grid: 1, smem: 8192 },
  function chapter3(a: TMA<"f16", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const { ring, bars } = loadAll(a, 1);
    bars.at(0).wait(false);
    const A = WGMMAMatrix.descriptor(ring.at(0), [64, 64]);
    const B = WGMMAMatrix.descriptor(ring.at(0).transpose(), [64, 64]);
    let D = WGMMAMatrix.accumulator("f32", [64, 64]);
    D = D.mma(A, B, { wait: broken ? 1 : 0 });
    D.store(d); // refused: W6001
    wgmma.wait(0);
  },
);

/** A ring whose barriers are there, and its first loads under way. */
function loadAll(a: TMA<"f16", 2>, depth: number): { ring: SharedView<"f16", 3>; bars: Mbarriers } {
  "use kernel";
  const ring = sharedMemory.dynamic("f16", [depth, 64, 64], { at: 0, swizzle: "128B" });
  const bars = new Mbarriers(depth);
  const elected = threadIdx.x === 0;
  if (elected) {
    for (const s of staticRange(depth)) bars.at(s).init(1);
    fence.mbarrierInit();
  }
  syncThreads();
  for (const s of staticRange(depth)) {
    bars.at(s).arrive({ tx: ring.at(s).bytes, pred: elected });
    a.load(ring.at(s), bars.at(s), [0, s * 64], { pred: elected });
  }
  return { ring, bars };
}

/** Chapter 4: thread 0 fills a stage again after its own wait; the other warps may still multiply from it. */
const chapter4Refill = kernel(
  { block: 128, grid: 1, smem: 16384 },
  function chapter4Refill(a: TMA<"f16", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const { ring, bars } = loadAll(a, stages);
    const elected = threadIdx.x === 0;
    let D = WGMMAMatrix.accumulator("f32", [64, 64]);
    for (const k of range(tiles)) {
      const s = k % stages;
      bars.at(s).wait(k >= stages);
      const A = WGMMAMatrix.descriptor(ring.at(s), [64, 64]);
      const B = WGMMAMatrix.descriptor(ring.at(s).transpose(), [64, 64]);
      D = D.mma(A, B, { wait: 0 }); // the other side
      if (!broken) syncThreads();
      const next = k + stages;
      bars.at(s).arrive({ tx: ring.at(s).bytes, pred: elected && next < tiles });
      a.load(ring.at(s), bars.at(s), [0, next * 64], { pred: elected && next < tiles }); // reported in strict: W9207
    }
    D.store(d);
  },
);

/** Chapters 4 and 5: the result goes over the stages after a wait of each warp, without a barrier. */
const chapter4Epilogue = kernel(
  { block: 128, grid: 1, smem: 16384 },
  function chapter4Epilogue(a: TMA<"f16", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const { ring, bars } = loadAll(a, 1);
    bars.at(0).wait(false);
    const A = WGMMAMatrix.descriptor(ring.at(0), [64, 64]);
    const B = WGMMAMatrix.descriptor(ring.at(0).transpose(), [64, 64]);
    let D = WGMMAMatrix.accumulator("f32", [64, 64]);
    D = D.mma(A, B, { wait: 0 }); // the other side
    const tile = sharedMemory.dynamic("f32", [64, 64], { at: 0 });
    if (!broken) syncThreads();
    D.store(tile); // reported in strict: W9207
    syncThreads();
    for (const e of range(threadIdx.x, 4096, 128)) d.at(e >> 6, e & 63).store(tile.at(e >> 6, e & 63).load());
  },
);

/** Chapter 5: one thread of the consumer hands the stage back, after its own wait. CUTLASS does so, too. */
const chapter5Release = kernel(
  { block: 256, grid: 1 },
  function chapter5Release(a: TMA<"f16", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
    const bars = new Mbarriers(2);
    const [full, empty] = [bars.at(0), bars.at(1)];
    if (threadIdx.x === 0) {
      full.init(1);
      empty.init(broken ? 1 : 4);
      fence.mbarrierInit();
    }
    syncThreads();
    warpgroup.specialize({
      producer: {
        run: () => {
          if (warpgroup.thread !== 0) return;
          let phase = true;
          for (const k of range(tiles)) {
            empty.wait(phase);
            full.arrive({ tx: tile.bytes });
            a.load(tile, full, [0, k * 64]); // reported in strict: W9207
            phase = !phase;
          }
        },
      },
      consumer: {
        run: () => {
          const A = WGMMAMatrix.descriptor(tile, [64, 64]);
          const B = WGMMAMatrix.descriptor(tile.transpose(), [64, 64]);
          let D = WGMMAMatrix.accumulator("f32", [64, 64]);
          let phase = false;
          for (const _ of range(tiles)) {
            full.wait(phase);
            D = D.mma(A, B, { wait: 0 }); // the other side
            empty.arrive({ pred: warpgroup.thread % (broken ? 128 : 32) === 0 });
            phase = !phase;
          }
          D.store(d);
        },
      },
    });
  },
);

const product = (n: number) => () => [
  mapOf(input("f16", [n * 64, 64], small(n * 4096)), { box: [64, 64], swizzle: "128B" }),
  output("f32", [64, 64], squares(small(n * 4096))),
];
const row = () => [mapOf(input("i32", [1, 128], count(128)), { box: [1, 128] }), output("i32", [128], count(128))];

export const nvdsl: readonly Hazard[] = [
  kernelHazard({ name: "nvdsl/ch2-initialisation", classes: [2], file, kernel: chapter2, args: row }),
  kernelHazard({ name: "nvdsl/ch5-initialisation", classes: [2], file, kernel: chapter5, args: row }),
  kernelHazard({ name: "nvdsl/ch3-read-before-the-wait", classes: [35, 38], file, kernel: chapter3, args: product(1) }),
  kernelHazard({ name: "nvdsl/ch4-refill", classes: [20, 37], file, kernel: chapter4Refill, args: product(tiles) }),
  kernelHazard({ name: "nvdsl/ch4-epilogue", classes: [23], file, kernel: chapter4Epilogue, args: product(1) }),
  kernelHazard({ name: "nvdsl/ch5-release", classes: [20], file, kernel: chapter5Release, args: product(tiles) }),
];
