/** Matrices of a warp (wmma) in shared memory that other warps touch, and instructions that part of a warp leaves out. */
import { type Hazard, ptxHazard } from "./hazard.ts";
import { count } from "./parts.ts";

const give = `
  mul.wide.u32 %d3, %tid, 4;
  add.u64 %d3, %out, %d3;
  st.global.u32 [%d3], %tid;`;

const fragment = "{%r10, %r11, %r12, %r13}";

/** The first warp loads a matrix of tf32 whose elements the second one writes. */
const loadedEarly = (broken: boolean): string => `
  mov.u32 %r1, smem;
  mad.lo.u32 %r2, %tid, 8, %r1;
  st.shared.v2.u32 [%r2], {%tid, %tid}; // the other side
  ${broken ? "" : "bar.sync 0;"}
  setp.ge.u32 %p1, %tid, 32;
  @%p1 bra $done;
  wmma.load.a.sync.aligned.row.m16n16k8.shared.tf32 ${fragment}, [%r1], 8; // reported: W9201
$done:${give}`;

/** The first warp stores a matrix whose elements the second one reads. */
const storedLate = (broken: boolean): string => `
  mov.u32 %r1, smem;
  setp.ge.u32 %p1, %tid, 32;
  @%p1 bra $read;
  mov.f32 %f0, 0f00000000;
  wmma.store.d.sync.aligned.row.m16n16k8.shared.f32 [%r1], {%f0, %f0, %f0, %f0, %f0, %f0, %f0, %f0}, 16; // the other side
$read:
  ${broken ? "" : "bar.sync 0;"}
  mad.lo.u32 %r2, %tid, 4, %r1;
  @%p1 ld.shared.u32 %r3, [%r2]; // reported: W9201${give}`;

/** Half of a warp multiplies: the instruction needs all 32 threads. */
const halfOfAWarp = (broken: boolean): string => `
  mov.b32 %r10, 0;
  mov.f32 %f0, 0f00000000;
  setp.ge.u32 %p1, %tid, ${broken ? 16 : 32};
  @%p1 bra $done;
  wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, {%r10, %r10, %r10, %r10}, {%r10, %r10, %r10, %r10}, {%f0, %f0, %f0, %f0, %f0, %f0, %f0, %f0}; // reported: W9224
$done:${give}`;

/** The same of a product whose fragments lie as the manual says. */
const halfOfAProduct = (broken: boolean): string => `
  mov.b32 %r10, 0;
  mov.f32 %f0, 0f00000000;
  setp.ge.u32 %p1, %tid, ${broken ? 16 : 32};
  @%p1 bra $done;
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r10, %r10, %r10, %r10}, {%r10, %r10}, {%f0, %f0, %f0, %f0}; // reported: W9224
$done:${give}`;

/** The first warp loads words of an operand that the second one writes. */
const operandEarly = (broken: boolean): string => `
  mov.u32 %r1, smem;
  mad.lo.u32 %r2, %tid, 4, %r1;
  st.shared.u32 [%r2], %tid; // the other side
  ${broken ? "" : "bar.sync 0;"}
  setp.ge.u32 %p1, %tid, 32;
  @%p1 bra $done;
  and.b32 %r3, %tid, 15;
  mad.lo.u32 %r4, %r3, 16, %r1;
  ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r10, %r11}, [%r4]; // reported: W9201
$done:${give}`;

export const wmmaHazards: readonly Hazard[] = [
  ptxHazard({
    name: "wmma/loaded-early",
    classes: [70],
    body: loadedEarly,
    expected: count(64),
    block: [64, 1, 1],
    sharedBytes: 1024,
    eitherSide: true,
  }),
  ptxHazard({
    name: "wmma/stored-late",
    classes: [70],
    body: storedLate,
    expected: count(64),
    block: [64, 1, 1],
    sharedBytes: 1024,
    eitherSide: true,
  }),
  ptxHazard({
    name: "wmma/half-of-a-warp",
    classes: [45],
    body: halfOfAWarp,
    expected: count(32),
    block: [32, 1, 1],
  }),
  ptxHazard({
    name: "mma/half-of-a-warp",
    classes: [45],
    body: halfOfAProduct,
    expected: count(32),
    block: [32, 1, 1],
  }),
  ptxHazard({
    name: "mma/operand-early",
    classes: [70],
    body: operandEarly,
    expected: count(64),
    block: [64, 1, 1],
    sharedBytes: 256,
    eitherSide: true,
  }),
];
