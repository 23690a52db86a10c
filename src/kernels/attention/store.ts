import {
  type ConsumerStage,
  f32,
  fast,
  fence,
  namedBarrier,
  range,
  type SharedView,
  syncWarp,
  type Tensor,
  tile,
  tma,
  warp,
  warpgroup,
} from "warpsmith";
import { type QueryTile, queryAt } from "./blocks.ts";
import type { Computing, State } from "./computing.ts";
import { ROWS } from "./plan.ts";
import type { HalfType } from "./problem.ts";

/** Stores the logarithms of those queries that the sequence has: each warp those of its 16, which it notes in shared memory. */
function storeLogs({ raised }: Computing, wg: number, { row, head, sizes, begin }: QueryTile, to: Tensor<"f32", 3>, log: number) {
  "use kernel";
  const noted = raised.at(wg);
  const mine = (warp.index % 4) * 16 + (warp.lane % 16);
  noted.store(log);
  syncWarp();
  const there = warp.lane < 16 && row + mine < sizes.queries;
  to.at(0, head, (begin?.query ?? 0) + (there ? row + mine : 0)).store(noted.at(mine).load(), { pred: there });
}

/** Stores those of the 64 rows that the sequence has: behind them are rows of the next one, which TMA would overwrite. */
function storeRows(staging: SharedView<HalfType, 2>, { row, head, sizes, begin }: QueryTile, to: Tensor<HalfType, 3>) {
  "use kernel";
  const across = staging.shape[1] / 8;
  for (const i of range(warpgroup.thread, (sizes.queries - row) * across, 128)) {
    const [down, column] = [Math.trunc(i / across), (i % across) * 8];
    to.at((begin?.query ?? 0) + row + down, head, column).store(staging.at(down, column).load({ vector: 8 }));
  }
}

/** Stores what comes of 64 queries whose sequence has no keys: zeros, and -Infinity as logarithms. */
export function storeNone({ geometry, rows, sums }: Computing, { row, head, sizes, begin }: QueryTile) {
  "use kernel";
  const across = geometry.problem.dv / 8;
  const [first, count] = [(begin?.query ?? 0) + row, Math.min(ROWS, sizes.queries - row)];
  const zeros = Array.from({ length: 8 }, () => 0);
  if (rows)
    for (const i of range(warpgroup.thread, count * across, 128))
      rows.at(first + Math.trunc(i / across), head, (i % across) * 8).store(zeros);
  if (sums.to) for (const i of range(warpgroup.thread, count, 128)) sums.to.at(0, head, first + i).store(-Infinity);
}

/** Stores what came of a consumer's queries, through their own memory. */
export function store(computing: Computing, wg: number, tile64: QueryTile, { O, softmax }: State, getQ: ConsumerStage) {
  "use kernel";
  const { geometry, q, out, rows, sums } = computing;
  const { problem, plan } = geometry;
  const { row, head, batch, sizes } = tile64;
  const together = namedBarrier(8 + wg, 128);
  const sum = tile.sum(softmax.sums.tile, 1);
  // Of a query that sees no key the sum is 0, and so is its output.
  const result = O.scale(tile.expand(1 / Math.max(sum, 1e-37), 1)).convert(problem.dtype);
  together.sync(); // every warp is done with the queries
  const staging = q.at(wg).subview([0, 0], [ROWS, problem.dv]);
  result.store(staging);
  if (sums.to) {
    // A score of +∞ leaves no number of the sum.
    const log = tile.where(
      softmax.off === Number.NEGATIVE_INFINITY,
      Number.POSITIVE_INFINITY,
      (fast.log2(sum) - softmax.off) * f32(Math.LN2),
    );
    if (problem.packed) storeLogs(computing, wg, tile64, sums.to, log);
    else sums.to.at(batch, head).storeTile([row], log);
  }
  fence.proxyAsync({ space: "shared::cta" });
  together.sync();
  if (rows && row + ROWS > sizes.queries) {
    storeRows(staging, tile64, rows);
    fence.proxyAsync({ space: "shared::cta" }); // TMA is to overwrite what was read
    together.sync();
    if (plan.persistent && warpgroup.thread === 0) getQ.release();
    return;
  }
  if (warpgroup.thread !== 0) return;
  out.store(staging, queryAt(tile64, row), { outside: true }); // a consumer may have no queries
  tma.commit();
  tma.wait(0, { read: true });
  if (plan.persistent) getQ.release();
}
