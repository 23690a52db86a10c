/** Tensor maps that a kernel changes. */
import {
  fence,
  kernel,
  Mbarriers,
  type Static,
  sharedMemory,
  syncThreads,
  type Tensor,
  type TMA,
  threadIdx,
  warp,
} from "warpsmith";
import { input, mapOf, output } from "../cases/case.ts";
import { count } from "../cases/numbers.ts";
import { oneBarrier } from "../hazards/parts.ts";
import { type CourtCase, kernelCase } from "./court-case.ts";

const file = import.meta.filename;

/** The next group's address goes into the map that the loads of this group still use. */
const changedInFlight = kernel(
  { block: 64, grid: 1 },
  function changedInFlight(
    map: TMA<"i32", 2>,
    x: Tensor<"i32", 2>,
    room: Tensor<"u8", 1>,
    out: Tensor<"i32", 1>,
    broken: Static<boolean>,
  ) {
    const rows = sharedMemory.alloc("i32", [2, 1, 64], { align: 128 });
    const bars = new Mbarriers(2);
    if (threadIdx.x === 0) {
      for (const group of [0, 1]) bars.at(group).init(1);
      fence.mbarrierInit();
    }
    syncThreads();
    const own = map.at(room);
    for (const group of [0, 1]) {
      if (warp.index === 1) own.replace({ address: x.subview([group, 0], [1, 64]) }); // reported: W9246
      syncThreads();
      if (threadIdx.x === 0) {
        fence.tensorMap(own);
        bars.at(group).arrive({ tx: rows.at(group).bytes });
        own.load(rows.at(group), bars.at(group), [0, 0]); // the other side
      }
      syncThreads();
      if (!broken) bars.at(group).wait(false);
    }
    for (const group of [0, 1]) bars.at(group).wait(false);
    out[threadIdx.x] = rows.at(0, 0, threadIdx.x).load() + rows.at(1, 0, threadIdx.x).load();
  },
);

const changedAndNotFenced = kernel(
  { block: 64, grid: 1 },
  function changedAndNotFenced(
    map: TMA<"i32", 2>,
    x: Tensor<"i32", 2>,
    room: Tensor<"u8", 1>,
    out: Tensor<"i32", 1>,
    broken: Static<boolean>,
  ) {
    const row = sharedMemory.alloc("i32", [1, 64], { align: 128 });
    const full = oneBarrier(1);
    const own = map.at(room);
    if (warp.index === 1) own.replace({ address: x.subview([1, 0], [1, 64]) }); // the other side
    syncThreads();
    if (threadIdx.x === 0) {
      if (!broken) fence.tensorMap(own);
      full.arrive({ tx: row.bytes });
      own.load(row, full, [0, 0]); // reported: W9223
    }
    full.wait(false);
    out[threadIdx.x] = row.at(0, threadIdx.x).load();
  },
);

const args = (expected: (c: number) => number) => () => {
  const x = input("i32", [2, 64], count(128));
  const room = input("u8", [128], new Array<number>(128).fill(0));
  return [mapOf(x, { box: [1, 64] }), x, room, output("i32", [64], count(64).map(expected))];
};

export const mapCases: readonly CourtCase[] = [
  kernelCase({
    name: "maps/changed-in-flight",
    what: "A tensor map in global memory is pointed at the next group while loads of this group still use it.",
    mended: "The loads are waited for before the map is changed.",
    links: [
      "https://github.com/deepseek-ai/DeepGEMM/pull/343",
      "https://github.com/facebookexperimental/triton/pull/680",
      "https://github.com/NVIDIA/cutlass/pull/3280",
    ],
    file,
    kernel: changedInFlight,
    args: args((c) => 2 * c + 64),
  }),
  kernelCase({
    name: "maps/changed-and-not-fenced",
    what: "A tensor map is changed by the kernel, and a load uses it with no fence of the map's proxy.",
    mended: "`fence.proxy.tensormap` by the thread that loads.",
    links: ["https://github.com/triton-lang/triton/pull/7293", "https://github.com/NVIDIA/TransformerEngine/pull/3483"],
    file,
    kernel: changedAndNotFenced,
    args: args((c) => c + 64),
  }),
];
