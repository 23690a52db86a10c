import type { i32, Static, Tensor } from "warpsmith";
import {
  fence,
  kernel,
  Mbarriers,
  namedBarrier,
  range,
  sharedMemory,
  syncThreads,
  syncWarp,
  threadIdx,
  warpgroup,
} from "warpsmith";
import { type Case, defineCase, output } from "./case.ts";
import { count } from "./numbers.ts";

/** Threads hand a number round, phase by phase. */
const phases = kernel({ block: 128, grid: 1 }, function phases(out: Tensor<"i32", 1>, turns: Static<number>) {
  const cells = sharedMemory.alloc("i32", [2, 128]);
  const bars = new Mbarriers(1);
  const t = threadIdx.x;
  if (t === 0) {
    bars.at(0).init(128);
    fence.mbarrierInit();
  }
  cells[0]![t] = t;
  syncThreads();
  let parity = false;
  for (const k of range(turns)) {
    cells[(k + 1) % 2]![t] = cells[k % 2]![(t + 1) % 128]! + 1;
    bars.at(0).arrive();
    bars.at(0).wait(parity);
    parity = !parity;
  }
  out[t] = cells[turns % 2]![t]!;
});

/** Warp 0 arrives 32 times, the rest try until they see it. */
const tries = kernel({ block: 128, grid: 1 }, function tries(out: Tensor<"i32", 1>) {
  const value = sharedMemory.alloc("i32", [32]);
  const bar = new Mbarriers(2).at(1);
  const t = threadIdx.x;
  if (t === 64) {
    bar.init(64);
    fence.mbarrierInit();
  }
  syncThreads();
  if (t < 32) {
    value[t] = t * 3;
    bar.arrive({ count: 2 });
    out[t] = t;
  } else {
    let done = bar.tryWait(0);
    while (!done) done = bar.tryWait(0);
    out[t] = value[t % 32]! + (bar.testWait(false) ? 1000 : 0) + (bar.testWait(true) ? 100 : 200);
  }
  syncThreads();
  if (t === 0) bar.invalidate();
});

/** A predicate decides who arrives; bytes may be expected apart from arriving. */
const predicated = kernel({ block: 64, grid: 1 }, function predicated(out: Tensor<"i32", 1>) {
  const bar = new Mbarriers().at(0);
  const cell = sharedMemory.alloc("i32", [1]);
  const t = threadIdx.x;
  if (t === 0) {
    bar.init(16);
    fence.mbarrierInit();
    cell[0] = 0;
  }
  syncThreads();
  cell.at(0).atomic("add", 1);
  bar.arrive({ pred: t % 4 === 0 });
  bar.wait(false);
  syncThreads();
  out[t] = cell[0]! + t;
});

/** Two halves of a block meet on barriers of their own. */
const named = kernel({ block: 128, grid: 1 }, function named(out: Tensor<"i32", 1>) {
  const cells = sharedMemory.alloc("i32", [128]);
  const t = threadIdx.x;
  if (t < 64) {
    cells[t] = t;
    namedBarrier(1, 64).sync();
    out[t] = cells[63 - t]!;
    namedBarrier(3, 128).arrive();
  } else {
    cells[t] = t * 2;
    namedBarrier(2, 64).sync();
    namedBarrier(3, 128).sync();
    out[t] = cells[t - 64]! + cells[191 - t]!;
  }
  syncWarp();
});

/** Warpgroups meet on barriers that they count; the last two hand the turn to each other. */
const chosen = kernel({ block: 384, grid: 1 }, function chosen(out: Tensor<"i32", 1>, turns: i32) {
  const cells = sharedMemory.alloc("i32", [384]);
  const log = sharedMemory.alloc("i32", [1]);
  const t = threadIdx.x;
  warpgroup.specialize({
    producer: {
      run: () => {
        if (t === 0) log[0] = 0;
        cells[t] = 3 * t;
        warpgroup.sync();
        namedBarrier(4, 256).arrive();
        out[t] = cells[127 - t]!;
      },
    },
    consumer: {
      warpgroups: 2,
      run: (wg) => {
        const mine = namedBarrier(1 + wg, 128);
        cells[t] = t;
        mine.sync();
        let sum = cells[t ^ 127]!;
        warpgroup.sync();
        const turn = namedBarrier(4 + wg, 256);
        const other = namedBarrier(5 - wg, 256);
        for (const k of range(turns)) {
          turn.sync();
          if (warpgroup.thread === 0) log[0] = log[0]! * 2 + wg;
          sum += k;
          if (wg === 0 || k < turns - 1) other.arrive();
        }
        out[t] = sum;
        const last = wg === 0 ? namedBarrier(6, 256) : namedBarrier(7 - wg, 256);
        last.sync();
        if (t === 128) out[384] = log[0]!;
      },
    },
  });
});

export const mbarrierCases: readonly Case[] = [
  ...[1, 2, 7].map((turns) =>
    defineCase(`mbarrier/phases${turns}`, phases, () => ({
      args: [
        output(
          "i32",
          [128],
          count(128).map((t) => ((t + turns) % 128) + turns),
        ),
        turns,
      ],
    })),
  ),
  defineCase("mbarrier/tries", tries, () => ({
    args: [
      output(
        "i32",
        [128],
        count(128).map((t) => (t < 32 ? t : (t % 32) * 3 + 1200)),
      ),
    ],
  })),
  defineCase("mbarrier/predicated", predicated, () => ({
    args: [
      output(
        "i32",
        [64],
        count(64).map((t) => 64 + t),
      ),
    ],
  })),
  defineCase("barrier/chosen", chosen, () => ({
    args: [output("i32", [385], [...count(384).map((t) => (t < 128 ? 3 * (127 - t) : (t ^ 127) + 3)), 0b010101]), 3],
  })),
  defineCase("barrier/named", named, () => ({
    args: [
      output(
        "i32",
        [128],
        count(128).map((t) => (t < 64 ? 63 - t : t - 64 + (191 - t) * 2)),
      ),
    ],
  })),
];
