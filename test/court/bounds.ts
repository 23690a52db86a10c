/** Addresses outside of what there is, or not where a vector may lie. */
import { count } from "../cases/numbers.ts";
import { type CourtCase, ownWords, ptxCase } from "./court-case.ts";

const bufferFull = (broken: boolean): string => `${ownWords}
  st.shared.u32 [%r1], %tid;
  bar.sync 0;
  add.u32 %r2, %tid, 64;
  setp.lt.u32 %p1, %r2, 64;
  mad.lo.u32 %r3, %r2, 4, %r0;
  mov.u32 %r4, 0;
  ${broken ? "" : "@%p1 "}ld.shared.u32 %r4, [%r3]; // reported: W9003
  ld.shared.u32 %r5, [%r1];
  add.u32 %r4, %r4, %r5;
  st.global.u32 [%d2], %r4;`;

const lanesBeyondTheWarps = (broken: boolean): string => `${ownWords}
  setp.lt.u32 %p1, %tid, 8;
  @%p1 st.shared.u32 [%r1], %tid;
  bar.sync 0;
  mov.u32 %r4, 0;
  ${broken ? "" : "@%p1 "}ld.shared.u32 %r4, [%r1]; // reported: W9003
  redux.sync.max.s32 %r4, %r4, 0xffffffff;
  st.global.u32 [%d2], %r4;`;

const columnsBeyond = (broken: boolean): string => `${ownWords}
  mov.u32 %r5, 0;
$bin:
  and.b32 %r2, %r5, ${broken ? 63 : 31};
  mad.lo.u32 %r3, %r2, 128, %r1;
  st.shared.u32 [%r3], %r5; // reported: W9003
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p1, %r5, 64;
  @%p1 bra $bin;
  ld.shared.u32 %r4, [%r1];
  st.global.u32 [%d2], %r4;`;

const oddHalves = (broken: boolean): string => `${ownWords}
  mul.lo.u32 %r2, %tid, 3;
  add.u32 %r2, %r2, ${broken ? 1 : 0};
  ${broken ? "" : "shl.b32 %r2, %tid, 1;"}
  mul.wide.u32 %d3, %r2, 2;
  add.u64 %d3, %d3, %in;
  ld.global.u32 %r3, [%d3]; // reported: W9009
  st.global.u32 [%d2], %r3;`;

const fourAtOnce = (broken: boolean): string => `${ownWords}
  mov.u32 %r2, ${broken ? 10 : 12};
  mul.wide.u32 %d3, %r2, 4;
  add.u64 %d3, %d3, %in;
  mul.wide.u32 %d4, %tid, 16;
  add.u64 %d3, %d3, %d4;
  st.global.v4.u32 [%d3], {%tid, %tid, %tid, %tid}; // reported: W9009
  st.global.u32 [%d2], %tid;`;

const block = [32, 1, 1] as const;

export const boundsCases: readonly CourtCase[] = [
  ptxCase({
    name: "bounds/buffer-full",
    what: "When the buffer of a warp is full, its lanes read one tile beyond it: for the last warp, beyond the shared memory of the block.",
    mended: "The read is under the condition that there is a tile.",
    links: ["https://github.com/openmm/openmm/issues/2825"],
    body: bufferFull,
    expected: count(64),
    block: [64, 1, 1],
    smem: 256,
  }),
  ptxCase({
    name: "bounds/lanes-beyond-the-warps",
    what: "An array has one word for each of 8 warps, and all 32 lanes of the first warp read from it.",
    mended: "The other lanes take the neutral value.",
    links: ["https://github.com/xlite-dev/LeetCUDA/pull/419"],
    body: lanesBeyondTheWarps,
    expected: new Array<number>(32).fill(7),
    block,
    smem: 32,
  }),
  ptxCase({
    name: "bounds/columns-beyond",
    what: "A histogram has 32 rows, and the index is masked for 64.",
    mended: "The mask is that of the rows.",
    links: ["https://github.com/ORNL/HeCBench/issues/83"],
    body: columnsBeyond,
    expected: new Array<number>(32).fill(32),
    block,
    smem: 4096,
  }),
  ptxCase({
    name: "bounds/odd-halves",
    what: "A compiler loads two halves as one word, from an odd offset.",
    mended: "The offset is even.",
    links: ["https://github.com/apache/tvm/issues/8540"],
    body: oddHalves,
    input: count(64),
    expected: count(32),
    block,
    smem: 256,
  }),
  ptxCase({
    name: "bounds/four-at-once",
    what: "The second part of a buffer begins where the first ends, at no multiple of four words, and is written by vectors of four.",
    mended: "It begins at the next multiple of four.",
    links: ["https://github.com/PaddlePaddle/Paddle/pull/23090"],
    body: fourAtOnce,
    input: count(160),
    expected: count(32),
    block,
    smem: 256,
  }),
];
