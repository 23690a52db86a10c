/** Tensor maps that a kernel changes by `replace`. */
import { fence, kernel, type Static, sharedMemory, syncThreads, type Tensor, type TMA, threadIdx, warp } from "warpsmith";
import { input, mapOf, output } from "../cases/case.ts";
import { type Hazard, kernelHazard } from "./hazard.ts";
import { count, oneBarrier } from "./parts.ts";

const file = import.meta.filename;

/** The thread that loads through the map has not fenced it. */
const notFenced = kernel(
  { block: 64, grid: 1 },
  function notFenced(
    map: TMA<"i32", 2>,
    x: Tensor<"i32", 2>,
    room: Tensor<"u8", 1>,
    out: Tensor<"i32", 1>,
    broken: Static<boolean>,
  ) {
    const row = sharedMemory.alloc("i32", [1, 64], { align: 128 });
    const bar = oneBarrier(1);
    const own = map.at(room);
    if (warp.index === 1) own.replace({ address: x.subview([1, 0], [1, 64]) }); // the other side
    syncThreads();
    if (threadIdx.x === 0) {
      if (!broken) fence.tensorMap(own);
      bar.arrive({ tx: row.bytes });
      own.load(row, bar, [0, 0]); // reported: W9223
    }
    bar.wait(false);
    out[threadIdx.x] = row.at(0, threadIdx.x).load();
  },
);

/** The map is pointed elsewhere while a load by it is under way (DeepGEMM 343). */
const underWay = kernel(
  { block: 64, grid: 1 },
  function underWay(
    map: TMA<"i32", 2>,
    x: Tensor<"i32", 2>,
    room: Tensor<"u8", 1>,
    out: Tensor<"i32", 1>,
    broken: Static<boolean>,
  ) {
    const row = sharedMemory.alloc("i32", [1, 64], { align: 128 });
    const bar = oneBarrier(1);
    const own = map.at(room);
    if (warp.index === 1) own.replace({ address: x.subview([1, 0], [1, 64]) });
    syncThreads();
    if (threadIdx.x === 0) {
      fence.tensorMap(own);
      bar.arrive({ tx: row.bytes });
      own.load(row, bar, [0, 0]); // the other side
    }
    syncThreads();
    if (!broken) bar.wait(false);
    if (warp.index === 1) own.replace({ address: x.subview([0, 0], [1, 64]) }); // reported: W9246
    bar.wait(false);
    out[threadIdx.x] = row.at(0, threadIdx.x).load();
  },
);

/** The same by a store, as code does that writes whole maps. */
const storedOver = kernel(
  { block: 64, grid: 1 },
  function storedOver(
    map: TMA<"i32", 2>,
    x: Tensor<"i32", 2>,
    room: Tensor<"u8", 1>,
    out: Tensor<"i32", 1>,
    broken: Static<boolean>,
  ) {
    const row = sharedMemory.alloc("i32", [1, 64], { align: 128 });
    const bar = oneBarrier(1);
    const own = map.at(room);
    if (warp.index === 1) own.replace({ address: x.subview([1, 0], [1, 64]) });
    syncThreads();
    if (threadIdx.x === 0) {
      fence.tensorMap(own);
      bar.arrive({ tx: row.bytes });
      own.load(row, bar, [0, 0]); // the other side
    }
    syncThreads();
    if (!broken) bar.wait(false);
    if (threadIdx.x === 32) room.at(0).store(0); // reported: W9246
    bar.wait(false);
    out[threadIdx.x] = row.at(0, threadIdx.x).load();
  },
);

const args = () => {
  const x = input("i32", [2, 64], count(128));
  return [
    mapOf(x, { box: [1, 64] }),
    x,
    input("u8", [128], count(128).fill(0)),
    output(
      "i32",
      [64],
      count(64).map((i) => 64 + i),
    ),
  ];
};

export const changedMaps: readonly Hazard[] = [
  kernelHazard({ name: "changed-maps/not-fenced", classes: [32], file, kernel: notFenced, args }),
  kernelHazard({ name: "changed-maps/under-way", classes: [32], file, kernel: underWay, args }),
  kernelHazard({ name: "changed-maps/stored-over", classes: [32], file, kernel: storedOver, args }),
];
