import {
  blockIdx,
  gridDependency,
  i32,
  kernel,
  range,
  sharedMemory,
  staticRange,
  syncThreads,
  type Tensor,
  threadIdx,
} from "warpsmith";
import { type Best, better } from "../../common/best.ts";
import type { Kept } from "../../common/made.ts";
import {
  columnLineOf,
  identity,
  joined,
  type Partials,
  type Reduction,
  type Reductions,
  withColumns,
} from "../epilogue/reduce.ts";

/** Rows of a block: neighbours in memory. */
const ROWS = 32;

/** Results by name, [batch, M] each; and columns of those that have one. */
type Results = Readonly<Record<string, Tensor<"f32", 2>>>;
type ResultColumns = Readonly<Record<string, Tensor<"i32", 2>>>;

/** Threads that share a row, each with some of its parts. */
const sharersOf = (parts: number): number => Math.min(32, 2 ** Math.ceil(Math.log2(parts)));

/** Parts of a row, and columns of a part. */
interface Parts {
  readonly count: number;
  readonly columns: number;
}

/**
 * What all parts of each row come to. Threads of a row take every so manieth part in their order, and what they have is put together in theirs: the order depends on the number of
 * parts alone. It begins while the product runs, and waits for it.
 */
export function makeCombine(reductions: Reductions, parts: Parts, batch: number, kept: Kept) {
  const names = Object.keys(reductions);
  const columned = withColumns(reductions);
  const sharers = sharersOf(parts.count);
  const dynamic = {
    partials: [3],
    ...Object.fromEntries(names.map((name) => [`results.${name}`, [1]])),
    ...Object.fromEntries(columned.map((name) => [`columns.${name}`, [1]])),
  };
  return kernel(
    { ...kept, block: ROWS * sharers, grid: (partials) => [Math.ceil((partials.shape[3] ?? 1) / ROWS), batch], dynamic },
    function combineRows(partials: Partials, results: Results, columns: ResultColumns) {
      const [lane, mine] = [threadIdx.x % ROWS, Math.trunc(threadIdx.x / ROWS)];
      const row = blockIdx.x * ROWS + lane;
      const pred = row < partials.shape[3];
      const room = sharedMemory.alloc("f32", [names.length, sharers, ROWS]);
      const places = columned.length > 0 ? sharedMemory.alloc("i32", [columned.length, sharers, ROWS]) : undefined;
      gridDependency.wait();
      for (const [number, name] of names.entries()) {
        const by = reductions[name] as Reduction;
        if (by === "argmax") {
          // What no part is worse than: right where a whole row is -Infinity, as its first column is kept.
          let best: Best = { value: identity(by), at: i32(0) };
          for (const part of range(mine, parts.count, sharers)) {
            const [value, column] = [number, columnLineOf(reductions, name)].map((line) =>
              partials.at(line, blockIdx.y, part, row).load({ pred }),
            ) as [number, number];
            best = better(best, { value, at: part * parts.columns + i32(column) });
          }
          room.at(number, mine, lane).store(best.value);
          places?.at(columned.indexOf(name), mine, lane).store(best.at);
          continue;
        }
        let all = identity(by);
        for (const part of range(mine, parts.count, sharers))
          all = joined(by, all, partials.at(number, blockIdx.y, part, row).load({ pred }));
        room.at(number, mine, lane).store(all);
      }
      syncThreads();
      if (mine > 0) return;
      for (const [number, name] of names.entries()) {
        const by = reductions[name] as Reduction;
        if (by === "argmax" && places) {
          const of = (other: number): Best => ({
            value: room.at(number, other, lane).load(),
            at: places.at(columned.indexOf(name), other, lane).load(),
          });
          let best = of(0);
          for (const other of staticRange(1, sharers)) best = better(best, of(other));
          (results[name] as Tensor<"f32", 2>).at(blockIdx.y, row).store(best.value, { pred });
          (columns[name] as Tensor<"i32", 2>).at(blockIdx.y, row).store(best.at, { pred });
          continue;
        }
        let all = room.at(number, 0, lane).load();
        for (const other of staticRange(1, sharers)) all = joined(by, all, room.at(number, other, lane).load());
        (results[name] as Tensor<"f32", 2>).at(blockIdx.y, row).store(all, { pred });
      }
    },
  );
}
