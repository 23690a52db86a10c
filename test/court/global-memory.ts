/** Blocks that pass each other values through global memory. */
import { count } from "../cases/numbers.ts";
import { type CourtCase, ownWords, ptxCase } from "./court-case.ts";

const unless = (broken: boolean, text: string): string => (broken ? "" : text);
const fence = "fence.acq_rel.gpu;";
const all = (n: number, value: number): number[] => new Array<number>(n).fill(value);

/** `%p1`: block 0; `%p2`: thread 0. The input is two buffers of 64 words, then words for flags. */
const begin = `${ownWords}
  mov.u32 %r20, %ctaid.x;
  setp.eq.u32 %p1, %r20, 0;
  setp.eq.u32 %p2, %tid, 0;`;
const flag = "%in+512";
const room = all(136, 0);

const semaphore = (broken: boolean): string => `${begin}
  @!%p1 bra $next;
  st.global.u32 [%d1], %tid; // the other side
  bar.sync 0;
  ${unless(broken, `@%p2 ${fence}`)}
  @%p2 st.relaxed.gpu.global.u32 [${flag}], 1;
  bra $end;
$next:
  @!%p2 bra $released;
$again:
  ld.acquire.gpu.global.u32 %r2, [${flag}];
  setp.eq.u32 %p3, %r2, 0;
  @%p3 bra $again;
$released:
  bar.sync 0;
  ld.global.u32 %r3, [%d1]; // reported: W9201
  add.u32 %r3, %r3, 1;
  st.global.u32 [%d2], %r3;
$end:`;

/** `meets`: the threads of a block meet before it is counted. `hears`: who has counted fences before the others go on. */
const lastBlock = (meets: boolean, hears: boolean): string => `${begin}
  mad.lo.u32 %r4, %r20, 32, %tid;
  mul.wide.u32 %d3, %r4, 4;
  add.u64 %d3, %d3, %in;
  st.global.u32 [%d3], %r4; // the other side
  ${meets ? "bar.sync 0;" : ""}
  @%p2 ${fence}
  @%p2 atom.relaxed.gpu.global.add.u32 %r5, [${flag}], 1;
  ${hears ? `@%p2 ${fence}` : ""}
  @%p2 st.shared.u32 [%r0], %r5;
  bar.sync 0;
  ld.shared.u32 %r6, [%r0];
  setp.ne.u32 %p3, %r6, 1;
  @%p3 bra $end;
  ld.global.u32 %r7, [%d1]; // reported: W9201
  ld.global.u32 %r8, [%d1+128]; // or: W9201
  add.u32 %r7, %r7, %r8;
  st.global.u32 [%d2], %r7;
$end:`;

const lock = (broken: boolean): string => `${begin}
$take:
  atom.relaxed.gpu.global.cas.b32 %r2, [${flag}], 0, 1;
  setp.ne.u32 %p3, %r2, 0;
  @%p3 bra $take;
  ${unless(broken, fence)}
  ld.global.u32 %r3, [%in]; // reported: W9201
  add.u32 %r3, %r3, 1;
  st.global.u32 [%in], %r3; // the other side
  ${unless(broken, fence)}
  atom.relaxed.gpu.global.exch.b32 %r2, [${flag}], 0;
  setp.eq.u32 %p4, %r3, 2;
  @%p4 st.global.u32 [%out], %r3;`;

const lockOfABlock = (broken: boolean): string => `${begin}
  @!%p2 bra $taken;
$take:
  atom.acquire.gpu.global.cas.b32 %r2, [${flag}], 0, 1;
  setp.ne.u32 %p3, %r2, 0;
  @%p3 bra $take;
$taken:
  bar.sync 0;
  ld.global.u32 %r3, [%d1]; // reported: W9201
  add.u32 %r3, %r3, 1;
  st.global.u32 [%d1], %r3; // the other side
  ${unless(broken, "bar.sync 0;")}
  @%p2 atom.acq_rel.gpu.global.exch.b32 %r2, [${flag}], 0;
  setp.eq.u32 %p4, %r3, 2;
  @%p4 st.global.u32 [%d2], %r3;`;

const storedAndLoaded = (broken: boolean): string => `${begin}
  st.global.u32 [%d1], %tid; // the other side
  ${unless(broken, "bar.sync 0;")}
  xor.b32 %r2, %tid, 63;
  mul.wide.u32 %d3, %r2, 4;
  add.u64 %d3, %d3, %in;
  ld.global.u32 %r3, [%d3]; // reported: W9201
  st.global.u32 [%d2], %r3;`;

const lookBack = (broken: boolean): string => `${begin}
  @!%p2 bra $end;
  @!%p1 bra $second;
  st.global.u32 [%in], 40; // the other side
  ${unless(broken, fence)}
  st.relaxed.gpu.global.u32 [${flag}], 1;
  bra $end;
$second:
  ld.relaxed.gpu.global.u32 %r2, [${flag}];
  setp.eq.u32 %p3, %r2, 0;
  @%p3 bra $second;
  ${unless(broken, fence)}
  ld.global.u32 %r3, [%in]; // reported: W9201
  add.u32 %r3, %r3, 2;
  st.global.u32 [%out], %r3;
$end:`;

const barrierOfABlock = (broken: boolean): string => `${begin}
  mad.lo.u32 %r4, %r20, 64, %tid;
  mul.wide.u32 %d3, %r4, 4;
  add.u64 %d4, %d3, %in;
  st.global.u32 [%d4], %r4; // the other side
  bar.sync 0;
  xor.b32 %r5, %r4, ${broken ? 64 : 32};
  mul.wide.u32 %d5, %r5, 4;
  add.u64 %d5, %d5, %in;
  ld.global.u32 %r6, [%d5]; // reported: W9201
  xor.b32 %r6, %r6, ${broken ? 64 : 32};
  add.u64 %d6, %d3, %out;
  st.global.u32 [%d6], %r6;`;

const tileOverwritten = (broken: boolean): string => `${begin}
  @%p2 st.global.u32 [%in], 10;
  bar.sync 0;
  ld.global.u32 %r3, [%in]; // the other side
  ${unless(broken, "bar.sync 0;")}
  @%p2 st.global.u32 [%in], 99; // reported: W9201
  st.global.u32 [%d2], %r3;`;

const oneCounter = (broken: boolean): string => `${begin}
  mov.u32 %r2, 0;
$barrier:
  add.u32 %r2, %r2, 1;
  shl.b32 %r3, %r2, 1;
  atom.acq_rel.gpu.global.add.u32 %r4, [${flag}], 1;
$wait:
  ld.acquire.gpu.global.u32 %r5, [${flag}]; // reported: W9004 or W9001
  ${broken ? "setp.ne.u32 %p3, %r5, %r3;" : "setp.lt.u32 %p3, %r5, %r3;"} // or: W9004 or W9001
  @%p3 bra $wait; // or: W9004 or W9001
  setp.lt.u32 %p4, %r2, 3;
  @%p4 bra $barrier;
  @%p1 st.global.u32 [%out], %r2;`;

const block = [64, 1, 1] as const;
const grid = [2, 1, 1] as const;
const smem = 256;

export const globalMemoryCases: readonly CourtCase[] = [
  ptxCase({
    name: "global-memory/semaphore",
    what: "All threads of a block write partial sums, meet at a barrier, and one thread releases a semaphore for the next block: no fence orders the sums before it.",
    mended: "The thread that releases has a fence of the GPU behind the barrier.",
    links: ["https://github.com/NVIDIA/Fuser/pull/2391", "https://github.com/kokkos/kokkos/issues/2681"],
    body: semaphore,
    input: room,
    expected: count(64).map((t) => t + 1),
    grid,
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "global-memory/last-block-reads",
    what: "The last block to count itself reads the partial sums of all, with no fence between its atomic and the reads.",
    mended: "A fence of the GPU behind the atomic, too, before the threads of the block meet.",
    links: ["https://github.com/pytorch/pytorch/pull/128455"],
    body: (broken) => lastBlock(true, !broken),
    input: room,
    expected: count(32).map((t) => 2 * t + 32),
    grid,
    block: [32, 1, 1],
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "global-memory/counted-before-the-others",
    what: "One thread counts its block as done while other threads of the block still write.",
    mended: "A barrier of the block before the count.",
    links: ["https://github.com/NVIDIA/raft/pull/3041"],
    body: (broken) => lastBlock(!broken, true).replaceAll("%r20, 32, %tid", "%r20, 64, %tid").replace("+128", "+256"),
    input: room,
    expected: count(64).map((t) => 2 * t + 64),
    grid,
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "global-memory/lock",
    what: "A value is changed under a lock that is taken and freed by relaxed atomics: nothing orders the change.",
    mended: "Fences behind the taking and before the freeing.",
    links: ["https://github.com/kokkos/kokkos/issues/3038"],
    body: lock,
    input: room,
    expected: [2],
    grid,
    block: [1, 1, 1],
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "global-memory/lock-of-a-block",
    what: "One thread frees the lock of its block, by release, while other warps still store: release orders the thread's own stores alone.",
    mended: "A barrier of the block before the lock is freed.",
    links: ["https://github.com/meta-pytorch/tritonbench/pull/1266"],
    body: lockOfABlock,
    input: room,
    expected: all(64, 2),
    grid,
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "global-memory/stored-and-loaded",
    what: "The warps of a block store to global memory, and load what other warps have stored with no barrier between.",
    mended: "A barrier of the block between the two.",
    links: ["https://github.com/vllm-project/vllm/pull/34991"],
    body: storedAndLoaded,
    input: room,
    expected: count(64).map((t) => 63 - t),
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "global-memory/look-back",
    what: "A scan by look-back stores its sum, then a flag; the next block sees the flag and reads the sum. There is a fence on neither side.",
    mended: "A fence of the GPU on both sides.",
    links: ["https://github.com/JuliaGPU/AcceleratedKernels.jl/pull/98", "https://github.com/matteospanio/torchfx/issues/96"],
    body: lookBack,
    input: room,
    expected: [42],
    grid,
    block: [32, 1, 1],
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "global-memory/barrier-of-a-block",
    what: "A row is spread over several blocks, whose threads exchange values behind `__syncthreads()`, which is a barrier of one block.",
    mended: "Each row is reduced within one block.",
    links: ["https://github.com/Oneflow-Inc/oneflow/pull/903", "https://github.com/gunrock/gunrock/issues/452"],
    body: barrierOfABlock,
    input: room,
    expected: count(128),
    grid,
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "global-memory/tile-overwritten",
    what: "All threads of a block read the sum of its tile; thread 0 overwrites it with the prefix before later warps have read.",
    mended: "A barrier behind the reads.",
    links: ["https://github.com/NVIDIA/cccl/pull/4556"],
    body: tileOverwritten,
    input: room,
    expected: all(64, 10),
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "global-memory/one-counter-for-all",
    what: "A barrier of the grid waits until a counter is exactly what it should be; a block that is ahead has counted on for the next barrier, and the others wait for ever.",
    mended: "It waits until the counter is at least that.",
    links: ["https://github.com/NVIDIA/cuml/issues/458"],
    body: oneCounter,
    input: room,
    expected: [3],
    grid,
    block: [1, 1, 1],
    smem,
    hangs: true,
  }),
];

const atomicsOfTheBlock = (broken: boolean): string => `${begin}
  and.b32 %r2, %tid, 3;
  mul.wide.u32 %d3, %r2, 4;
  add.u64 %d3, %d3, %out;
  red.relaxed.${broken ? "cta" : "gpu"}.global.add.u32 [%d3], 1; // reported: W9201`;

const leaderReleases = (broken: boolean): string => `${begin}
  @!%p1 bra $second;
  st.global.u32 [%d1], %tid; // the other side
  ${unless(broken, "bar.warp.sync 0xffffffff;")}
  @%p2 red.release.gpu.global.add.u32 [${flag}], 32;
  bra $end;
$second:
  ld.acquire.gpu.global.u32 %r2, [${flag}];
  setp.ne.u32 %p3, %r2, 32;
  @%p3 bra $second;
  ld.global.u32 %r3, [%d1]; // reported: W9201
  st.global.u32 [%d2], %r3;
$end:`;

export const scopeCases: readonly CourtCase[] = [
  ptxCase({
    name: "scopes/atomics-of-the-block",
    what: "Blocks add to one histogram by atomics whose scope is the block.",
    mended: "Atomics of the GPU.",
    links: ["https://github.com/ComputationalRadiationPhysics/picongpu/pull/2231", "https://github.com/NVIDIA/cudf/pull/16051"],
    body: atomicsOfTheBlock,
    input: room,
    expected: all(4, -9 + 32),
    grid,
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "scopes/leader-releases-for-others",
    what: "A leader counts the arrivals of its lanes in one atomic of release; the lanes' stores are not ordered before it.",
    mended: "The lanes meet before the leader's atomic.",
    links: ["https://github.com/NVIDIA/libcudacxx/pull/300"],
    body: leaderReleases,
    input: room,
    expected: count(32),
    grid,
    block: [32, 1, 1],
    smem,
    eitherSide: true,
  }),
];
