/** Shared memory of a block that its barriers do not keep in order. */

import { count } from "../cases/numbers.ts";
import { type CourtCase, ownWords, ptxCase } from "./court-case.ts";

const sync = "bar.sync 0;";
const unless = (broken: boolean, text: string): string => (broken ? "" : text);
const all = (n: number, value: number): number[] => new Array<number>(n).fill(value);

/** `%r${to}`: the address of word `%r${index}`. */
const word = (to: number, index: string): string => `mad.lo.u32 %r${to}, ${index}, 4, %r0;`;

const oneWritesAllRead = (broken: boolean): string => `${ownWords}
  setp.eq.u32 %p1, %tid, 0;
  @%p1 st.shared.u32 [%r0], 5; // the other side
  ${unless(broken, sync)}
  ld.shared.u32 %r3, [%r0]; // reported: W9201 or W9209
  st.global.u32 [%d2], %r3;`;

const oneBarrierInALoop = (broken: boolean): string => `${ownWords}
  mov.u32 %r4, 0;
  mov.u32 %r5, 0;
  xor.b32 %r7, %tid, 32;
  ${word(7, "%r7")}
$round:
  add.u32 %r6, %tid, %r5;
  st.shared.u32 [%r1], %r6; // reported: W9201
  ${sync}
  ld.shared.u32 %r8, [%r7]; // the other side
  add.u32 %r4, %r4, %r8;
  ${unless(broken, sync)}
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p1, %r5, 3;
  @%p1 bra $round;
  st.global.u32 [%d2], %r4;`;

const oneStillAdds = (broken: boolean): string => `${ownWords}
  mov.u32 %r5, 0;
  setp.ne.u32 %p2, %tid, 0;
$round:
  add.u32 %r6, %tid, %r5;
  st.shared.u32 [%r1], %r6; // reported: W9201
  ${sync}
  @%p2 bra $next;
  mov.u32 %r8, 0;
  mov.u32 %r9, 0;
$sum:
  ${word(10, "%r9")}
  ld.shared.u32 %r11, [%r10]; // the other side
  add.u32 %r8, %r8, %r11;
  add.u32 %r9, %r9, 1;
  setp.lt.u32 %p3, %r9, 64;
  @%p3 bra $sum;
  mul.wide.u32 %d3, %r5, 4;
  add.u64 %d3, %d3, %out;
  st.global.u32 [%d3], %r8;
$next:
  ${unless(broken, sync)}
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p1, %r5, 2;
  @%p1 bra $round;`;

const clearedLate = (broken: boolean): string => `${ownWords}
  setp.lt.u32 %p1, %tid, 4;
  @%p1 st.shared.u32 [%r1], 0; // the other side
  ${unless(broken, sync)}
  and.b32 %r3, %tid, 3;
  ${word(3, "%r3")}
  red.shared.add.u32 [%r3], 1; // reported: W9201 or W9209
  ${sync}
  @%p1 ld.shared.u32 %r4, [%r1];
  @%p1 st.global.u32 [%d2], %r4;`;

const searchedEarly = (broken: boolean): string => `${ownWords}
  shl.b32 %r2, %tid, 1;
  st.shared.u32 [%r1], %r2; // the other side
  ${unless(broken, sync)}
  mov.u32 %r3, 0;
  mov.u32 %r4, 32;
$step:
  add.u32 %r5, %r3, %r4;
  ${word(6, "%r5")}
  ld.shared.u32 %r7, [%r6]; // reported: W9201 or W9209
  setp.le.u32 %p1, %r7, %tid;
  @%p1 mov.u32 %r3, %r5;
  shr.u32 %r4, %r4, 1;
  setp.ne.u32 %p2, %r4, 0;
  @%p2 bra $step;
  st.global.u32 [%d2], %r3;`;

const plainIncrement = `
  ld.shared.u32 %r3, [%r0]; // the other side
  add.u32 %r3, %r3, 1;
  st.shared.u32 [%r0], %r3; // reported: W9201`;
const addedWithoutAtomics = (broken: boolean): string => `${ownWords}
  setp.eq.u32 %p1, %tid, 0;
  @%p1 st.shared.u32 [%r0], 0;
  ${sync}
  ${broken ? plainIncrement : "red.shared.add.u32 [%r0], 1;"}
  ${sync}
  ld.shared.u32 %r4, [%r0];
  st.global.u32 [%d2], %r4;`;

/** `%r10`: the sum of the values `%r10` of both warps' first lanes, by way of two words. */
const sumOfWarps = (mark: string, otherMark: string): string => `
  @%p1 st.shared.u32 [%r12], %r10;${mark}
  ${sync}
  ld.shared.v2.u32 {%r13, %r14}, [%r0];${otherMark}
  add.u32 %r10, %r13, %r14;`;
const scratchOfTwoSums = (broken: boolean): string => `${ownWords}
  shr.u32 %r11, %tid, 5;
  ${word(12, "%r11")}
  and.b32 %r2, %tid, 31;
  setp.eq.u32 %p1, %r2, 0;
  add.u32 %r10, %tid, 1;${sumOfWarps("", " // the other side")}
  mov.u32 %r20, %r10;
  ${unless(broken, sync)}
  mul.lo.u32 %r10, %tid, 100;${sumOfWarps(" // reported: W9201", "")}
  add.u32 %r20, %r20, %r10;
  st.global.u32 [%d2], %r20;`;

const twoNamesOfOneMemory = (broken: boolean): string => `${ownWords}
  st.shared.u32 [%r1], %tid;
  ${sync}
  setp.ge.u32 %p1, %tid, 32;
  @%p1 bra $end;
  mad.lo.u32 %r2, %tid, 8, %r0;
  ld.shared.v2.u32 {%r3, %r4}, [%r2]; // the other side
  add.u32 %r3, %r3, %r4;
  ${unless(broken, "bar.warp.sync 0xffffffff;")}
  st.shared.u32 [%r1], %r3; // reported: W9201
  bar.warp.sync 0xffffffff;
  xor.b32 %r5, %tid, 31;
  ${word(5, "%r5")}
  ld.shared.u32 %r6, [%r5];
  st.global.u32 [%d2], %r6;
$end:`;

const scannedInPlace = (broken: boolean): string => `${ownWords}
  st.shared.u32 [%r1], 1;
  mov.u32 %r2, 1;
$step:
  ${sync}
  ld.shared.u32 %r3, [%r1];
  mov.u32 %r4, 0;
  setp.ge.u32 %p1, %tid, %r2;
  sub.u32 %r5, %tid, %r2;
  ${word(5, "%r5")}
  @%p1 ld.shared.u32 %r4, [%r5]; // the other side
  add.u32 %r3, %r3, %r4;
  ${unless(broken, sync)}
  st.shared.u32 [%r1], %r3; // reported: W9201
  shl.b32 %r2, %r2, 1;
  setp.lt.u32 %p2, %r2, 64;
  @%p2 bra $step;
  st.global.u32 [%d2], %r3;`;

const normOverwritten = (broken: boolean): string => `${ownWords}
  shr.u32 %r11, %tid, 5;
  ${word(12, "%r11")}
  and.b32 %r2, %tid, 31;
  setp.eq.u32 %p1, %r2, 0;
  setp.eq.u32 %p2, %tid, 0;
  mov.u32 %r5, 0;
  mov.u32 %r20, 0;
$token:
  add.u32 %r6, %r11, %r5;
  @%p1 st.shared.u32 [%r12], %r6; // reported: W9201
  ${sync}
  @%p2 ld.shared.v2.u32 {%r13, %r14}, [%r0];
  @%p2 add.u32 %r13, %r13, %r14;
  @%p2 st.shared.u32 [%r0], %r13;
  ${sync}
  ld.shared.u32 %r15, [%r0]; // the other side
  add.u32 %r20, %r20, %r15;
  ${unless(broken, sync)}
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p3, %r5, 3;
  @%p3 bra $token;
  st.global.u32 [%d2], %r20;`;

const barrierInAnEmptyLoop = (broken: boolean): string => `${ownWords}
  ld.global.u32 %r9, [%in];
  setp.eq.u32 %p1, %tid, 0;
  @%p1 st.shared.u32 [%r0], 0; // the other side
  ${unless(broken, sync)}
  mov.u32 %r5, 0;
$rows:
  setp.ge.u32 %p2, %r5, %r9;
  @%p2 bra $over;
  ${sync}
  add.u32 %r5, %r5, 1;
  bra $rows;
$over:
  ld.shared.u32 %r3, [%r0]; // reported: W9201 or W9209
  st.global.u32 [%d2], %r3;`;

const barrierMovedOut = (broken: boolean): string => `${ownWords}
  ld.global.u32 %r9, [%d1];
  mov.u32 %r4, 0;
  mov.u32 %r5, 0;
  sub.u32 %r7, 63, %tid;
  ${word(7, "%r7")}
  setp.eq.u32 %p1, %r9, 0;
  ${broken ? sync : ""}
  @%p1 bra $over;
$round:
  add.u32 %r6, %tid, %r5;
  st.shared.u32 [%r1], %r6; // or: W9201
  ${unless(broken, sync)}
  ld.shared.u32 %r8, [%r7]; // reported: W9201 or W9209
  add.u32 %r4, %r4, %r8;
  ${unless(broken, sync)}
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p2, %r5, 2;
  @%p2 bra $round;
$over:
  st.global.u32 [%d2], %r4;`;

const barrierOf48 = (broken: boolean): string => `${ownWords}
  setp.ge.u32 %p1, %tid, 48;
  @!%p1 st.shared.u32 [%r1], %tid; // the other side
  ${unless(broken, sync)}
  @%p1 bra $over;
  sub.u32 %r7, 47, %tid;
  ${word(7, "%r7")}
  ld.shared.u32 %r8, [%r7]; // reported: W9201 or W9209
  st.global.u32 [%d2], %r8;
$over:`;

const partialOfTheWarpBefore = (broken: boolean): string => `${ownWords}
  shr.u32 %r11, %tid, 5;
  ${word(12, "%r11")}
  and.b32 %r2, %tid, 31;
  setp.eq.u32 %p1, %r2, 0;
  setp.ge.u32 %p2, %tid, 32;
  mov.u32 %r5, 0;
  mov.u32 %r20, 0;
$round:
  add.u32 %r6, %r5, 10;
  @%p1 st.shared.u32 [%r12], %r6; // reported: W9201
  ${sync}
  @%p2 ld.shared.u32 %r7, [%r12+-4]; // the other side
  @%p2 add.u32 %r20, %r20, %r7;
  ${unless(broken, sync)}
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p3, %r5, 3;
  @%p3 bra $round;
  st.global.u32 [%d2], %r20;`;

const clearedForTheNextRound = (broken: boolean): string => `${ownWords}
  setp.lt.u32 %p1, %tid, 4;
  and.b32 %r3, %tid, 3;
  ${word(3, "%r3")}
  mov.u32 %r5, 0;
  mov.u32 %r20, 0;
$round:
  @%p1 st.shared.u32 [%r1], 0; // reported: W9201
  ${sync}
  red.shared.add.u32 [%r3], 1;
  ${sync}
  ld.shared.u32 %r4, [%r3]; // the other side
  add.u32 %r20, %r20, %r4;
  ${unless(broken, sync)}
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p2, %r5, 2;
  @%p2 bra $round;
  st.global.u32 [%d2], %r20;`;

const block = [64, 1, 1] as const;
const smem = 256;

export const sharedMemoryCases: readonly CourtCase[] = [
  ptxCase({
    name: "shared-memory/one-writes-all-read",
    what: "One thread writes a sum, and the whole block reads it with no barrier between.",
    mended: "A barrier of the block between the store and the loads.",
    links: ["https://github.com/ORNL/HeCBench/issues/254"],
    body: oneWritesAllRead,
    expected: all(64, 5),
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "shared-memory/one-barrier-in-a-loop",
    what: "A loop fills shared memory, meets at a barrier and reads; the next iteration fills it again while slow warps still read.",
    mended: "A second barrier at the end of the loop.",
    links: [
      "https://github.com/ORNL/HeCBench/issues/253",
      "https://github.com/yelhousni/zprize-GPU-MSM-harness/pull/1",
      "https://github.com/NVIDIA/apex/pull/1184",
      "https://github.com/AccelerateHS/accelerate-llvm/pull/97",
    ],
    body: oneBarrierInALoop,
    expected: count(64).map((t) => 3 * (t ^ 32) + 3),
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "shared-memory/one-still-adds",
    what: "Thread 0 adds up what all have written; the others begin the next iteration and write over it.",
    mended: "A barrier behind the sum.",
    links: ["https://github.com/NVIDIA/cuml/pull/6578"],
    body: oneStillAdds,
    expected: [2016, 2080],
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "shared-memory/cleared-late",
    what: "Some threads clear counters, all add to them by atomics, and no barrier stands between: a late clear loses counts.",
    mended: "A barrier behind the clear.",
    links: [
      "https://github.com/vllm-project/vllm/pull/13140",
      "https://github.com/alicevision/popsift/pull/82",
      "https://github.com/hidet-org/hidet/pull/325",
      "https://github.com/alpaka-group/mallocMC/pull/190",
    ],
    body: clearedLate,
    expected: all(4, 16),
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "shared-memory/searched-early",
    what: "Each thread writes its prefix; then each searches all of them by bisection, with no barrier between.",
    mended: "A barrier before the search.",
    links: ["https://github.com/sgl-project/sglang/pull/37663", "https://github.com/pytorch/pytorch/pull/158994"],
    body: searchedEarly,
    expected: count(64).map((t) => t >> 1),
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "shared-memory/added-without-atomics",
    what: "Two threads add 1 to one word by a load, an addition and a store: one addition is lost.",
    mended: "An atomic addition.",
    links: ["https://github.com/numba/numba/issues/4907"],
    body: addedWithoutAtomics,
    expected: [2, 2],
    block: [2, 1, 1],
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "shared-memory/scratch-of-two-sums",
    what: "Two reductions of a block follow each other and use the same scratch: the second writes while threads still read the first one's result.",
    mended: "A barrier between the two.",
    links: [
      "https://github.com/NVIDIA/Fuser/pull/489",
      "https://github.com/pytorch/pytorch/pull/162995",
      "https://github.com/NVIDIA/cudf/pull/24249",
      "https://github.com/flashinfer-ai/flashinfer/pull/3624",
    ],
    body: scratchOfTwoSums,
    expected: all(64, 1 + 33 + 3200),
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "shared-memory/two-names-of-one-memory",
    what: "What the threads still read and what they write next are two members of a union: nothing in the source shows that both are one memory.",
    mended: "The lanes meet between the reads and the writes.",
    links: [
      "https://github.com/NVIDIA/cccl/pull/2699",
      "https://github.com/NVIDIA/cccl/pull/399",
      "https://github.com/sgl-project/sglang/pull/37287",
    ],
    body: twoNamesOfOneMemory,
    expected: count(32).map((t) => 4 * (t ^ 31) + 1),
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "shared-memory/scanned-in-place",
    what: "A scan reads a neighbour's word and writes its own in one step between two barriers: another warp has written the neighbour's already.",
    mended: "A barrier between the loads and the stores of a step.",
    links: ["https://github.com/ORNL/HeCBench/issues/255"],
    body: scannedInPlace,
    expected: count(64).map((t) => t + 1),
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "shared-memory/norm-overwritten",
    what: "For each token the warps write partial sums, one thread makes a norm of them in word 0, and all read it; the next token's partial sums come before all have read.",
    mended: "A barrier behind the reads of the norm.",
    links: ["https://github.com/gittensor-ai-lab/sparkinfer/pull/705"],
    body: normOverwritten,
    expected: all(64, 1 + 3 + 5),
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "shared-memory/barrier-in-an-empty-loop",
    what: "The only barrier between a store and its readers stands in a loop over rows, and there are none.",
    mended: "A barrier before the loop.",
    links: ["https://github.com/NVIDIA/cudf/pull/13214"],
    body: barrierInAnEmptyLoop,
    expected: all(64, 0),
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "shared-memory/barrier-moved-out",
    what: "A compiler takes the barriers out of a branch that depends on the thread, and leaves one before it: writes and reads in the branch are not in order.",
    mended: "The barriers stay in the loop, as all threads take the branch.",
    links: ["https://github.com/tile-ai/tilelang/issues/2612"],
    body: barrierMovedOut,
    input: all(64, 1),
    expected: count(64).map((t) => 2 * (63 - t) + 1),
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "shared-memory/barrier-of-48",
    what: "48 of 64 threads exchange words. No barrier can count 48 threads, and the compiler leaves it out.",
    mended: "A barrier of all 64 threads, outside the branch.",
    links: ["https://github.com/tile-ai/tilelang/issues/2556"],
    body: barrierOf48,
    expected: count(48).map((t) => 47 - t),
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "shared-memory/partial-of-the-warp-before",
    what: "A warp reads what the warp before it has written; that one may be in the next iteration.",
    mended: "A barrier before the next iteration.",
    links: ["https://github.com/NVIDIA/cudf/issues/5595"],
    body: partialOfTheWarpBefore,
    expected: count(64).map((t) => (t < 32 ? 0 : 33)),
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "shared-memory/cleared-for-the-next-round",
    what: "Threads read a histogram at the end of a round, others clear it at the beginning of the next.",
    mended: "A barrier between the two rounds.",
    links: ["https://github.com/flashinfer-ai/flashinfer/pull/3529"],
    body: clearedForTheNextRound,
    expected: all(64, 32),
    block,
    smem,
    eitherSide: true,
  }),
];
