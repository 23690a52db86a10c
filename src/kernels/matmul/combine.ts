import {
  blockIdx,
  gridDependency,
  kernel,
  range,
  sharedMemory,
  staticRange,
  syncThreads,
  type Tensor,
  threadIdx,
} from "warpsmith";
import type { Kept } from "../common/made.ts";
import type { Reduction } from "./outputs.ts";
import { identity, joined, type Partials } from "./reduce.ts";

/** Rows of a block: neighbours in memory. */
const ROWS = 32;

/** Results by name, [batch, M] each. */
type Results = Readonly<Record<string, Tensor<"f32", 2>>>;

/** Threads that share a row, each with some of its parts. */
export const sharersOf = (parts: number): number => Math.min(32, 2 ** Math.ceil(Math.log2(parts)));

/**
 * What all parts of each row come to. Threads of a row take every so manieth part in their order, and what they have is put together in theirs: the order depends on the number of
 * parts alone. It begins while the product runs, and waits for it.
 */
export function makeCombine(reductions: Readonly<Record<string, Reduction>>, parts: number, batch: number, kept: Kept) {
  const names = Object.keys(reductions);
  const sharers = sharersOf(parts);
  const dynamic = { partials: [3], ...Object.fromEntries(names.map((name) => [`results.${name}`, [1]])) };
  return kernel(
    { ...kept, block: ROWS * sharers, grid: (partials) => [Math.ceil((partials.shape[3] ?? 1) / ROWS), batch], dynamic },
    function combineRows(partials: Partials, results: Results) {
      const [lane, mine] = [threadIdx.x % ROWS, Math.trunc(threadIdx.x / ROWS)];
      const row = blockIdx.x * ROWS + lane;
      const pred = row < partials.shape[3];
      const room = sharedMemory.alloc("f32", [names.length, sharers, ROWS]);
      gridDependency.wait();
      for (const [number, name] of names.entries()) {
        const by = reductions[name] as Reduction;
        let all = identity(by);
        for (const part of range(mine, parts, sharers))
          all = joined(by, all, partials.at(number, blockIdx.y, part, row).load({ pred }));
        room.at(number, mine, lane).store(all);
      }
      syncThreads();
      if (mine > 0) return;
      for (const [number, name] of names.entries()) {
        const by = reductions[name] as Reduction;
        let all = room.at(number, 0, lane).load();
        for (const other of staticRange(1, sharers)) all = joined(by, all, room.at(number, other, lane).load());
        (results[name] as Tensor<"f32", 2>).at(blockIdx.y, row).store(all, { pred });
      }
    },
  );
}
