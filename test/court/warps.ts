/** Lanes of a warp that rely on running in step, and masks of lanes that do not come. */
import { kernel, ptx, range, type Static, sharedMemory, syncWarp, type Tensor, threadIdx, WMMAMatrix, warp } from "warpsmith";
import { input, output } from "../cases/case.ts";
import { count } from "../cases/numbers.ts";
import { type CourtCase, kernelCase, ownWords, ptxCase } from "./court-case.ts";

const file = import.meta.filename;
const full = "0xffffffff";
const meet = `bar.warp.sync ${full};`;
const unless = (broken: boolean, text: string): string => (broken ? "" : text);

/** `volatile` keeps the compiler from holding words in registers, and keeps no lane waiting for another. */
const volatileSum = kernel(
  { block: 32, grid: 1 },
  function volatileSum(x: Tensor<"i32", 1>, y: Tensor<"i32", 1>, broken: Static<boolean>) {
    const t = threadIdx.x;
    const sums = sharedMemory.alloc("i32", [64]);
    sums[t] = x[t]!;
    sums[t + 32] = 0;
    syncWarp();
    for (const by of [16, 8, 4, 2, 1]) {
      const own = ptx("ld.volatile.shared.s32 $0, [$1];", { out: "i32" }, sums.at(t));
      const other = ptx("ld.volatile.shared.s32 $0, [$1];", { out: "i32" }, sums.at(t + by)); // the other side
      if (!broken) syncWarp();
      ptx("st.volatile.shared.s32 [$0], $1;", {}, sums.at(t), own + other); // reported in strict: W9201
      if (!broken) syncWarp();
    }
    if (t === 0) y[0] = sums[0]!;
  },
);

const plainSum = (broken: boolean): string => `${ownWords}
  st.shared.u32 [%r1], %tid;
  st.shared.u32 [%r1+128], 0;
  ${meet}
  mov.u32 %r2, 16;
$half:
  ld.shared.u32 %r3, [%r1];
  mad.lo.u32 %r4, %r2, 4, %r1;
  ld.shared.u32 %r5, [%r4]; // the other side
  add.u32 %r3, %r3, %r5;
  ${unless(broken, meet)}
  st.shared.u32 [%r1], %r3; // reported: W9201
  ${unless(broken, meet)}
  shr.u32 %r2, %r2, 1;
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra $half;
  setp.eq.u32 %p2, %tid, 0;
  @%p2 st.global.u32 [%out], %r3;`;

const oneUpdatesAllRead = (broken: boolean): string => `${ownWords}
  setp.eq.u32 %p1, %tid, 0;
  @%p1 st.shared.u32 [%r0], 1;
  ${meet}
  @%p1 st.shared.u32 [%r0], 7; // the other side
  ${unless(broken, meet)}
  ld.shared.u32 %r3, [%r0]; // reported: W9201
  st.global.u32 [%d2], %r3;`;

const laneStoresWhatItRead = (broken: boolean): string => `${ownWords}
  setp.eq.u32 %p1, %tid, 0;
  @%p1 st.shared.u32 [%r0], 9;
  ${meet}
  ld.shared.u32 %r3, [%r0]; // the other side
  setp.ne.u32 %p2, %tid, 0;
  ${broken ? "" : "@%p2 "}st.shared.u32 [%r1], %r3; // reported: W9201
  ld.shared.u32 %r4, [%r1];
  st.global.u32 [%d2], %r4;`;

const partialsOverwritten = (broken: boolean): string => `${ownWords}
  st.shared.u32 [%r1], %tid;
  bar.sync 0;
  setp.ge.u32 %p1, %tid, 2;
  @%p1 bra $join;
  mad.lo.u32 %r2, %tid, 128, %r0;
  mov.u32 %r3, 0;
  mov.u32 %r4, 0;
$next:
  ld.shared.u32 %r5, [%r2]; // the other side
  add.u32 %r3, %r3, %r5;
  add.u32 %r2, %r2, 4;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p2, %r4, 32;
  @%p2 bra $next;
  ${unless(broken, "bar.warp.sync 3;")}
  st.shared.u32 [%r1], %r3; // reported: W9201
$join:
  bar.sync 0;
  and.b32 %r6, %tid, 1;
  mad.lo.u32 %r6, %r6, 4, %r0;
  ld.shared.u32 %r7, [%r6];
  st.global.u32 [%d2], %r7;`;

const winnerWrites = (broken: boolean): string => `${ownWords}
  setp.eq.u32 %p1, %tid, 5;
  @%p1 st.global.u32 [%out], 77; // the other side
  ${unless(broken, meet)}
  setp.eq.u32 %p2, %tid, 0;
  @!%p2 bra $end;
  ld.global.u32 %r3, [%out]; // reported: W9201
  st.global.u32 [%out+4], %r3;
$end:`;

/** A matrix of a warp is stored, and each lane reads what others have stored. */
const wmmaStored = kernel(
  { block: 32, grid: 1 },
  function wmmaStored(a: Tensor<"f16", 2>, y: Tensor<"f32", 1>, broken: Static<boolean>) {
    const t = threadIdx.x;
    const tile = sharedMemory.alloc("f16", [16, 16]);
    const sums = sharedMemory.alloc("f32", [16, 16]);
    for (const e of range(t, 256, 32)) tile.at(e >> 4, e & 15).store(a.at(e >> 4, e & 15).load());
    syncWarp();
    let D = WMMAMatrix.accumulator("f32", [16, 16, 16]);
    D = D.mma(WMMAMatrix.load("a", tile), WMMAMatrix.load("b", tile));
    D.store(sums); // the other side
    if (!broken) syncWarp();
    for (const e of range(t, 256, 32)) y[e] = sums.at(e >> 4, e & 15).load(); // reported in strict: W9201
  },
);

/** Between the loop that writes and the loop that reads there is only a sum of the warp. */
const sumBetweenLoops = kernel(
  { block: 32, grid: 1 },
  function sumBetweenLoops(x: Tensor<"i32", 1>, y: Tensor<"i32", 1>, broken: Static<boolean>) {
    const t = threadIdx.x;
    const kept = sharedMemory.alloc("i32", [32]);
    kept.at(t).store(x[t]!); // the other side
    const sum = warp.sum(x[t]!);
    if (!broken) syncWarp();
    y[t] = sum + kept.at(31 - t).load(); // reported in strict: W9201
  },
);

const maskOfAnotherGroup = (broken: boolean): string => `${ownWords}
  ${broken ? "and.b32 %r2, %tid, 3;" : "shr.u32 %r2, %tid, 3;"}
  shl.b32 %r2, %r2, 3;
  mov.u32 %r3, 0xff;
  shl.b32 %r3, %r3, %r2;
  st.shared.u32 [%r1], %tid;
  bar.warp.sync %r3; // reported: W9245
  xor.b32 %r4, %tid, 7;
  mad.lo.u32 %r4, %r4, 4, %r0;
  ld.shared.u32 %r5, [%r4]; // or: W9201
  st.global.u32 [%d2], %r5;`;

const callerOutsideItsMask = (broken: boolean): string => `${ownWords}
  setp.lt.u32 %p1, %tid, 16;
  vote.sync.ballot.b32 %r2, %p1, ${full};
  ${broken ? "" : `mov.u32 %r2, ${full};`}
  shfl.sync.down.b32 %r3, %tid, 8, 31, %r2; // reported: W9245
  selp.u32 %r3, %r3, %tid, %p1;
  st.global.u32 [%d2], %r3;`;

const fullMaskInABranch = (broken: boolean): string => `${ownWords}
  setp.lt.u32 %p1, %tid, 10;
  mov.u32 %r3, 0;
  @!%p1 bra $join;
  vote.sync.ballot.b32 %r3, 1, ${broken ? full : "0x3ff"}; // reported: W9001 or W9224
$join:
  ${meet} // or: W9001 or W9224
  st.global.u32 [%d2], %r3;`;

const lastRound = (broken: boolean): string => `${ownWords}
  mov.u32 %r2, %tid;
  mov.u32 %r4, 0;
$round:
  setp.ge.u32 %p1, %r2, ${broken ? 40 : 64};
  @%p1 bra $over;
  shfl.sync.up.b32 %r3, %r2, 1, 0, ${full}; // reported: W9001 or W9224
  setp.lt.u32 %p2, %r2, 40;
  @%p2 add.u32 %r4, %r4, %r3;
  add.u32 %r2, %r2, 32;
  bra $round;
$over:
  bar.sync 0; // or: W9001 or W9003 or W9224
  st.global.u32 [%d2], %r4;`;

const signs = (t: number): number => -5 - t;
const laneThatDoesNotCome = (broken: boolean): string => `${ownWords}
  ld.global.s32 %r2, [%d1];
  setp.ge.u32 %p1, %tid, 11;
  @%p1 bra $over;
  mov.u32 %r9, 16;
$half:
  shfl.sync.down.b32 %r3|%p3, %r2, %r9, 31, 0x7ff; // reported: W9240
  ${broken ? "" : "add.u32 %r5, %tid, %r9; setp.lt.u32 %p4, %r5, 11; selp.s32 %r3, %r3, %r2, %p4;"}
  max.s32 %r2, %r2, %r3;
  shr.u32 %r9, %r9, 1;
  setp.ne.u32 %p2, %r9, 0;
  @%p2 bra $half;
  setp.eq.u32 %p5, %tid, 0;
  @%p5 st.global.u32 [%out], %r2;
$over:`;

const lanesTheBlockLacks = (broken: boolean): string => `${ownWords}
  ld.global.s32 %r2, [%d1];
  mov.u32 %r9, 16;
$half:
  shfl.sync.down.b32 %r3, %r2, %r9, 31, ${broken ? full : "0xfffff"}; // reported: W9240
  ${broken ? "" : "add.u32 %r5, %tid, %r9; setp.lt.u32 %p4, %r5, 20; selp.s32 %r3, %r3, %r2, %p4;"}
  max.s32 %r2, %r2, %r3;
  shr.u32 %r9, %r9, 1;
  setp.ne.u32 %p2, %r9, 0;
  @%p2 bra $half;
  setp.eq.u32 %p5, %tid, 0;
  @%p5 st.global.u32 [%out], %r2;`;

const oneLaneAsksOthers = (broken: boolean): string => `${ownWords}
  mov.u32 %r3, 0;
  setp.ne.u32 %p1, %tid, 0;
  @%p1 bra $over;
  shfl.sync.down.b32 %r3, %tid, ${broken ? 16 : 0}, 31, 1; // reported: W9240
  add.u32 %r3, %r3, 3;
  st.global.u32 [%d2], %r3;
$over:`;

const block = [32, 1, 1] as const;
const smem = 512;
const numbers = count(32).map((i) => (i * 7) % 11);
const total = numbers.reduce((a, b) => a + b, 0);
const halves = count(256).map((e) => (e % 5) - 2);
const product = count(256).map((e) =>
  count(16).reduce((sum, k) => sum + (halves[(e >> 4) * 16 + k] ?? 0) * (halves[k * 16 + (e & 15)] ?? 0), 0),
);

export const warpCases: readonly CourtCase[] = [
  kernelCase({
    name: "warps/volatile-sum",
    what: "A sum of a warp through `volatile` shared memory, without a barrier of the warp between the steps.",
    mended: "`__syncwarp()` between the loads and the stores of each step, and behind the stores.",
    links: [
      "https://github.com/ORNL/HeCBench/issues/91",
      "https://github.com/CanReader/FastNN/issues/8",
      "https://github.com/Mantevo/miniFE/issues/13",
    ],
    file,
    kernel: volatileSum,
    args: () => [input("i32", [32], numbers), output("i32", [1], [total])],
  }),
  ptxCase({
    name: "warps/plain-sum",
    what: "A sum of a warp through shared memory by ordinary loads and stores, without a barrier of the warp between the steps.",
    mended: "`__syncwarp()` between the loads and the stores of each step, and behind the stores.",
    links: [
      "https://github.com/arthurxlw/cytonRL/issues/3",
      "https://github.com/kaldi-asr/kaldi/pull/3211",
      "https://github.com/gunrock/gunrock/pull/845",
    ],
    body: plainSum,
    expected: [496],
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "warps/one-updates-all-read",
    what: "One lane updates a word, and all lanes of its warp read it at once.",
    mended: "`__syncwarp()` before the loads.",
    links: ["https://github.com/kokkos/kokkos/pull/6630"],
    body: oneUpdatesAllRead,
    expected: new Array<number>(32).fill(7),
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "warps/lane-stores-what-it-read",
    what: "Every lane copies word 0 to its own word: lane 0 stores to word 0 while the others read it. The value is the same.",
    mended: "Lane 0 stores nothing.",
    links: ["https://github.com/kokkos/kokkos/pull/4855"],
    body: laneStoresWhatItRead,
    expected: new Array<number>(32).fill(9),
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "warps/partials-overwritten",
    what: "The first lanes add up the partial sums of one warp each, and store the results into the words that other lanes still read.",
    mended: "`__syncwarp()` with the mask of those lanes before the stores.",
    links: ["https://github.com/pytorch/pytorch/pull/20182"],
    body: partialsOverwritten,
    expected: count(64).map((t) => (t % 2 === 0 ? 496 : 496 + 1024)),
    block: [64, 1, 1],
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "warps/winner-writes",
    what: "The lane that wins writes to global memory, and lane 0 reads it with nothing between.",
    mended: "`__syncwarp()` between the store and the load.",
    links: ["https://github.com/sgl-project/sglang/pull/11183"],
    body: winnerWrites,
    expected: [77, 77],
    block,
    smem,
    eitherSide: true,
  }),
  kernelCase({
    name: "warps/wmma-stored",
    what: "`wmma::store_matrix_sync` writes a matrix to shared memory, and each lane reads what other lanes have stored.",
    mended: "`__syncwarp()` behind the store.",
    links: ["https://github.com/JustVugg/colibri/issues/1099"],
    file,
    kernel: wmmaStored,
    args: () => [input("f16", [16, 16], halves), output("f32", [256], product)],
    eitherSide: true,
  }),
  kernelCase({
    name: "warps/sum-between-loops",
    what: "One loop writes to shared memory, the next reads what other lanes wrote; between them is only a reduction of the warp.",
    mended: "`__syncwarp()` between the two.",
    links: ["https://github.com/ggml-org/llama.cpp/pull/28475"],
    file,
    kernel: sumBetweenLoops,
    args: () => [
      input("i32", [32], numbers),
      output(
        "i32",
        [32],
        numbers.toReversed().map((x) => x + total),
      ),
    ],
    eitherSide: true,
  }),
  ptxCase({
    name: "warps/mask-of-another-group",
    what: "Groups of 8 lanes wait by a mask that is shifted by the wrong amount: a lane waits by the mask of another group.",
    mended: "The shift is (lane / width) × width.",
    links: ["https://github.com/kokkos/kokkos/issues/1958"],
    body: maskOfAnotherGroup,
    expected: count(32).map((t) => t ^ 7),
    block,
    smem,
    hangs: true,
  }),
  ptxCase({
    name: "warps/caller-outside-its-mask",
    what: "All lanes run `__shfl_down_sync` with a mask that names half of them.",
    mended: "The mask names all lanes that call.",
    links: ["https://github.com/arrayfire/arrayfire/pull/3576"],
    body: callerOutsideItsMask,
    expected: count(32).map((t) => (t < 16 ? t + 8 : t)),
    block,
    smem,
    hangs: true,
  }),
  ptxCase({
    name: "warps/full-mask-in-a-branch",
    what: "`__ballot_sync` with the mask of all lanes in a branch that some lanes do not take.",
    mended: "The mask names the lanes that take the branch.",
    links: [
      "https://github.com/ComputationalRadiationPhysics/picongpu/pull/2600",
      "https://github.com/uzh-rpg/vilib/pull/5",
      "https://github.com/gunrock/mini/issues/5",
    ],
    body: fullMaskInABranch,
    expected: count(32).map((t) => (t < 10 ? 0x3ff : 0)),
    block,
    smem,
    hangs: true,
  }),
  ptxCase({
    name: "warps/last-round",
    what: "A loop with a shuffle of the whole warp strides over 40 elements: only 8 lanes come to the last round.",
    mended: "The number of iterations is the same for all lanes; those beyond the end keep their sums.",
    links: ["https://github.com/cms-sw/cmssw/pull/43811"],
    body: lastRound,
    expected: count(32).map((t) => {
      const before = (lane: number, base: number) => base + (lane === 0 ? 0 : lane - 1);
      return before(t, 0) + (t < 8 ? before(t, 32) : 0);
    }),
    block,
    smem,
    hangs: true,
  }),
  ptxCase({
    name: "warps/lane-that-does-not-come",
    what: "11 lanes take their maximum by `__shfl_down_sync`, which reads lanes that are not in the mask: zeros in practice, more than any negative number.",
    mended: "What comes from beyond the last lane is not used.",
    links: ["https://github.com/apache/tvm/issues/12274"],
    body: laneThatDoesNotCome,
    input: count(32).map(signs),
    expected: [signs(0)],
    block,
    smem,
  }),
  ptxCase({
    name: "warps/lanes-the-block-lacks",
    what: "A block of 20 threads takes its maximum with a mask of 32 lanes, and reads lanes that it does not have.",
    mended: "The mask names the threads that there are, and what comes from beyond them is not used.",
    links: ["https://github.com/PaddlePaddle/CINN/pull/938", "https://github.com/m0at/rvllm/pull/1"],
    body: lanesTheBlockLacks,
    input: count(32).map(signs),
    expected: [signs(0)],
    block: [20, 1, 1],
    smem,
  }),
  ptxCase({
    name: "warps/one-lane-asks-others",
    what: "Lane 0 alone, with a mask of itself, takes the values of lanes that are not there.",
    mended: "It takes none.",
    links: ["https://github.com/NVIDIA/cuda-samples/issues/398"],
    body: oneLaneAsksOthers,
    expected: [3],
    block,
    smem,
  }),
];
