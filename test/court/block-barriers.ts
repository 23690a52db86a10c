/** Barriers of a block to which not all come, or not the right ones. */
import { count } from "../cases/numbers.ts";
import { type CourtCase, ownWords, ptxCase } from "./court-case.ts";

/** `%r4`: the word of the thread on the other side of the block; 64 threads. */
const readOther = `
  xor.b32 %r2, %tid, 63;
  mad.lo.u32 %r3, %r2, 4, %r0;`;

const inBothBranches = (broken: boolean): string => `${ownWords}${readOther}
  and.b32 %r5, %tid, 1;
  setp.eq.u32 %p1, %r5, 1;
  @%p1 bra $odd;
  st.shared.u32 [%r1], %tid;
  ${broken ? "bar.sync 0; // reported: W9001 or W9003 or W9224" : ""}
  bra $join;
$odd:
  add.u32 %r6, %tid, 100;
  st.shared.u32 [%r1], %r6;
  ${broken ? "bar.sync 0; // or: W9001 or W9003 or W9224" : ""}
$join:
  ${broken ? "" : "bar.sync 0;"}
  ld.shared.u32 %r4, [%r3];
  st.global.u32 [%d2], %r4;`;

const notForTheTail = (broken: boolean): string => `${ownWords}
  setp.ge.u32 %p1, %tid, 48;
  ${broken ? "@%p1 bra $tail;" : ""}
  @!%p1 st.shared.u32 [%r1], %tid;
  bar.sync 0; // reported: W9001 or W9003 or W9224
  ${broken ? "" : "@%p1 bra $tail;"}
  sub.u32 %r2, 47, %tid;
  mad.lo.u32 %r3, %r2, 4, %r0;
  ld.shared.u32 %r4, [%r3];
  st.global.u32 [%d2], %r4;
$tail:
  bar.sync 0; // or: W9001 or W9003 or W9224`;

const leavesTheLoop = (broken: boolean): string => `${ownWords}
  mov.u32 %r5, %tid;
  mov.u32 %r20, 0;
$atoms:
  setp.ge.u32 %p1, %r5, ${broken ? 72 : 128};
  @%p1 bra $over;
  st.shared.u32 [%r1], %r5;
  bar.sync 0; // reported: W9001 or W9003 or W9224
  ld.shared.u32 %r6, [%r0];
  setp.lt.u32 %p2, %r5, 72;
  @%p2 add.u32 %r20, %r20, %r6;
  bar.sync 0; // or: W9001 or W9003 or W9224
  add.u32 %r5, %r5, 64;
  bra $atoms;
$over:
  bar.sync 0; // or: W9001 or W9003 or W9224
  st.global.u32 [%d2], %r20;`;

const ofOneRole = (broken: boolean): string => `${ownWords}
  setp.eq.u32 %p1, %tid, 0;
  add.u32 %r9, %r0, 512;
  @%p1 mbarrier.init.shared::cta.b64 [%r9], 1;
  bar.sync 0;
  setp.ge.u32 %p2, %tid, 64;
  @%p2 bra $copies;
  bar.sync ${broken ? "0" : "1, 64"}; // reported: W9001
  @%p1 mbarrier.arrive.shared::cta.b64 _, [%r9];
  bra $over;
$copies:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r9], 0; // or: W9001
  @!%p3 bra $copies;
$over:
  st.global.u32 [%d2], %tid;`;

const pairsUpWrongly = (broken: boolean): string => `${ownWords}${readOther}
  setp.ge.u32 %p1, %tid, 32;
  ${broken ? "@%p1 bar.sync 0; // the other side" : ""}
  st.shared.u32 [%r1], %tid; // or: W9201
  bar.sync 0; // reported: W9231
  @%p1 bra $end;
  ld.shared.u32 %r4, [%r3]; // or: W9201 or W9209
  st.global.u32 [%d2], %r4;
$end:`;

const group = `
  shr.u32 %r11, %tid, 6;
  xor.b32 %r2, %tid, 32;
  mad.lo.u32 %r3, %r2, 4, %r0;`;
const numberOfTwoGroups = (broken: boolean): string => `${ownWords}${group}
  add.u32 %r12, %r11, 1;
  ${broken ? "mov.u32 %r12, 1;" : ""}
  st.shared.u32 [%r1], %tid; // or: W9201
  bar.sync %r12, 64; // reported: W9247
  ld.shared.u32 %r4, [%r3]; // or: W9201 or W9209
  st.global.u32 [%d2], %r4;`;

const block = [64, 1, 1] as const;
const smem = 1024;

export const blockBarrierCases: readonly CourtCase[] = [
  ptxCase({
    name: "block-barriers/in-both-branches",
    what: "Both branches of a condition have a barrier of their own: the lanes of a warp wait at two places. The source may have one barrier, which the compiler copies into the branches.",
    mended: "One barrier behind the branches.",
    links: ["https://github.com/ggml-org/llama.cpp/pull/27955", "https://github.com/facebookexperimental/triton/pull/1040"],
    body: inBothBranches,
    expected: count(64).map((t) => ((t ^ 63) & 1 ? (t ^ 63) + 100 : t ^ 63)),
    block,
    smem,
  }),
  ptxCase({
    name: "block-barriers/not-for-the-tail",
    what: "A barrier stands under `if (index < n)`: the threads beyond the end do not come to it, and wait at the next one.",
    mended: "The condition is around the work alone, the barrier outside.",
    links: [
      "https://github.com/NVIDIA/cuCollections/pull/522",
      "https://github.com/acts-project/acts/pull/307",
      "https://github.com/raymondyfei/lbfgsb-gpu/pull/12",
      "https://github.com/AccelerateHS/accelerate/issues/436",
    ],
    body: notForTheTail,
    expected: count(48).map((t) => 47 - t),
    block,
    smem,
    hangs: true,
  }),
  ptxCase({
    name: "block-barriers/leaves-the-loop",
    what: "A loop over atoms has barriers inside, and each thread leaves it where its own atoms end: the last iteration lacks threads.",
    mended: "All threads make the same number of iterations; the work is under a condition.",
    links: ["https://github.com/proteneer/timemachine/pull/1218"],
    body: leavesTheLoop,
    expected: count(64).map((t) => (t < 8 ? 64 : 0)),
    block,
    smem,
    hangs: true,
  }),
  ptxCase({
    name: "block-barriers/of-one-role",
    what: "`__syncthreads()` stands in the branch of the warps that compute; the warps that copy never come to it.",
    mended: "A barrier of its own number for the threads of that role.",
    links: ["https://github.com/flashinfer-ai/flashinfer/pull/2996"],
    body: ofOneRole,
    expected: count(96),
    block: [96, 1, 1],
    smem,
    hangs: true,
  }),
  ptxCase({
    name: "block-barriers/pairs-up-wrongly",
    what: "Some warps run one barrier more than others. Nothing hangs: the barriers of different places meet each other, and reads come before the writes.",
    mended: "All warps run the same barriers.",
    links: ["https://github.com/ggml-org/llama.cpp/pull/13469"],
    body: pairsUpWrongly,
    expected: count(32).map((t) => t ^ 63),
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "block-barriers/number-of-two-groups",
    what: "Two groups of warps use one number of a named barrier at the same time: a warp of one group meets a warp of the other.",
    mended: "Each group has a number of its own.",
    links: ["https://github.com/flashinfer-ai/flashinfer/pull/4533"],
    body: numberOfTwoGroups,
    expected: count(128).map((t) => t ^ 32),
    block: [128, 1, 1],
    smem,
    eitherSide: true,
    hangs: true,
  }),
];
