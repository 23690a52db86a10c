import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Device,
  kernel,
  openDevice,
  type Tensor,
  type TileIndex,
  TileScheduler,
  type TileSchedulerOptions,
  threadIdx,
} from "warpsmith";
import { registerEmulator } from "../../../../src/emulator/index.ts";
import { ofProperty } from "../../../support/amount.ts";

type Tiles = readonly [m: number, n: number];
interface Deal {
  readonly tiles: Tiles;
  readonly options: TileSchedulerOptions;
  readonly clusters: number;
  readonly grid: number;
  /** The number of tiles is known at launch alone. */
  readonly dynamic: boolean;
}

let device: Device;
let takeBack: () => void;
beforeAll(async () => {
  takeBack = registerEmulator({ schedule: "eager", check: "off" });
  device = await openDevice("emulator");
});
afterAll(async () => {
  await device.dispose();
  takeBack();
});

const mostIterations = 256;

/** The tiles of each block, iteration by iteration: m, n, k, index, first. `every` blocks of threads alternate. */
async function onDevice({ tiles, options, clusters, grid, dynamic }: Deal): Promise<number[][][]> {
  const { every } = options;
  const record = kernel(
    { block: 32 * (every ?? 1), grid, cluster: clusters, dynamic: dynamic ? { shape: [0, 1] } : {} },
    function record(shape: Tensor<"i32", 2>, out: Tensor<"i32", 3>, counts: Tensor<"i32", 1>, blocks: Tensor<"i32", 1>) {
      const which = threadIdx.x >> 5;
      const block = blocks.at(0).atomic("add", threadIdx.x % 32 === 0 ? 1 : 0);
      let iteration = 0;
      const all = new TileScheduler(shape.shape, every === undefined ? options : { ...options, from: which });
      for (const tile of all) {
        if (threadIdx.x % 32 === 0)
          for (const [i, value] of [tile.m, tile.n, tile.k, tile.index, tile.first ? 1 : 0].entries())
            out.at(block, iteration, i).store(value);
        iteration += 1;
      }
      if (threadIdx.x % 32 === 0) counts[block] = iteration;
    },
  );
  const lanes = grid * (every ?? 1);
  const extents = device.zeros("i32", tiles);
  const out = device.zeros("i32", [lanes, mostIterations, 5]);
  const counts = device.zeros("i32", [lanes]);
  const numbers = device.zeros("i32", [1]);
  try {
    record.launch({}, extents, out, counts, numbers);
    const [values, iterations] = [await out.read(), await counts.read()];
    const at = (lane: number, iteration: number) =>
      Array.from(values.slice((lane * mostIterations + iteration) * 5, (lane * mostIterations + iteration + 1) * 5), Number);
    return Array.from(iterations, (count, lane) => Array.from({ length: Number(count) }, (_, iteration) => at(lane, iteration)));
  } finally {
    for (const tensor of [extents, out, counts, numbers]) tensor.dispose();
  }
}

const row = ({ m, n, k, index }: TileIndex): number[] => [m, n, k, index];

const extent = fc.integer({ min: 1, max: 21 });
const order = fc.constantFrom("grouped" as const, "hilbert" as const, "row" as const, "column" as const);
const shapes = fc.constantFrom<readonly [number, number]>([1, 1], [2, 1], [1, 2], [2, 2], [4, 1]);
const deals = fc
  .record({
    tiles: fc.tuple(extent, extent),
    order,
    group: fc.integer({ min: 1, max: 9 }),
    splitK: fc.integer({ min: 1, max: 3 }),
    cluster: shapes,
    every: fc.integer({ min: 1, max: 3 }),
    clusters: fc.integer({ min: 6, max: 12 }),
    dynamic: fc.boolean(),
  })
  .map(
    ({ tiles, order, group, splitK, cluster, every, clusters, dynamic }): Deal => ({
      tiles,
      options: { mode: "persistent", order, group, splitK, cluster, ...(every > 1 ? { every } : {}) },
      clusters: cluster[0] * cluster[1],
      grid: clusters * cluster[0] * cluster[1],
      dynamic,
    }),
  );

describe("on the device", () => {
  it("blocks, in any grid and cluster, take what the host's loop gives, each tile once, and in step", async () => {
    await fc.assert(
      fc.asyncProperty(deals, async (deal) => {
        const { tiles, options, clusters, grid } = deal;
        const { every = 1, cluster = [1, 1], splitK = 1 } = options;
        const lanes = await onDevice(deal);
        const all = lanes.flat();
        const [across, down] = [Math.ceil(tiles[0] / cluster[0]), Math.ceil(tiles[1] / cluster[1])];
        const wanted = across * down * clusters * splitK;
        expect(all.map((tile) => tile[3]).toSorted((a = 0, b = 0) => a - b)).toEqual(Array.from({ length: wanted }, (_, i) => i));
        expect(new Set(all.map(([m, n, k]) => `${m} ${n} ${k}`)).size).toBe(wanted);
        for (const [m = -1, n = -1, k = -1] of all) {
          expect(m >= 0 && m < across * cluster[0] && n >= 0 && n < down * cluster[1] && k >= 0 && k < splitK).toBe(true);
        }
        // Blocks are as far apart as there are blocks, and every iteration of a lane as far as the lanes that alternate.
        for (const lane of lanes)
          for (const [iteration, tile] of lane.entries()) {
            expect(tile[4]).toBe(iteration === 0 ? 1 : 0);
            if (iteration > 0) expect((tile[3] ?? 0) - (lane[iteration - 1]?.[3] ?? 0)).toBe(grid * every);
          }
        // The blocks of a cluster make the same number of iterations: lanes of the same first cluster tile.
        const counted = new Map<number, Set<number>>();
        for (const lane of lanes) {
          const first = Math.floor((lane[0]?.[3] ?? -1) / clusters);
          if (first >= 0) counted.set(first, (counted.get(first) ?? new Set()).add(lane.length));
        }
        for (const counts of counted.values()) expect(counts.size).toBe(1);
        // With the number of tiles known at launch alone, the squares of a Hilbert order are smaller.
        if (deal.dynamic && options.order === "hilbert") return;
        const host = new Map([...new TileScheduler(tiles, { ...options, every: 1 })].map((tile) => [tile.index, row(tile)]));
        for (const tile of all) expect(tile.slice(0, 4)).toEqual(host.get(tile[3] ?? -1));
      }),
      ofProperty(40, 3),
    );
  }, 120_000);
});

const positions = (tiles: Tiles, options: TileSchedulerOptions = {}): Tiles[] =>
  [...new TileScheduler(tiles, options)].map(({ m, n }) => [m, n]);

/** The orders in words of their own. */
function inWords([M, N]: Tiles, order: "grouped" | "row" | "column", group: number): Tiles[] {
  const list: Tiles[] = [];
  if (order === "row") for (let m = 0; m < M; m++) for (let n = 0; n < N; n++) list.push([m, n]);
  else {
    const height = order === "column" ? M : group;
    for (let top = 0; top < M; top += height)
      for (let n = 0; n < N; n++) for (let m = top; m < Math.min(top + height, M); m++) list.push([m, n]);
  }
  return list;
}

const apart = ([a, b]: Tiles, [c, d]: Tiles): number => Math.abs(a - c) + Math.abs(b - d);

describe("on the host", () => {
  it("rows, columns and bands, the last of which may be lower", () => {
    fc.assert(
      fc.property(
        extent,
        extent,
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom("grouped", "row", "column"),
        (m, n, group, order) => {
          expect(positions([m, n], { group, order })).toEqual(inWords([m, n], order, group));
        },
      ),
    );
    expect(positions([3, 2])).toEqual([
      [0, 0],
      [1, 0],
      [2, 0],
      [0, 1],
      [1, 1],
      [2, 1],
    ]);
  });

  it("Hilbert's order comes to each tile once; where squares cover all, from neighbour to neighbour", () => {
    fc.assert(
      fc.property(extent, extent, (m, n) => {
        const all = positions([m, n], { order: "hilbert" });
        expect(all.toSorted((a, b) => a[0] - b[0] || a[1] - b[1])).toEqual(inWords([m, n], "row", 1));
      }),
    );
    for (const tiles of [
      [8, 8],
      [64, 16],
      [16, 16],
      [32, 8],
      [8, 24],
    ] as const) {
      const all = positions(tiles, { order: "hilbert" });
      const steps = all.slice(1).map((at, i) => apart(at, all[i] ?? [-9, -9]));
      const rows = tiles[1] / Math.min(...tiles);
      expect(steps.filter((step) => step !== 1)).toHaveLength(rows - 1);
    }
  });

  it("a cluster's blocks lie side by side, beyond the last tile too", () => {
    const tiles = [...new TileScheduler([3, 2], { cluster: [2, 2], order: "row" })];
    expect(tiles.map(({ m, n, index }) => [index, m, n])).toEqual([
      [0, 0, 0],
      [1, 1, 0],
      [2, 0, 1],
      [3, 1, 1],
      [4, 2, 0],
      [5, 3, 0],
      [6, 2, 1],
      [7, 3, 1],
    ]);
    expect(tiles.filter((tile) => tile.first)).toHaveLength(1);
  });

  it("the tile of a number: what the first block of the cluster takes", () => {
    const tiles = new TileScheduler([5, 7], { cluster: [2, 2], group: 2 });
    const ofFirst = [...tiles].filter((_, i) => i % 4 === 0).map(row);
    expect(ofFirst.map((_, i) => tiles.at(i))).toEqual(ofFirst.map(([m, n, k, index]) => ({ m, n, k, index })));
    expect(() => tiles.at(-1)).toThrow("W6605");
  });

  it("all tiles of one split before the next; some of them alternately", () => {
    expect([...new TileScheduler([2, 1], { splitK: 3 })].map(({ m, k, index }) => [m, k, index])).toEqual([
      [0, 0, 0],
      [1, 0, 1],
      [0, 1, 2],
      [1, 1, 3],
      [0, 2, 4],
      [1, 2, 5],
    ]);
    const alternate = new TileScheduler([5, 1], { mode: "persistent", every: 2, from: 1 });
    expect([...alternate].map(({ m, first }) => [m, first])).toEqual([
      [1, true],
      [3, false],
    ]);
  });
});
