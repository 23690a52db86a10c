/** What only hand-written PTX can do wrong. */
import { type Hazard, ptxHazard } from "./hazard.ts";
import { count } from "./parts.ts";

const give = `
  mul.wide.u32 %d3, %tid, 4;
  add.u64 %d3, %out, %d3;
  st.global.u32 [%d3], %tid;`;

/** A barrier at a multiple of 4. */
const notAligned = (broken: boolean): string => `
  mov.u32 %r1, smem;
  setp.eq.u32 %p1, %tid, 0;
  @%p1 mbarrier.init.shared::cta.b64 [%r1+${broken ? 4 : 8}], 32; // reported: W9101${give}`;

/** ConSan: payload_reuse_requires_barrier_invalidation, aliasing. */
const payloadReused = (broken: boolean): string => `
  mov.u32 %r1, smem;
  setp.eq.u32 %p1, %tid, 0;
  @%p1 mbarrier.init.shared::cta.b64 [%r1], 32;
  bar.sync 0;
  mbarrier.arrive.shared::cta.b64 _, [%r1];
$again:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1], 0;
  @!%p2 bra $again;
  bar.sync 0;
  ${broken ? "" : "@%p1 mbarrier.inval.shared::cta.b64 [%r1];"}
  @%p1 st.shared.u32 [%r1+4], %tid; // reported: W9213${give}`;

/** All lanes initialise one mbarrier. With one count that is one initialisation; which of two counts it waits for, nobody knows. */
const lanesDiffer = (broken: boolean): string => `
  mov.u32 %r1, smem;
  mov.u32 %r2, 32;
  ${broken ? "and.b32 %r2, %tid, 1; add.u32 %r2, %r2, 31;" : ""}
  mbarrier.init.shared::cta.b64 [%r1], %r2; // reported: W9104
  bar.sync 0;
  mbarrier.arrive.shared::cta.b64 _, [%r1];
$again:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1], 0;
  @!%p2 bra $again;${give}`;

/** Halves of a warp meet by their own masks: who reads what the other half writes has not met it. */
const otherHalf = (broken: boolean): string => `
  mov.u32 %r1, smem;
  mad.lo.u32 %r2, %tid, 4, %r1;
  and.b32 %r3, %tid, 16;
  mov.u32 %r4, 0xffff;
  shl.b32 %r4, %r4, %r3;
  st.shared.u32 [%r2], %tid; // the other side
  bar.warp.sync %r4;
  xor.b32 %r5, %tid, ${broken ? 16 : 8};
  mad.lo.u32 %r5, %r5, 4, %r1;
  ld.shared.u32 %r6, [%r5]; // reported: W9201
  xor.b32 %r6, %r6, 8;${give.replace("%tid;", "%r6;")}`;

/** The upper lanes take part in what the lower ones do together. */
const outsideTheMask = (broken: boolean): string => `
  mov.u32 %r4, ${broken ? "0xffff" : "0xffffffff"};
  shfl.sync.idx.b32 %r5, %tid, %tid, 31, %r4; // reported: W9245${give.replace("%tid;", "%r5;")}`;

/** One warp of a warpgroup asks for another number of registers. */
const registersDiffer = (broken: boolean): string => `
  setp.lt.u32 %p1, %tid, 32;
  ${broken ? "@%p1 bra $other;" : ""}
  setmaxnreg.dec.sync.aligned.u32 40; // or: W9221
  bra $join;
$other:
  setmaxnreg.dec.sync.aligned.u32 48; // reported: W9221
$join:${give}`;

/** More registers than the block has: nobody gives any back. */
const noBudget = (broken: boolean): string => `
  ${broken ? "" : "setp.ge.u32 %p1, %tid, 128;\n  @%p1 setmaxnreg.dec.sync.aligned.u32 40;\n  @!%p1"} setmaxnreg.inc.sync.aligned.u32 208; // reported: W9001 or W9221${give}`;

/** A flag that nobody sets: no forward progress, and nothing that would end it. */
const spinsForEver = (broken: boolean): string => `
  setp.lt.u32 %p1, %tid, 32;
  mov.u32 %r1, 1;
  ${broken ? "" : "@%p1 st.release.gpu.global.u32 [%in], %r1;"}
  @%p1 bra $done;
$again:
  ld.acquire.gpu.global.u32 %r2, [%in]; // reported: W9004
  setp.eq.u32 %p2, %r2, 0; // or: W9004
  @%p2 bra $again; // or: W9004
$done:${give}`;

export const handWritten: readonly Hazard[] = [
  ptxHazard({
    name: "hand-written/not-aligned",
    classes: [13],
    body: notAligned,
    expected: count(32),
    block: [32, 1, 1],
    sharedBytes: 64,
  }),
  ptxHazard({
    name: "hand-written/lanes-differ",
    classes: [3],
    body: lanesDiffer,
    expected: count(32),
    block: [32, 1, 1],
    sharedBytes: 64,
  }),
  ptxHazard({
    name: "hand-written/other-half",
    classes: [70],
    body: otherHalf,
    expected: count(32),
    block: [32, 1, 1],
    sharedBytes: 128,
    eitherSide: true,
  }),
  ptxHazard({
    name: "hand-written/outside-the-mask",
    classes: [75],
    body: outsideTheMask,
    expected: count(32),
    block: [32, 1, 1],
  }),
  ptxHazard({
    name: "hand-written/payload-reused",
    classes: [4, 13],
    body: payloadReused,
    expected: count(32),
    block: [32, 1, 1],
    sharedBytes: 64,
  }),
  ptxHazard({
    name: "hand-written/registers-differ",
    classes: [44],
    body: registersDiffer,
    directives: ".maxntid 128 .maxnreg 64",
    expected: count(128),
    block: [128, 1, 1],
  }),
  ptxHazard({
    name: "hand-written/no-budget",
    classes: [44],
    body: noBudget,
    directives: ".maxntid 256 .maxnreg 128",
    expected: count(256),
    block: [256, 1, 1],
  }),
  ptxHazard({
    name: "hand-written/spins-for-ever",
    classes: [51, 52],
    body: spinsForEver,
    expected: count(64),
    block: [64, 1, 1],
    stepBudget: 2 ** 14,
  }),
];
