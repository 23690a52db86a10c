import {
  type Accumulator,
  asyncCopy,
  fence,
  Mbarriers,
  type SharedView,
  sharedMemory,
  staticRange,
  syncWarp,
  threadIdx,
  warp,
  warpgroup,
} from "warpsmith";
import { registersOf } from "../epilogue/registers.ts";
import { exchangedThreads } from "../plan/plan.ts";
import type { Geometry } from "./geometry.ts";
import type { Part } from "./walk.ts";

/** Where the blocks that split K give each other their sums. */
export interface Exchange {
  /** [consumers, splits, fours of registers, threads, 4]: what each of the blocks has for this one, as it lies in registers. */
  readonly slots: SharedView<"f32", 5>;
  /** Of each consumer: complete when all of it has come; and when all blocks have read what this one has sent. */
  readonly full: Mbarriers;
  readonly empty: Mbarriers;
}

/** Makes one, or none where K is not split. The thread that makes the pipeline's barriers fences these, too, and the cluster meets before their first use. */
export function makeExchange({ problem, plan, splits, matrices, rows, stored }: Geometry): Exchange | undefined {
  "use kernel";
  if (splits === 1) return undefined;
  const { consumers } = plan;
  const threads = exchangedThreads(plan, problem);
  const slots = sharedMemory.alloc("f32", [consumers, splits, (matrices * rows * stored) / 512, threads, 4]);
  const [full, empty] = [new Mbarriers(consumers), new Mbarriers(consumers)];
  if (threadIdx.x === 0) {
    for (const i of staticRange(consumers)) {
      full.at(i).init(1);
      empty.at(i).init(splits * (threads / 32));
    }
  }
  return { slots, full, empty };
}

/**
 * The sum of all parts of K, in their order, for this block's share of a tile's columns, or of those of each matrix of a pair: each block sends every other one what
 * it has of theirs, and itself its own. `parity`: of the tiles before, whether their number is odd.
 */
export function addParts(
  exchange: Exchange,
  geometry: Geometry,
  sums: readonly Accumulator[],
  wg: number,
  part: Part,
  parity: boolean,
) {
  "use kernel";
  const { problem, plan, splits, matrices, rows, stored } = geometry;
  const { slots } = exchange;
  const [full, empty] = [exchange.full.at(wg), exchange.empty.at(wg)];
  const thread = warpgroup.thread;
  const threads = exchangedThreads(plan, problem);
  const pred = threads === 128 || thread < threads;
  const fours = (matrices * rows * stored) / 512;
  if (thread === 0) full.arrive({ tx: splits * fours * threads * 16 });
  empty.wait(!parity);
  for (const to of staticRange(splits)) {
    const registers = sums.flatMap((sum) => registersOf(sum.columns(to * stored, stored)));
    for (const i of staticRange(fours)) {
      const place = slots.at(wg, part.split, i, thread, 0);
      asyncCopy.store(place, registers.slice(4 * i, 4 * i + 4), full, to, { pred });
    }
  }
  full.wait(parity);
  const totals: number[] = [];
  for (const i of staticRange(fours)) {
    const parts = Array.from({ length: splits }, (_, from) =>
      slots.at(wg, from, i, thread, 0).load({ vector: 4, pred, other: 0 }),
    );
    for (const j of staticRange(4)) totals.push(parts.map((four) => four[j] ?? 0).reduce((a, b) => a + b));
  }
  fence.proxyAsync({ space: "shared::cta" });
  syncWarp();
  empty.arrive({ rank: warp.lane, pred: warp.lane < splits && pred && part.follows });
  let register = 0;
  return sums.map((sum) => sum.columns(0, stored).map(() => totals[register++] ?? 0));
}
