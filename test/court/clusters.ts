/** Blocks of a cluster that use each other's shared memory. */
import {
  cluster,
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
} from "warpsmith";
import { input, mapOf, output } from "../cases/case.ts";
import { count } from "../cases/numbers.ts";
import { type CourtCase, kernelCase, ownWords, ptxCase } from "./court-case.ts";

const file = import.meta.filename;
const rounds = 3;
const unless = (broken: boolean, text: string): string => (broken ? "" : text);

/** `%r20`: the block's number; `%r21`: the other block's shared memory; `%p1`: block 0, `%p2`: thread 0. */
const begin = `${ownWords}
  mov.u32 %r20, %cluster_ctarank;
  xor.b32 %r22, %r20, 1;
  mapa.shared::cluster.u32 %r21, %r0, %r22;
  setp.eq.u32 %p1, %r20, 0;
  setp.eq.u32 %p2, %tid, 0;`;
const meet = `
  barrier.cluster.arrive.release.aligned;
  barrier.cluster.wait.acquire.aligned;`;
const giveOfBlock1 = `
  @!%p1 st.global.u32 [%d2], %r3;`;

const resultOfABlock = (broken: boolean): string => `${begin}
  and.pred %p3, %p1, %p2;
  @%p3 atom.relaxed.gpu.global.add.u32 %r2, [%in], 5;
  @%p3 st.shared.u32 [%r0], %r2;${meet}
  mov.u32 %r3, 0;
  @!%p1 ld.shared::cluster.u32 %r3, [%r21]; // reported: W9217
  ${unless(broken, meet)}${giveOfBlock1}`;

const arrivesAtTheEnd = (broken: boolean): string => `${begin}
  @%p2 mbarrier.init.shared::cta.b64 [%r0], 1;
  @%p2 fence.mbarrier_init.release.cluster;${meet}
  add.u32 %r3, %tid, 1;${giveOfBlock1}
  and.pred %p3, %p2, %p1;
  @!%p1 bra $over;
  @%p3 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r21]; // reported: W9217
$over:
  ${unless(broken, meet)}`;

const peerNotThere = (broken: boolean): string => `${begin}
  ${unless(broken, meet)}
  mad.lo.u32 %r4, %tid, 4, %r21;
  add.u32 %r5, %tid, 7;
  @%p1 st.shared::cluster.u32 [%r4], %r5; // reported: W9217${meet}
  mov.u32 %r3, 0;
  @!%p1 ld.shared.u32 %r3, [%r1];${giveOfBlock1}`;

/** A rank that the cluster does not have. */
const noSuchBlock = (broken: boolean): string => `${begin}
  @%p2 mbarrier.init.shared::cta.b64 [%r0], 1;
  @%p2 fence.mbarrier_init.release.cluster;${meet}
  mov.u32 %r6, ${broken ? 2 : 1};
  mapa.shared::cluster.u32 %r7, %r0, %r6;
  and.pred %p3, %p1, %p2;
  @%p3 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7]; // reported: W9116
  add.u32 %r3, %tid, 1;${giveOfBlock1}${meet}`;

/** The first block loads for both. Results go through the memory of the operand, and a block says that it is free when it has read the operand. */
const multicastOverAPeer = kernel(
  { block: 64, grid: 2, cluster: 2 },
  function multicastOverAPeer(x: TMA<"i32", 2>, out: Tensor<"i32", 3>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 64], { align: 128 });
    const bars = new Mbarriers(2);
    const [full, free] = [bars.at(0), bars.at(1)];
    const [elected, t] = [threadIdx.x === 0, threadIdx.x];
    if (elected) {
      full.init(1);
      free.init(2);
      fence.mbarrierInit();
      full.arrive({ tx: row.bytes });
    }
    cluster.sync();
    const loads = cluster.rank === 0 && elected;
    if (loads) x.load(row, full, [0, 0], { multicast: 0b11 });
    for (const r of range(rounds)) {
      full.wait(r % 2);
      const value = row.at(0, t).load();
      syncThreads();
      // The next round's bytes are expected before anybody lets them come.
      full.arrive({ tx: row.bytes, pred: elected && r + 1 < rounds });
      if (broken) free.arrive({ rank: 0, pred: elected });
      row.at(0, t).store(2 * value); // or: W9204 or W9208
      syncThreads();
      out.at(cluster.rank, r, t).store(row.at(0, 63 - t).load()); // or: W9204
      fence.proxyAsync();
      syncThreads();
      if (!broken) free.arrive({ rank: 0, pred: elected });
      if (loads && r + 1 < rounds) {
        free.wait(r % 2);
        x.load(row, full, [0, r + 1], { multicast: 0b11 }); // reported: W9204 or W9208
      }
    }
    cluster.sync();
  },
);

/** A multicast load counts its bytes at the mbarrier of every block that it goes to. */
const oneBlockExpects = kernel(
  { block: 64, grid: 2, cluster: 2 },
  function oneBlockExpects(x: TMA<"i32", 2>, out: Tensor<"i32", 2>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 64], { align: 128 });
    const full = new Mbarriers(1).at(0);
    const elected = threadIdx.x === 0;
    if (elected) {
      full.init(1);
      fence.mbarrierInit();
    }
    cluster.sync();
    full.arrive({ tx: row.bytes, pred: elected && (!broken || cluster.rank === 0) });
    cluster.sync();
    if (cluster.rank === 0 && elected) x.load(row, full, [0, 0], { multicast: 0b11 }); // or: W9215
    full.wait(false); // reported: W9001
    out.at(cluster.rank, threadIdx.x).store(row.at(0, threadIdx.x).load());
    cluster.sync();
  },
);

const grid = [2, 1, 1] as const;
const block = [32, 1, 1] as const;
const size = { grid, cluster: grid, block, smem: 256 };
const data = count(3 * 64).map((i) => 3 * i - 5);
const map = () => mapOf(input("i32", [3, 64], data), { box: [1, 64] });

export const clusterCases: readonly CourtCase[] = [
  ptxCase({
    name: "clusters/result-of-a-block",
    what: "Block 0 keeps the result of an atomic in its shared memory for the others, and may have ended when they read it.",
    mended: "A barrier of the cluster before the end.",
    links: ["https://github.com/triton-lang/triton/issues/11730", "https://github.com/facebookexperimental/triton/pull/1105"],
    body: resultOfABlock,
    input: [9, 0, 0, 0],
    expected: new Array<number>(32).fill(9),
    ...size,
  }),
  ptxCase({
    name: "clusters/arrives-at-the-end",
    what: "A block arrives at a peer's mbarrier as its last act; the peer may have ended.",
    mended: "A barrier of the cluster before the end.",
    links: ["https://github.com/sgl-project/sglang/issues/32907"],
    body: arrivesAtTheEnd,
    expected: count(32).map((t) => t + 1),
    ...size,
  }),
  ptxCase({
    name: "clusters/peer-not-there",
    what: "A block stores to a peer's shared memory before the peer need have begun.",
    mended: "A barrier of the cluster at the beginning.",
    links: ["https://github.com/facebookexperimental/triton/pull/2292"],
    body: peerNotThere,
    expected: count(32).map((t) => t + 7),
    ...size,
  }),
  ptxCase({
    name: "clusters/no-such-block",
    what: "The rank of the block that is to be told is none of the cluster's.",
    mended: "It is the rank of a block that there is.",
    links: ["https://github.com/NVIDIA/cutlass/issues/3658"],
    body: noSuchBlock,
    expected: count(32).map((t) => t + 1),
    ...size,
  }),
  kernelCase({
    name: "clusters/multicast-over-a-peer",
    what: "One block loads for both of a cluster. Results go through the memory of the operand, and the peer still uses it for them when the next copy comes.",
    mended: "A block says that the memory is free behind its results, not behind its product.",
    links: ["https://github.com/inclusionAI/humming/pull/56", "https://github.com/triton-lang/triton/pull/10863"],
    file,
    kernel: multicastOverAPeer,
    args: () => [
      map(),
      output(
        "i32",
        [2, rounds, 64],
        count(2 * rounds * 64).map((e) => 2 * (data[(((e >> 6) % rounds) << 6) + 63 - (e % 64)] ?? 0)),
      ),
    ],
    eitherSide: true,
  }),
  kernelCase({
    name: "clusters/one-block-expects",
    what: "A multicast load counts its bytes at the mbarrier of each block; only the first block expects them, and the others wait for ever.",
    mended: "Each block expects its own.",
    links: ["https://github.com/facebookexperimental/triton/pull/908"],
    file,
    kernel: oneBlockExpects,
    args: () => [
      map(),
      output(
        "i32",
        [2, 64],
        count(128).map((e) => data[e % 64] ?? 0),
      ),
    ],
    hangs: true,
  }),
];
