/** Products of a warpgroup whose operands or sums are touched while they are under way. */
import {
  fence,
  kernel,
  Mbarriers,
  range,
  type Static,
  sharedMemory,
  syncThreads,
  type Tensor,
  type TMA,
  threadIdx,
  WGMMAMatrix,
  warpgroup,
  wgmma,
} from "warpsmith";
import { input, mapOf, output } from "../cases/case.ts";
import { oneBarrier, small, squares } from "../hazards/parts.ts";
import { type CourtCase, kernelCase, ptxCase } from "./court-case.ts";

const file = import.meta.filename;
const tiles = 3;

const releasedWhileRead = kernel(
  { block: 256, grid: 1 },
  function releasedWhileRead(a: TMA<"f16", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
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
      load: {
        run: () => {
          if (warpgroup.thread !== 0) return;
          for (const k of range(tiles)) {
            empty.wait(k % 2 === 0);
            full.arrive({ tx: tile.bytes });
            a.load(tile, full, [0, k * 64]); // reported: W9207
          }
        },
      },
      compute: {
        run: () => {
          const A = WGMMAMatrix.descriptor(tile, [64, 64]);
          const B = WGMMAMatrix.descriptor(tile.transpose(), [64, 64]);
          let D = WGMMAMatrix.accumulator("f32", [64, 64]);
          for (const k of range(tiles)) {
            full.wait(k % 2);
            D = D.mma(A, B); // the other side
            if (!broken) wgmma.wait(0);
            empty.arrive();
          }
          wgmma.wait(0);
          D.store(d);
        },
      },
    });
  },
);

/** Each warp waits for its own part of the product, and they do not meet behind it. */
const waitBehindTheBarrier = kernel(
  { block: 128, grid: 1 },
  function waitBehindTheBarrier(a: TMA<"f16", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
    const full = oneBarrier(1);
    const A = WGMMAMatrix.descriptor(tile, [64, 64]);
    const B = WGMMAMatrix.descriptor(tile.transpose(), [64, 64]);
    let D = WGMMAMatrix.accumulator("f32", [64, 64]);
    for (const k of range(tiles)) {
      if (threadIdx.x === 0) {
        full.arrive({ tx: tile.bytes });
        a.load(tile, full, [0, k * 64]); // reported in strict: W9207
      }
      full.wait(k % 2);
      D = D.mma(A, B); // the other side
      if (!broken) wgmma.wait(0);
      syncThreads();
      wgmma.wait(0);
    }
    D.store(d);
  },
);

/** A product is left in flight although its operand has one buffer alone. */
const oneBuffer = kernel(
  { block: 128, grid: 1 },
  function oneBuffer(a: TMA<"f16", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
    const full = oneBarrier(1);
    const A = WGMMAMatrix.descriptor(tile, [64, 64]);
    const B = WGMMAMatrix.descriptor(tile.transpose(), [64, 64]);
    let D = WGMMAMatrix.accumulator("f32", [64, 64]);
    for (const k of range(tiles)) {
      if (threadIdx.x === 0) {
        full.arrive({ tx: tile.bytes });
        a.load(tile, full, [0, k * 64]); // reported: W9207
      }
      full.wait(k % 2);
      D = D.mma(A, B); // the other side
      wgmma.wait(broken ? 1 : 0);
      syncThreads();
    }
    wgmma.wait(0);
    D.store(d);
  },
);

/** Two warpgroups multiply by one tile, and each waits for its own product. */
const sharedByTwoGroups = kernel(
  { block: 256, grid: 1 },
  function sharedByTwoGroups(a: TMA<"f16", 2>, d: Tensor<"f32", 3>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
    const full = oneBarrier(1);
    const A = WGMMAMatrix.descriptor(tile, [64, 64]);
    const B = WGMMAMatrix.descriptor(tile.transpose(), [64, 64]);
    let D = WGMMAMatrix.accumulator("f32", [64, 64]);
    for (const k of range(tiles)) {
      if (threadIdx.x === 0) {
        full.arrive({ tx: tile.bytes });
        a.load(tile, full, [0, k * 64]); // reported: W9207
      }
      full.wait(k % 2);
      D = D.mma(A, B, { wait: 0 }); // the other side
      if (!broken) syncThreads();
    }
    D.store(d.at(warpgroup.index));
  },
);

/** Ones in 64 × 16 of A and 8 × 16 of B; `%d8` and `%d9` describe them: no swizzle, 128 bytes along K, 256 along M and N. */
const ones = `
  mov.u32 %r1, smem;
  mad.lo.u32 %r2, %tid, 16, %r1;
  mov.b32 %r3, 0x3c003c00;
  st.shared.v4.b32 [%r2], {%r3, %r3, %r3, %r3};
  setp.lt.u32 %p1, %tid, 16;
  @%p1 st.shared.v4.b32 [%r2+2048], {%r3, %r3, %r3, %r3};
  fence.proxy.async;
  bar.sync 0;
  shr.u32 %r4, %r1, 4;
  cvt.u64.u32 %d8, %r4;
  or.b64 %d8, %d8, 0x1000080000;
  add.u64 %d9, %d8, 128;
  mov.f32 %f0, 0f00000000;
  mov.f32 %f1, 0f00000000;
  mov.f32 %f2, 0f00000000;
  mov.f32 %f3, 0f00000000;`;
const multiply = (a = "%d8"): string =>
  `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, ${a}, %d9, 1, ${a === "%d8" ? "1, 1, 0, 0" : "1, 1, 0"};`;
const fenceRegisters = "wgmma.fence.sync.aligned;";
const commit = "wgmma.commit_group.sync.aligned;";
const wait = (n: number): string => `wgmma.wait_group.sync.aligned ${n};`;
const give = `
  cvt.rzi.s32.f32 %r9, %f0;
  mul.wide.u32 %d3, %tid, 4;
  add.u64 %d3, %out, %d3;
  st.global.u32 [%d3], %r9;`;

const sumsReadEarly = (broken: boolean): string => `${ones}
  ${fenceRegisters}
  ${multiply()} // the other side
  ${commit}
  ${broken ? "" : wait(0)}
  add.f32 %f0, %f0, 0f3f800000; // reported: W9210
  ${wait(0)}${give}`;

const operandRegisters = (broken: boolean): string => `${ones}
  mov.b32 %r10, %r3;
  mov.b32 %r11, %r3;
  mov.b32 %r12, %r3;
  mov.b32 %r13, %r3;
  mov.b32 %r14, %r3;
  mov.b32 %r15, %r3;
  mov.b32 %r16, %r3;
  mov.b32 %r17, %r3;
  ${fenceRegisters}
  ${multiply("{%r10, %r11, %r12, %r13}")}
  ${commit}
  ${multiply("{%r14, %r15, %r16, %r17}")} // the other side
  ${commit}
  ${wait(broken ? 1 : 0)}
  mov.b32 %r14, 0; // reported: W9210
  ${wait(0)}${give}`;

const noFence = (broken: boolean): string => `${ones}
  ${broken ? "" : fenceRegisters}
  ${multiply()} // reported: W9211
  ${commit}
  ${wait(0)}${give}`;

const block = [128, 1, 1] as const;
const all = (value: number): number[] => new Array<number>(128).fill(value);
const many = () => {
  const x = small(tiles * 4096);
  return [mapOf(input("f16", [tiles * 64, 64], x), { box: [64, 64], swizzle: "128B" }), output("f32", [64, 64], squares(x))];
};
const twice = () => {
  const x = small(tiles * 4096);
  const [map] = many();
  return [map, output("f32", [2, 64, 64], [...squares(x), ...squares(x)])];
};

export const wgmmaCases: readonly CourtCase[] = [
  kernelCase({
    name: "wgmma/released-while-read",
    what: "A warp of the product says that its stage is free before the product that reads it has been waited for.",
    mended: "Commit and wait come before the arrival.",
    links: ["https://github.com/NVIDIA/Fuser/issues/3561"],
    file,
    kernel: releasedWhileRead,
    args: many,
  }),
  kernelCase({
    name: "wgmma/wait-behind-the-barrier",
    what: "`wgmma.wait_group` comes behind the barrier of the block: the thread that loads the next tile has waited for its own warp's part alone.",
    mended: "The wait comes before the barrier.",
    links: ["https://github.com/NVIDIA/Fuser/pull/3865"],
    file,
    kernel: waitBehindTheBarrier,
    args: many,
  }),
  kernelCase({
    name: "wgmma/one-buffer",
    what: "A pipeline leaves one product in flight, and one of its operands has a single buffer, which the next load overwrites.",
    mended: "The product is waited for.",
    links: ["https://github.com/triton-lang/triton/pull/3106"],
    file,
    kernel: oneBuffer,
    args: many,
  }),
  kernelCase({
    name: "wgmma/shared-by-two-groups",
    what: "Two warpgroups read one operand, each waits for its own product, and there is no barrier at the end of the loop: the next copy comes while the other still reads.",
    mended: "A barrier of the block at the end of the loop.",
    links: ["https://github.com/tile-ai/tilelang/issues/2613", "https://github.com/triton-lang/triton/pull/11056"],
    file,
    kernel: sharedByTwoGroups,
    args: twice,
  }),
  ptxCase({
    name: "wgmma/sums-read-early",
    what: "The epilogue reads the registers of the sums before the product is waited for.",
    mended: "`wgmma.wait_group 0` before the first read.",
    links: ["https://github.com/triton-lang/triton/pull/8964"],
    body: sumsReadEarly,
    expected: all(17),
    block,
    smem: 4096,
  }),
  ptxCase({
    name: "wgmma/operand-registers",
    what: "The operand of the last product lies in registers; the wait leaves that product under way, and the registers are written for the next.",
    mended: "The wait leaves none.",
    links: ["https://github.com/triton-lang/triton/issues/9433"],
    body: operandRegisters,
    expected: all(32),
    block,
    smem: 4096,
  }),
  ptxCase({
    name: "wgmma/no-fence",
    what: "The sums are cleared by ordinary instructions, and no `wgmma.fence` stands before the product.",
    mended: "`wgmma.fence` before the product.",
    links: ["https://github.com/NVIDIA/Fuser/pull/3680"],
    body: noFence,
    expected: all(16),
    block,
    smem: 4096,
  }),
];

const registers = (broken: boolean): string => `
  setp.lt.u32 %p1, %tid, 256;
  ${broken ? "" : "@!%p1 setmaxnreg.dec.sync.aligned.u32 24;"}
  @%p1 setmaxnreg.inc.sync.aligned.u32 ${broken ? 232 : 152}; // reported: W9001 or W9221
  mul.wide.u32 %d3, %tid, 4;
  add.u64 %d3, %out, %d3;
  st.global.u32 [%d3], %tid;`;

export const registerCases: readonly CourtCase[] = [
  ptxCase({
    name: "registers/more-than-there-are",
    what: "Two warpgroups ask for more registers than the third gives back: `setmaxnreg.inc` waits for ever.",
    mended: "What is given back covers what is asked for.",
    links: [
      "https://github.com/pytorch/helion/pull/3620",
      "https://github.com/NVIDIA/cutlass/issues/2007",
      "https://github.com/tile-ai/tilelang/pull/2406",
      "https://github.com/tile-ai/tilelang/issues/2559",
    ],
    body: registers,
    directives: ".maxntid 384 .maxnreg 112",
    expected: Array.from({ length: 384 }, (_, i) => i),
    block: [384, 1, 1],
    hangs: true,
  }),
];
