/** Memory that threads use, and then copies and products of the asynchronous proxy, or the other way round. */
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
  tma,
  WGMMAMatrix,
} from "warpsmith";
import { input, mapOf, output } from "../cases/case.ts";
import { count } from "../cases/numbers.ts";
import { oneBarrier, small, squares } from "../hazards/parts.ts";
import { type CourtCase, kernelCase } from "./court-case.ts";

const file = import.meta.filename;

const storeBehindStores = kernel({ block: 64, grid: 1 }, function storeBehindStores(to: TMA<"i32", 2>, broken: Static<boolean>) {
  const row = sharedMemory.alloc("i32", [1, 64], { align: 128 });
  row.at(0, threadIdx.x).store(threadIdx.x + 3); // the other side
  if (!broken) fence.proxyAsync();
  syncThreads();
  if (threadIdx.x === 0) {
    to.store(row, [0, 0]); // reported: W9202
    tma.commit();
    tma.wait(0);
  }
});

/** The fence stands in the loop over the steps of a sequence, and an empty one has none. */
const emptySequence = kernel(
  { block: 64, grid: 1 },
  function emptySequence(state: TMA<"i32", 2>, lengths: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 64], { align: 128 });
    row.at(0, threadIdx.x).store(0); // the other side
    if (!broken) fence.proxyAsync();
    for (const step of range(lengths.at(0).load())) {
      row.at(0, threadIdx.x).store(step);
      fence.proxyAsync();
    }
    syncThreads();
    if (threadIdx.x === 0) {
      state.store(row, [0, 0]); // reported: W9202
      tma.commit();
      tma.wait(0);
    }
  },
);

const barrierNotFenced = kernel(
  { block: 64, grid: 1 },
  function barrierNotFenced(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 64], { align: 128 });
    const full = new Mbarriers(1).at(0);
    if (threadIdx.x === 0) {
      full.init(1);
      if (!broken) fence.mbarrierInit();
    }
    syncThreads();
    if (threadIdx.x === 0) {
      full.arrive({ tx: row.bytes });
      x.load(row, full, [0, 0]); // reported in strict: W9212
    }
    full.wait(false);
    out[threadIdx.x] = row.at(0, threadIdx.x).load();
  },
);

const readThenLoaded = kernel(
  { block: 64, grid: 1 },
  function readThenLoaded(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 64], { align: 128 });
    const full = oneBarrier(1);
    let sum = 0;
    let parity = false;
    for (const r of range(2)) {
      if (threadIdx.x === 0) {
        full.arrive({ tx: row.bytes });
        x.load(row, full, [0, r]); // reported in strict: W9203
      }
      full.wait(parity);
      sum += row.at(0, threadIdx.x).load(); // the other side
      if (!broken) fence.proxyAsync({ space: "shared::cta" });
      syncThreads();
      parity = !parity;
    }
    out[threadIdx.x] = sum;
  },
);

const storedOperand = kernel(
  { block: 128, grid: 1 },
  function storedOperand(a: Tensor<"f16", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
    for (const e of range(threadIdx.x, 4096, 128)) {
      tile.at(e >> 6, e & 63).store(a.at(e >> 6, e & 63).load()); // the other side
    }
    if (!broken) fence.proxyAsync({ space: "shared::cta" });
    syncThreads();
    let D = WGMMAMatrix.accumulator("f32", [64, 64]);
    const A = WGMMAMatrix.descriptor(tile, [64, 64]);
    D = D.mma(A, WGMMAMatrix.descriptor(tile.transpose(), [64, 64]), { wait: 0 }); // reported: W9202
    D.store(d);
  },
);

/** The whole operand is read, of which each warp has written its own rows. */
const operandOfOtherWarps = kernel(
  { block: 128, grid: 1 },
  function operandOfOtherWarps(a: Tensor<"f16", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
    for (const e of range(threadIdx.x, 4096, 128)) {
      tile.at(e >> 6, e & 63).store(a.at(e >> 6, e & 63).load()); // the other side
    }
    fence.proxyAsync({ space: "shared::cta" });
    if (!broken) syncThreads();
    let D = WGMMAMatrix.accumulator("f32", [64, 64]);
    const A = WGMMAMatrix.descriptor(tile, [64, 64]);
    D = D.mma(A, WGMMAMatrix.descriptor(tile.transpose(), [64, 64]), { wait: 0 }); // reported: W9201 or W9202 or W9209
    D.store(d);
  },
);

const options = { box: [1, 64] } as const;
const to = (expected: readonly number[]) => mapOf(output("i32", [1, 64], expected), options);
const data = count(128).map((i) => 7 * i - 3);
const row = () => mapOf(input("i32", [2, 64], data), options);
const first = data.slice(0, 64);
const both = first.map((x, c) => x + (data[64 + c] ?? 0));
const square = () => [input("f16", [64, 64], small(4096)), output("f32", [64, 64], squares(small(4096)))];

export const asyncProxyCases: readonly CourtCase[] = [
  kernelCase({
    name: "async-proxy/store-behind-stores",
    what: "Threads write a tile and meet at a barrier; one stores it by TMA. A barrier orders threads, not the asynchronous proxy behind ordinary stores.",
    mended: "Each thread has `fence.proxy.async` before the barrier.",
    links: [
      "https://github.com/NVIDIA/Fuser/pull/1967",
      "https://github.com/NVIDIA/Fuser/issues/4814",
      "https://github.com/NVIDIA/cudnn-frontend/pull/784",
    ],
    file,
    kernel: storeBehindStores,
    args: () => [to(count(64).map((t) => t + 3))],
  }),
  kernelCase({
    name: "async-proxy/empty-sequence",
    what: "The fence stands in the loop over the steps of a sequence; of an empty one the cleared state is stored by TMA without any.",
    mended: "A fence behind the clearing.",
    links: ["https://github.com/MoonshotAI/FlashKDA/issues/24"],
    file,
    kernel: emptySequence,
    args: () => [to(new Array<number>(64).fill(0)), input("i32", [1], [0])],
  }),
  kernelCase({
    name: "async-proxy/barrier-not-fenced",
    what: "An mbarrier is initialised and used by a TMA load; a barrier of the block is between, and no fence of the initialisation.",
    mended: "`fence.mbarrier_init` behind the initialisation.",
    links: ["https://github.com/MoonshotAI/FlashKDA/issues/24"],
    file,
    kernel: barrierNotFenced,
    args: () => [row(), output("i32", [64], first)],
  }),
  kernelCase({
    name: "async-proxy/read-then-loaded",
    what: "Threads read a stage by ordinary loads, and the next TMA load writes it: nothing orders the two proxies.",
    mended: "`fence.proxy.async` behind the loads.",
    links: [
      "https://github.com/deepseek-ai/DeepEP/pull/642",
      "https://github.com/deepseek-ai/DeepGEMM/pull/389",
      "https://github.com/NVIDIA/TransformerEngine/pull/2695",
    ],
    file,
    kernel: readThenLoaded,
    args: () => [row(), output("i32", [64], both)],
  }),
  kernelCase({
    name: "async-proxy/stored-operand",
    what: "An operand of wgmma is written by ordinary stores, and a barrier is between, but no fence of the proxy.",
    mended: "`fence.proxy.async` before the barrier.",
    links: ["https://github.com/tile-ai/tilelang/issues/2634"],
    file,
    kernel: storedOperand,
    args: square,
  }),
  kernelCase({
    name: "async-proxy/operand-of-other-warps",
    what: "The warps write their rows of an operand, and multiply at once: each product reads the rows of all.",
    mended: "A barrier of the warpgroup behind the fence.",
    links: ["https://github.com/pengcuo/FlashMLA-ETAP/pull/3"],
    file,
    kernel: operandOfOtherWarps,
    args: square,
    eitherSide: true,
  }),
];
