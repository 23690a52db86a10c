import type { Static, Tensor, TileSchedulerOptions } from "warpsmith";
import { blockIdx, cdiv, kernel, range, TileScheduler, threadIdx } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";

/** One row per tile, by its index: how often it came, m, n, k, and whether it was its block's first. */
const columns = 5;

/** What the host's loop says, in the order of the tiles' numbers. `first`: the tile's number among those of its block. */
function rowsOf(tiles: readonly [number, number], blocks: number, options: TileSchedulerOptions): number[][] {
  const rows: number[][] = [];
  for (const { m, n, k, index } of new TileScheduler(tiles, options)) rows[index] = [1, m, n, k, index < blocks ? 1 : 0];
  return rows;
}
const zeros = (rows: readonly (readonly number[])[]): number[] => rows.flatMap((row) => row.map(() => 0));

const note = (out: Tensor<"i32", 2>, at: number, values: readonly number[]): void => {
  "use kernel";
  if (threadIdx.x === 0) {
    out.at(at, 0).atomic("add", 1);
    for (const [i, value] of values.entries()) out.at(at, i + 1).store(value);
  }
};

type Deal = {
  readonly clusters: number;
  readonly grid: number | readonly [number, number];
  readonly options: TileSchedulerOptions;
};

const blocksOf = ({ grid }: Deal): number => (typeof grid === "number" ? grid : grid[0] * grid[1]);

function dealing({ clusters, grid }: Deal) {
  return kernel(
    { block: 32, grid, cluster: clusters },
    function dealing(out: Tensor<"i32", 2>, tiles: Static<readonly [number, number]>, options: Static<TileSchedulerOptions>) {
      for (const { m, n, k, index, first } of new TileScheduler(tiles, options)) note(out, index, [m, n, k, first ? 1 : 0]);
    },
  );
}

/** The extents of a tensor that are staged: the number of tiles is known at launch. */
const dynamic = kernel(
  { block: 32, grid: 5, dynamic: { shape: [0, 1] } },
  function dynamic(shape: Tensor<"i32", 2>, out: Tensor<"i32", 2>, options: Static<TileSchedulerOptions>) {
    const tiles = new TileScheduler([cdiv(shape.shape[0], 2), shape.shape[1]], options);
    for (const { m, n, k, index, first } of tiles) note(out, index, [m, n, k, first ? 1 : 0]);
  },
);

/** A loop of the author's own over tiles of clusters. */
const byNumber = kernel({ block: 32, grid: 6, cluster: 2 }, function byNumber(out: Tensor<"i32", 2>) {
  const tiles = new TileScheduler([5, 4], { group: 4, splitK: 2 });
  for (const i of range(Math.trunc(blockIdx.x / 2), 24, 3)) {
    const { m, n, k, index } = tiles.at(i);
    note(out, index, [m, n, k]);
  }
  const last = tiles.at(23);
  if (blockIdx.x < 2 && threadIdx.x === 0) out.at(last.index, 4).store(last.m);
});

/** Two warpgroups of a block take its tiles in turns; the last one breaks off. */
const turns = kernel({ block: 256, grid: 3 }, function turns(out: Tensor<"i32", 2>) {
  const which = threadIdx.x >> 7;
  for (const { m, n, index, first } of new TileScheduler([4, 7], { mode: "persistent", every: 2, from: which })) {
    if (n === 5) break;
    if (m === 2) continue;
    if (threadIdx.x % 128 !== 0) continue;
    out.at(index, 0).atomic("add", 1);
    out.at(index, 1).store(which * 10 + (first ? 1 : 0));
  }
});

function turnRows(): number[][] {
  const tiles = [...new TileScheduler([4, 7])];
  const rows = tiles.map(() => [0, 0]);
  for (const lane of [0, 1, 2, 3, 4, 5]) {
    for (let i = lane; i < tiles.length; i += 6) {
      const tile = tiles[i];
      if (!tile || tile.n === 5) break;
      if (tile.m !== 2) rows[i] = [1, Math.floor(lane / 3) * 10 + (i === lane ? 1 : 0)];
    }
  }
  return rows;
}

/** What the one turn changes is there after it, in blocks that have a tile and in those that have none. */
const once = kernel({ block: 32, grid: 8 }, function once(out: Tensor<"i32", 2>) {
  let [sum, turn] = [100, false];
  for (const { m, n } of new TileScheduler([2, 3], { order: "row" })) {
    sum += m * 10 + n;
    if (n === 2) continue;
    turn = true;
    if (m === 1) break;
    sum += 1000;
  }
  note(out, 0, []);
  out.at(1, threadIdx.x).atomic("add", sum);
  out.at(2, threadIdx.x).atomic("add", turn ? 1 : 0);
});

const deals: Readonly<Record<string, Deal & { readonly tiles: readonly [number, number] }>> = {
  grid: { tiles: [5, 3], clusters: 1, grid: 15, options: {} },
  "grid/more blocks than tiles": { tiles: [5, 3], clusters: 1, grid: 20, options: { order: "row" } },
  "grid/two dimensions": { tiles: [4, 6], clusters: 1, grid: [4, 7], options: { order: "column" } },
  "grid/cluster": { tiles: [5, 3], clusters: 2, grid: 20, options: {} },
  persistent: { tiles: [13, 9], clusters: 1, grid: 7, options: { mode: "persistent", group: 4 } },
  "persistent/fewer tiles than blocks": { tiles: [2, 2], clusters: 1, grid: 9, options: { mode: "persistent" } },
  "persistent/two dimensions": { tiles: [6, 6], clusters: 1, grid: [3, 2], options: { mode: "persistent", order: "hilbert" } },
  "persistent/hilbert": { tiles: [16, 32], clusters: 1, grid: 12, options: { mode: "persistent", order: "hilbert" } },
  "persistent/hilbert with edges": { tiles: [19, 11], clusters: 1, grid: 6, options: { mode: "persistent", order: "hilbert" } },
  "persistent/cluster": { tiles: [7, 5], clusters: 2, grid: 6, options: { mode: "persistent", group: 4 } },
  "persistent/cluster along N": { tiles: [7, 5], clusters: 2, grid: 6, options: { mode: "persistent", cluster: [1, 2] } },
  "persistent/cluster of four": {
    tiles: [7, 5],
    clusters: 4,
    grid: 8,
    options: { mode: "persistent", cluster: [2, 2], splitK: 3 },
  },
  splitK: { tiles: [3, 3], clusters: 1, grid: 36, options: { splitK: 4 } },
};

const dealCases = Object.entries(deals).map(([name, { tiles, ...deal }]) =>
  defineCase(`tile-scheduler/${name}`, dealing(deal), () => {
    const rows = rowsOf(tiles, blocksOf(deal), { cluster: [deal.clusters, 1], ...deal.options });
    return { args: [output("i32", [rows.length, columns], rows.flat(), { initial: zeros(rows) }), tiles, deal.options] };
  }),
);

export const tileSchedulerCases: readonly Case[] = [
  ...dealCases,
  ...(["grouped", "row", "column"] as const).map((order) =>
    defineCase(`tile-scheduler/dynamic/${order}`, dynamic, () => {
      const options: TileSchedulerOptions = { mode: "persistent", order, group: 3, splitK: 2 };
      const rows = rowsOf([7, 4], 5, options);
      return {
        args: [
          input(
            "i32",
            [13, 4],
            Array.from({ length: 52 }, () => 0),
          ),
          output("i32", [rows.length, columns], rows.flat(), { initial: zeros(rows) }),
          options,
        ],
      };
    }),
  ),
  defineCase("tile-scheduler/byNumber", byNumber, () => {
    const rows = rowsOf([5, 4], 0, { group: 4, splitK: 2, cluster: [2, 1] });
    for (const row of rows.slice(-2)) row[4] = row[1] ?? -1;
    return { args: [output("i32", [rows.length, columns], rows.flat(), { initial: zeros(rows) })] };
  }),
  defineCase("tile-scheduler/turns", turns, () => {
    const rows = turnRows();
    return { args: [output("i32", [rows.length, 2], rows.flat(), { initial: zeros(rows) })] };
  }),
  defineCase("tile-scheduler/once", once, () => {
    const lanes = (value: number): number[] => Array.from({ length: 32 }, () => value);
    const expected = [...lanes(0), ...lanes(8 * 100 + (0 + 1 + 2 + 10 + 11 + 12) + 2000), ...lanes(4)];
    expected[0] = 8;
    return { args: [output("i32", [3, 32], expected, { initial: expected.map(() => 0) })] };
  }),
];
