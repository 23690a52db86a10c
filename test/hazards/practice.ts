/** What working code does although the manual does not promise it, and beside each what it must not be taken for. */
import { type Hazard, ptxHazard } from "./hazard.ts";
import { count } from "./parts.ts";

const give = (register: string): string => `
  mul.wide.u32 %d3, %tid, 4;
  add.u64 %d3, %out, %d3;
  st.global.u32 [%d3], ${register};`;

/** All threads set a flag. One of another value decides by chance. */
const anotherValue = (broken: boolean): string => `
  mov.u32 %r1, smem;
  mov.u32 %r2, 1;
  ${broken ? "setp.eq.u32 %p1, %tid, 37;\n  selp.u32 %r2, 2, 1, %p1;" : ""}
  st.shared.u32 [%r1], %r2; // reported: W9201
  bar.sync 0;
  ld.shared.u32 %r3, [%r1];${give("%r3")}`;

/** Two instructions that store one value by chance are a race: with other data they store two. Constants are equal in every run. */
const equalByChance = (broken: boolean): string => `
  mov.u32 %r1, smem;
  ${broken ? "ld.global.u32 %r2, [%in];" : "mov.u32 %r2, 5;"}
  setp.lt.u32 %p1, %tid, 32;
  @%p1 bra $low;
  st.shared.u32 [%r1], %r2; // reported: W9201
  bra $both;
$low:
  st.shared.u32 [%r1], 5; // or: W9201
$both:
  bar.sync 0;
  ld.shared.u32 %r3, [%r1];${give("%r3")}`;

/** Two warps store one matrix; of other values, the last one wins. */
const equalRows = (broken: boolean): string => `
  and.b32 %r2, %tid, 31;
  shl.b32 %r2, %r2, 4;
  mov.u32 %r1, smem;
  add.u32 %r2, %r1, %r2;
  mov.u32 %r3, 7;
  ${broken ? "shr.u32 %r3, %tid, 5;" : ""}
  stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%r3}; // reported: W9201
  bar.sync 0;
  ld.shared.u32 %r4, [%r1];${give("%r4")}`;

/** A flag that all set is read behind the barrier; before it, it is a race, whatever the value. */
const readBetween = (broken: boolean): string => `
  mov.u32 %r1, smem;
  mov.u32 %r2, 1;
  st.shared.u32 [%r1], %r2; // or: W9201
  ${broken ? "" : "bar.sync 0;"}
  setp.ge.u32 %p1, %tid, 32;
  @%p1 ld.shared.u32 %r2, [%r1]; // reported: W9201${give("%r2")}`;

/** The value that all have stored changes, and nobody has waited for the others. */
const changedAgain = (broken: boolean): string => `
  mov.u32 %r1, smem;
  mov.u32 %r2, 1;
  st.shared.u32 [%r1], %r2; // or: W9201
  ${broken ? "" : "bar.sync 0;"}
  setp.eq.u32 %p1, %tid, 63;
  @%p1 st.shared.u32 [%r1], 2; // reported: W9201
  bar.sync 0;
  ld.shared.u32 %r3, [%r1];${give("%r3")}`;

/** All lanes store one tile; each its own to the same place is a race. */
const otherSources = (broken: boolean): string => `
  mov.u32 %r1, smem;
  mad.lo.u32 %r2, %tid, 4, %r1;
  st.shared.u32 [%r2], %tid;
  st.shared.u32 [%r2+128], %tid;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  ${broken ? "setp.lt.u32 %p1, %tid, 16;\n  @!%p1 add.u32 %r1, %r1, 128;" : ""}
  cp.async.bulk.global.shared::cta.bulk_group [%out], [%r1], 128; // reported: W9208
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;`;

/** A warp that arrives and then waits counts twice. One that arrives twice does not know for which barrier. */
const arrivesTwice = (broken: boolean): string => `
  bar.arrive 1, ${broken ? 192 : 128}; // the other side
  ${broken ? "bar.arrive 1, 192;" : ""} // reported: W9226
  bar.sync 1, ${broken ? 192 : 128};${give("%tid")}`;

/** Operands of wgmma: what `cp.async` has brought; what threads have stored takes a fence. */
const storedOperands = (broken: boolean): string => `
  mov.u32 %r1, smem;
  mad.lo.u32 %r2, %tid, 16, %r1;
  mul.wide.u32 %d1, %tid, 16;
  add.u64 %d2, %in, %d1;
  ${
    broken
      ? "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d2];\n  st.shared.v4.u32 [%r2], {%r4, %r5, %r6, %r7}; // the other side"
      : "cp.async.cg.shared.global [%r2], [%d2], 16;\n  cp.async.commit_group;\n  cp.async.wait_group 0;"
  }
  bar.sync 0;
  cvt.u64.u32 %d4, %r1;
  shr.u64 %d4, %d4, 4;
  or.b64 %d4, %d4, 0x1000080000;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d4, %d4, 0, 1, 1, 0, 0; // reported: W9202
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  cvt.rzi.s32.f32 %r8, %f0;${give("%r8")}`;

/** A bit field is set in memory that nothing has written; the bits beside it are nobody's. */
const otherBits = (broken: boolean): string => `
  .local .align 4 .b8 fields[4];
  ld.local.u32 %r1, [fields];
  and.b32 %r1, %r1, -255;
  or.b32 %r1, %r1, 2;
  st.local.u32 [fields], %r1;
  ld.local.u32 %r2, [fields]; // reported: W9209
  bfe.u32 %r2, %r2, ${broken ? "0, 7" : "1, 7"};${give("%r2")}`;

const ones = (n: number): readonly number[] => count(n).map(() => 1);
const onesOfF16 = new Uint8Array(new Uint16Array(1024).fill(0x3c00).buffer);
const block = [64, 1, 1] as const;

/** Each thread fences what it has stored, all meet, and one of them counts the block: PyTorch's reductions. Without fences nobody passes anything on. */
const fencesThenMeet = (broken: boolean): string => `
  mov.u32 %r1, smem;
  mov.u32 %r2, %ctaid.x;
  mad.lo.u32 %r3, %r2, 64, %tid;
  mul.wide.u32 %d1, %r3, 4;
  add.u64 %d1, %in, %d1;
  st.global.u32 [%d1], %r3; // the other side
  ${broken ? "" : "fence.acq_rel.gpu;"}
  bar.sync 0;
  setp.eq.u32 %p1, %tid, 0;
  @%p1 atom.relaxed.gpu.global.add.u32 %r4, [%in+512], 1;
  @%p1 st.shared.u32 [%r1], %r4;
  bar.sync 0;
  ld.shared.u32 %r4, [%r1];
  setp.ne.u32 %p2, %r4, 1;
  @%p2 bra $end;
  ${broken ? "" : "fence.acq_rel.gpu;"}
  mul.wide.u32 %d2, %tid, 4;
  add.u64 %d2, %in, %d2;
  ld.global.u32 %r5, [%d2]; // reported: W9201
  ld.global.u32 %r6, [%d2+256]; // or: W9201
  add.u32 %r5, %r5, %r6;${give("%r5")}
$end:`;

export const practiceHazards: readonly Hazard[] = [
  ptxHazard({
    name: "practice/another-value",
    classes: [71],
    body: anotherValue,
    expected: ones(64),
    block,
    sharedBytes: 64,
    practice: "W9201",
  }),
  ptxHazard({
    name: "practice/equal-rows",
    classes: [71],
    body: equalRows,
    expected: count(64).map(() => 7),
    block,
    sharedBytes: 512,
    practice: "W9201",
  }),
  ptxHazard({
    name: "practice/equal-by-chance",
    classes: [71],
    body: equalByChance,
    expected: count(64).map(() => 5),
    block,
    input: new Uint8Array(Int32Array.of(5, 0, 0, 0).buffer),
    sharedBytes: 64,
    practice: "W9201",
  }),
  ptxHazard({
    name: "practice/read-between",
    classes: [71],
    body: readBetween,
    expected: ones(64),
    block,
    sharedBytes: 64,
    practice: "W9201",
  }),
  ptxHazard({
    name: "practice/changed-again",
    classes: [71],
    body: changedAgain,
    expected: count(64).map(() => 2),
    block,
    sharedBytes: 64,
    practice: "W9201",
  }),
  ptxHazard({
    name: "practice/other-sources",
    classes: [50],
    body: otherSources,
    expected: count(32),
    block: [32, 1, 1],
    sharedBytes: 256,
    practice: "W9208",
  }),
  ptxHazard({
    name: "practice/arrives-twice",
    classes: [45],
    body: arrivesTwice,
    expected: count(64),
    block,
    practice: "W9226",
  }),
  ptxHazard({
    name: "practice/fences-then-meet",
    classes: [64],
    body: fencesThenMeet,
    expected: count(64).map((t) => 2 * t + 64),
    grid: [2, 1, 1],
    block,
    input: new Uint8Array(520),
    sharedBytes: 64,
    practice: "W9201",
  }),
  ptxHazard({
    name: "practice/stored-operands",
    classes: [30],
    body: storedOperands,
    expected: count(128).map(() => 16),
    block: [128, 1, 1],
    input: onesOfF16,
    sharedBytes: 2048,
    practice: "W9202",
  }),
  ptxHazard({
    name: "practice/other-bits",
    classes: [26],
    body: otherBits,
    expected: ones(64),
    block,
  }),
];
