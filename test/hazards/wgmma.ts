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
import { small, squares } from "./parts.ts";

const file = import.meta.filename;
const tiles = 4;

/** By all 128 threads, ready for wgmma. */
function fill(tile: SharedView<"f16", 2>, a: Tensor<"f16", 2>): void {
  "use kernel";
  for (const e of range(threadIdx.x, 4096, 128)) tile.at(e >> 6, e & 63).store(a.at(e >> 6, e & 63).load());
  fence.proxyAsync();
  syncThreads();
}

/** ConSan: warpgroup_mma. A tile is written by its threads while a product reads it. */
const writtenWhileMultiplied = kernel(
  { block: 128, grid: 1 },
  function writtenWhileMultiplied(a: Tensor<"f16", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
    fill(tile, a);
    const A = WGMMAMatrix.descriptor(tile, [64, 64]);
    const B = WGMMAMatrix.descriptor(tile.transpose(), [64, 64]);
    let D = WGMMAMatrix.accumulator("f32", [64, 64]);
    D = D.mma(A, B); // the other side
    wgmma.wait(broken ? 1 : 0);
    syncThreads();
    tile.at(threadIdx.x & 63, threadIdx.x >> 6).store(0); // reported: W9207
    wgmma.wait(0);
    D.store(d);
  },
);

/** ConSan: warpgroup_mma2, multibuffered_wgmma_loop. The last product but one is waited for, the last one's stage is loaded again. */
const waitTooShallow = kernel(
  { block: 128, grid: 1 },
  function waitTooShallow(a: TMA<"f16", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const stages = 2;
    const ring = sharedMemory.alloc("f16", [stages, 64, 64], { swizzle: "128B" });
    const bars = new Mbarriers(stages);
    const elected = threadIdx.x === 0;
    if (elected) {
      for (const s of staticRange(stages)) bars.at(s).init(1);
      fence.mbarrierInit();
    }
    syncThreads();
    for (const s of staticRange(stages)) {
      bars.at(s).arrive({ tx: ring.at(s).bytes, pred: elected });
      a.load(ring.at(s), bars.at(s), [0, s * 64], { pred: elected });
    }
    let D = WGMMAMatrix.accumulator("f32", [64, 64]);
    for (const k of range(tiles)) {
      const s = k % stages;
      bars.at(s).wait(k >= stages);
      const A = WGMMAMatrix.descriptor(ring.at(s), [64, 64]);
      const B = WGMMAMatrix.descriptor(ring.at(s).transpose(), [64, 64]);
      D = D.mma(A, B); // the other side
      wgmma.wait(broken ? 1 : 0);
      syncThreads();
      const next = k + stages;
      bars.at(s).arrive({ tx: ring.at(s).bytes, pred: elected && next < tiles });
      a.load(ring.at(s), bars.at(s), [0, next * 64], { pred: elected && next < tiles }); // reported: W9207
    }
    wgmma.wait(0);
    D.store(d);
  },
);

/** ConSan: ws_wgmma_wait_visibility. A consumer releases its stage with the product that reads it under way. */
const releasedTooEarly = kernel(
  { block: 256, grid: 1 },
  function releasedTooEarly(a: TMA<"f16", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
    const bars = new Mbarriers(2);
    const [full, empty] = [bars.at(0), bars.at(1)];
    if (threadIdx.x === 0) {
      full.init(1);
      empty.init(128);
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
            a.load(tile, full, [0, k * 64]); // reported: W9207
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
            D = D.mma(A, B); // the other side
            if (broken) empty.arrive();
            wgmma.wait(0);
            if (!broken) empty.arrive();
            phase = !phase;
          }
          D.store(d);
        },
      },
    });
  },
);

/** Of what the compiler can see, nothing is left for the emulator: the result is read before the wait. */
const readBeforeTheWait = kernel(
  { block: 128, grid: 1 },
  function readBeforeTheWait(a: Tensor<"f16", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
    fill(tile, a);
    const A = WGMMAMatrix.descriptor(tile, [64, 64]);
    const B = WGMMAMatrix.descriptor(tile.transpose(), [64, 64]);
    let D = WGMMAMatrix.accumulator("f32", [64, 64]);
    D = D.mma(A, B);
    wgmma.wait(broken ? 1 : 0);
    D.store(d); // refused: W6001
    wgmma.wait(0);
  },
);

const neverWaited = kernel(
  { block: 128, grid: 1 },
  function neverWaited(a: Tensor<"f16", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
    fill(tile, a);
    const A = WGMMAMatrix.descriptor(tile, [64, 64]);
    const B = WGMMAMatrix.descriptor(tile.transpose(), [64, 64]);
    let D = WGMMAMatrix.accumulator("f32", [64, 64]);
    D = D.mma(A, B, { wait: 0 });
    D.store(d);
    D = D.mma(A, B); // refused: W6002
    if (!broken) wgmma.wait(0);
  },
);

/** A product under a condition that tells the threads of a warp apart. */
const productOfSome = kernel(
  { block: 128, grid: 1 },
  function productOfSome(a: Tensor<"f16", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
    fill(tile, a);
    const A = WGMMAMatrix.descriptor(tile, [64, 64]);
    const B = WGMMAMatrix.descriptor(tile.transpose(), [64, 64]);
    let D = WGMMAMatrix.accumulator("f32", [64, 64]);
    if (threadIdx.x < (broken ? 16 : 128)) {
      D = D.mma(A, B, { wait: 0 }); // refused: W2048
    }
    D.store(d);
  },
);

/** The same where only the GPU knows how many: the compiler cannot see it. */
const productOfAsManyAs = kernel(
  { block: 128, grid: 1 },
  function productOfAsManyAs(a: Tensor<"f16", 2>, n: Tensor<"i32", 1>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
    fill(tile, a);
    const A = WGMMAMatrix.descriptor(tile, [64, 64]);
    const B = WGMMAMatrix.descriptor(tile.transpose(), [64, 64]);
    let D = WGMMAMatrix.accumulator("f32", [64, 64]);
    const some = n.at(broken ? 0 : 1).load();
    if (threadIdx.x < some) {
      D = D.mma(A, B, { wait: 0 }); // reported: W9224
    }
    D.store(d);
  },
);

/** N is a multiple of 8. */
const illegalShape = kernel(
  { block: 128, grid: 1 },
  function illegalShape(a: Tensor<"f16", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
    fill(tile, a);
    const A = WGMMAMatrix.descriptor(tile, [64, 64]);
    const B = WGMMAMatrix.descriptor(tile.transpose(), [64, 64]);
    if (broken) WGMMAMatrix.accumulator("f32", [64, 60]); // refused: W6111
    let D = WGMMAMatrix.accumulator("f32", [64, 64]);
    D = D.mma(A, B, { wait: 0 });
    D.store(d);
  },
);

/** The transposes are for elements of 16 bits. */
const majorOfFp8 = kernel(
  { block: 128, grid: 1 },
  function majorOfFp8(a: Tensor<"e4m3", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("e4m3", [64, 64], { swizzle: "64B" });
    for (const e of range(threadIdx.x, 4096, 128)) tile.at(e >> 6, e & 63).store(a.at(e >> 6, e & 63).load());
    fence.proxyAsync();
    syncThreads();
    const A = WGMMAMatrix.descriptor(tile, [64, 64]);
    const B = WGMMAMatrix.descriptor(broken ? tile : tile.transpose(), [64, 64]);
    let D = WGMMAMatrix.accumulator("f32", [64, 64]);
    D = D.mma(A, B, { wait: 0 }); // refused: W6103
    D.store(d);
  },
);

const one = () => [input("f16", [64, 64], small(4096)), output("f32", [64, 64], squares(small(4096)))];
const many = () => {
  const x = small(tiles * 4096);
  return [mapOf(input("f16", [tiles * 64, 64], x), { box: [64, 64], swizzle: "128B" }), output("f32", [64, 64], squares(x))];
};

export const wgmmaHazards: readonly Hazard[] = [
  kernelHazard({ name: "wgmma/written-while-multiplied", classes: [37], file, kernel: writtenWhileMultiplied, args: one }),
  kernelHazard({ name: "wgmma/wait-too-shallow", classes: [19, 38], file, kernel: waitTooShallow, args: many }),
  kernelHazard({ name: "wgmma/released-too-early", classes: [20], file, kernel: releasedTooEarly, args: many }),
  kernelHazard({ name: "wgmma/read-before-the-wait", classes: [35, 38], file, kernel: readBeforeTheWait, args: one }),
  kernelHazard({ name: "wgmma/never-waited-for", classes: [24, 35], file, kernel: neverWaited, args: one }),
  kernelHazard({ name: "wgmma/product-of-some", classes: [39], file, kernel: productOfSome, args: one }),
  kernelHazard({
    name: "wgmma/product-of-as-many-as",
    classes: [39],
    file,
    kernel: productOfAsManyAs,
    args: () => {
      const [a, d] = one();
      return [a, input("i32", [2], [112, 128]), d];
    },
  }),
  kernelHazard({ name: "wgmma/illegal-shape", classes: [41], file, kernel: illegalShape, args: one }),
  kernelHazard({
    name: "wgmma/major-of-fp8",
    classes: [41],
    file,
    kernel: majorOfFp8,
    args: () => [input("e4m3", [64, 64], small(4096)), output("f32", [64, 64], squares(small(4096)))],
  }),
];
