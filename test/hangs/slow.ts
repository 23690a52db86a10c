// Kernels whose threads wait long, and then go on: what they wait for takes as many steps as the launch says.
import {
  blockIdx,
  cluster,
  fence,
  grid,
  gridDependency,
  type i32,
  kernel,
  Mbarriers,
  namedBarrier,
  Pipeline,
  range,
  type Static,
  sharedMemory,
  syncThreads,
  syncWarp,
  type Tensor,
  threadIdx,
  warp,
} from "warpsmith";
import { type Case, defineCase, output } from "../cases/case.ts";

/** Steps that depend on each other; gives what nobody can know before. */
function work(steps: number, from: number): number {
  "use kernel";
  let x = from;
  for (const _ of range(steps)) x = Math.imul(x, 1_664_525) ^ (x >>> 7);
  return x;
}

const workOf = (steps: number, from: number): number => {
  let x = from;
  for (let i = 0; i < steps; i++) x = Math.imul(x, 1_664_525) ^ (x >>> 7);
  return x;
};

const producer = kernel({ block: 64, grid: 2 }, function producer(steps: i32, out: Tensor<"i32", 1>) {
  const cell = sharedMemory.alloc("i32", [1]);
  const ready = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    ready.init(1);
    fence.mbarrierInit();
  }
  syncThreads();
  if (warp.index === 0) {
    if (warp.lane === 0) {
      cell[0] = work(steps, 1);
      ready.arrive();
    }
  } else {
    ready.wait(false);
    out[32 * blockIdx.x + warp.lane] = cell[0]!;
  }
});

const warpOfABarrier = kernel({ block: 128, grid: 1 }, function warpOfABarrier(steps: i32, out: Tensor<"i32", 1>) {
  const cells = sharedMemory.alloc("i32", [2]);
  if (threadIdx.x === 0) cells[0] = work(steps, 2);
  if (warp.index < 2) namedBarrier(2, 64).sync();
  if (threadIdx.x === 32) cells[1] = work(steps, cells[0]!);
  syncThreads();
  out[threadIdx.x] = cells[1]!;
});

const peer = kernel({ block: 32, grid: 4, cluster: 2 }, function peer(steps: i32, out: Tensor<"i32", 1>) {
  const cell = sharedMemory.alloc("i32", [1]);
  const ready = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    ready.init(1);
    fence.mbarrierInit();
  }
  cluster.sync();
  if (cluster.rank === 1) {
    if (threadIdx.x === 0) {
      cluster.map(cell, 0)[0] = work(steps, 3);
      ready.arrive({ rank: 0 });
    }
  } else {
    ready.wait(false);
    out[32 * cluster.index.x + threadIdx.x] = cell[0]!;
  }
  cluster.sync();
});

const lock = kernel({ block: 32, grid: 6 }, function lock(steps: i32, taken: Tensor<"u32", 1>, total: Tensor<"i32", 1>) {
  if (threadIdx.x !== 0) return;
  while (taken.at(0).compareAndSwap(0, 1, { order: "acquire" }) !== 0) {}
  total[0] = work(steps, total[0]!);
  taken.at(0).storeRelease(0);
});

const flag = kernel(
  { block: 32, grid: 4, cooperative: true },
  function flag(steps: i32, flags: Tensor<"u32", 1>, out: Tensor<"i32", 1>) {
    if (threadIdx.x === 0) {
      if (blockIdx.x > 0) while (flags.at(blockIdx.x).loadAcquire() === 0) {}
      out[blockIdx.x + 1] = work(steps, out[blockIdx.x]!);
      flags.at(blockIdx.x + 1).storeRelease(1);
    }
    grid.sync();
    out[5] = out[4]!;
  },
);

const primary = kernel({ block: 32, grid: 2 }, function primary(steps: i32, out: Tensor<"i32", 1>, second: Static<boolean>) {
  if (second) gridDependency.wait();
  else gridDependency.launchDependents();
  if (threadIdx.x === 0) out[blockIdx.x] = work(steps, out[blockIdx.x]!);
});

const tiles = kernel({ block: 64, grid: 1 }, function tiles(count: Static<number>, steps: i32, out: Tensor<"i32", 1>) {
  const cells = sharedMemory.alloc("i32", [2]);
  const ring = new Pipeline({ stages: 2 });
  ring.init();
  if (warp.index === 0) {
    let put = ring.producer();
    let x = 4;
    if (warp.lane === 0)
      for (const _ of range(count)) {
        x = work(steps, x);
        put.wait();
        cells[put.index] = x;
        put.commit();
        put = put.next();
      }
  } else {
    let get = ring.consumer();
    for (const _ of range(count)) {
      get.wait();
      const x = cells[get.index]!;
      syncWarp();
      get.release({ pred: warp.lane === 0 });
      get = get.next();
      out[warp.lane] = x;
    }
  }
});

const again = (times: number, steps: number, from: number): number => {
  let x = from;
  for (let i = 0; i < times; i++) x = workOf(steps, x);
  return x;
};

/** `steps`: how many each wait takes. On an H200 forty million of them take 0.3 s. */
export const slowCases = (steps: number): readonly Case[] => [
  defineCase("slow/producer", producer, () => ({ args: [steps, output("i32", [64], new Array(64).fill(workOf(steps, 1)))] })),
  defineCase("slow/warp-of-a-barrier", warpOfABarrier, () => ({
    args: [steps, output("i32", [128], new Array(128).fill(again(2, steps, 2)))],
  })),
  defineCase("slow/peer", peer, () => ({ args: [steps, output("i32", [64], new Array(64).fill(workOf(steps, 3)))] })),
  defineCase("slow/lock", lock, () => ({
    args: [steps, output("u32", [1], [0], { initial: [0] }), output("i32", [1], [again(6, steps, 5)], { initial: [5] })],
  })),
  defineCase("slow/flag", flag, () => {
    const each = [0, 1, 2, 3, 4].map((times) => again(times, steps, 6));
    return {
      args: [
        steps,
        output("u32", [5], [0, 1, 1, 1, 1], { initial: [0, 0, 0, 0, 0] }),
        output("i32", [6], [...each, each[4] ?? 0], { initial: [6, 0, 0, 0, 0, 0] }),
      ],
    };
  }),
  defineCase("slow/primary", primary, () => {
    const out = output("i32", [2], [again(2, steps, 7), again(2, steps, 8)], { initial: [7, 8] });
    const then = [{ config: { overlapPrevious: true }, args: [steps, out, true] }];
    return { args: [steps, out, false], then };
  }),
  // Longer than any of its waits.
  defineCase("slow/tiles", tiles, () => ({ args: [8, steps, output("i32", [32], new Array(32).fill(again(8, steps, 4)))] })),
];
