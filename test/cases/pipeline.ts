import type { ConsumerStage, ProducerStage, Static, Tensor, TMA } from "warpsmith";
import {
  blockIdx,
  cluster,
  fence,
  kernel,
  namedBarrier,
  Pipeline,
  range,
  sharedMemory,
  staticRange,
  syncThreads,
  syncWarp,
  threadIdx,
} from "warpsmith";
import { type Case, defineCase, input, mapOf, output } from "./case.ts";
import { count } from "./numbers.ts";

/** One thread of warp 0 loads rows of 32, warp 1 adds them up. */
const byTma = kernel(
  { block: 64, grid: 1 },
  function byTma(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, rows: Static<number>, stages: Static<number>) {
    const tiles = sharedMemory.alloc("i32", [stages, 1, 32], { align: 128 });
    const pipe = new Pipeline({ stages });
    pipe.init();
    const t = threadIdx.x;
    if (t < 32) {
      if (t === 0) {
        let put = pipe.producer();
        for (const r of range(rows)) {
          x.load(tiles.at(put.index), put.acquire(tiles.at(0).bytes), [0, r]);
          put = put.next();
        }
        put.drain();
      }
    } else {
      let get = pipe.consumer(),
        sum = 0;
      for (const r of range(rows)) {
        get.wait();
        sum += tiles.at(get.index, 0, t - 32).load() * (r + 1);
        fence.proxyAsync();
        syncWarp();
        get.release({ pred: t === 32 });
        get = get.next();
      }
      out[t - 32] = sum;
    }
  },
);

/** Warp 0 writes what warp 1 reads; every thread says for itself that it has. */
const byStores = kernel(
  { block: 64, grid: 1 },
  function byStores(out: Tensor<"i32", 2>, rounds: Static<number>, stages: Static<number>) {
    const cells = sharedMemory.alloc("i32", [stages, 32]);
    const pipe = new Pipeline({ stages, producers: 32, consumers: 32 });
    pipe.init();
    const t = threadIdx.x % 32;
    if (threadIdx.x < 32) {
      let put = pipe.producer();
      for (const r of range(rounds)) {
        put.wait();
        cells.at(put.index, t).store(r * 100 + t);
        put.commit();
        put = put.next();
      }
    } else {
      let get = pipe.consumer();
      for (const r of range(rounds)) {
        get.wait();
        out.at(r, t).store(cells.at(get.index, 31 - t).load());
        get.release();
        get = get.next();
      }
    }
  },
);

/** Each block of a pair brings half of every tile to both, so that a stage is empty when both have read it. */
const byPeers = kernel(
  { block: 96, grid: 4, cluster: 2 },
  function byPeers(
    x: TMA<"i32", 2>,
    out: Tensor<"i32", 2>,
    tiles: Static<number>,
    stages: Static<number>,
    shared: Static<boolean>,
  ) {
    const halves = sharedMemory.alloc("i32", [stages, 2, 1, 32], { align: 128 });
    const pipe = new Pipeline({ stages, consumers: 2, peers: 2 });
    pipe.init();
    const t = threadIdx.x,
      lane = t % 32;
    if (t < 32) {
      if (t === 0) {
        let put = pipe.producer();
        for (const k of range(tiles)) {
          const full = put.acquire(halves.at(0).bytes);
          x.load(halves.at(put.index, cluster.rank), full, [0, k * 2 + cluster.rank], { multicast: 0b11 });
          put = put.next();
        }
        put.drain();
      }
    } else {
      let get = pipe.consumer(),
        sum = 0;
      const half = Math.floor(t / 32) - 1;
      for (const k of range(tiles)) {
        get.wait();
        sum += halves.at(get.index, half, 0, lane).load() * (k + 1);
        fence.proxyAsync();
        syncWarp();
        if (shared) get.release({ pred: lane < 2, rank: lane });
        else get.release({ pred: lane === 0 });
        get = get.next();
      }
      out.at(blockIdx.x, t - 32).store(sum);
    }
  },
);

/** Two consumers take turns at one pipeline: each jumps over the other's stages, however many, and has seen that the other got there. */
const turns = kernel(
  { block: 96, grid: 1 },
  function turns(out: Tensor<"i32", 2>, each: Static<number>, stages: Static<number>, rounds: Static<number>) {
    const cells = sharedMemory.alloc("i32", [stages, 32]);
    const pipe = new Pipeline({ stages, producers: 32, consumers: 32 });
    pipe.init();
    const t = threadIdx.x % 32,
      who = Math.floor(threadIdx.x / 32);
    if (who === 0) {
      let put = pipe.producer();
      for (const r of range(rounds * 2 * each)) {
        put.wait();
        cells.at(put.index, t).store(r * 100 + t);
        put.commit();
        put = put.next();
      }
    } else {
      let get = pipe.consumer();
      if (who === 2) get = get.next(each);
      for (const r of range(rounds)) {
        if (who === 2) namedBarrier(2, 64).sync();
        else if (r > 0) namedBarrier(1, 64).sync();
        for (const k of range(each)) {
          get.wait();
          out.at((r * 2 + who - 1) * each + k, t).store(cells.at(get.index, t).load());
          get.release();
          get = get.next();
        }
        if (who === 1) namedBarrier(2, 64).arrive();
        else if (r < rounds - 1) namedBarrier(1, 64).arrive();
        get = get.next(each);
      }
    }
  },
);

/** Of pipelines of 1 to 6 stages: where a place is after steps of a staged length, and after one of each static length from there. */
const places = kernel({ block: 1, grid: 1 }, function places(steps: Tensor<"i32", 1>, out: Tensor<"i32", 3>) {
  const show = (place: ConsumerStage | ProducerStage) => place.index * 2 + (place.parity ? 1 : 0);
  for (const stages of staticRange(1, 7)) {
    const pipe = new Pipeline({ stages });
    let put = pipe.producer(),
      get = pipe.consumer();
    for (const i of range(steps.shape[0])) {
      out.at(stages - 1, 0, i).store(show(put));
      out.at(stages - 1, 1, i).store(show(get));
      for (const step of staticRange(14)) out.at(stages - 1, 2 + step, i).store(show(put.next(step)));
      put = put.next(steps[i]!);
      get = get.next();
      if (steps[i]! > 5) get = get.next(2 * stages + 1);
    }
  }
});

/** Two pipelines that meet at one barrier, in a block of two dimensions. */
const apart = kernel({ block: [32, 2], grid: 1 }, function apart(out: Tensor<"i32", 1>) {
  const cells = sharedMemory.alloc("i32", [2, 32]);
  const there = new Pipeline({ stages: 1, producers: 32, consumers: 32 });
  const back = new Pipeline({ stages: 1, producers: 32, consumers: 32 });
  there.init({ sync: false });
  back.init({ sync: false });
  syncThreads();
  const t = threadIdx.x;
  if (threadIdx.y === 0) {
    cells.at(0, t).store(t);
    there.producer().commit();
    back.consumer().wait();
    out[t] = cells[1]![31 - t]!;
  } else {
    there.consumer().wait();
    cells.at(1, t).store(cells[0]![31 - t]! + 1000);
    back.producer().commit();
  }
});

/** Each warp of readers takes its own pipeline of two, by a condition of the GPU. */
const chosen = kernel({ block: 96, grid: 1 }, function chosen(out: Tensor<"i32", 2>, rounds: Static<number>) {
  const cells = sharedMemory.alloc("i32", [2, 3, 32]);
  const left = new Pipeline({ stages: 3, producers: 32, consumers: 32 });
  const right = new Pipeline({ stages: 3, producers: 32, consumers: 32 });
  left.init({ sync: false });
  right.init();
  const t = threadIdx.x % 32,
    who = Math.floor(threadIdx.x / 32);
  if (who === 0) {
    let puts = [left.producer(), right.producer()] as const;
    for (const r of range(rounds)) {
      for (const side of staticRange(2)) {
        const put = puts[side] ?? puts[0];
        put.wait();
        cells.at(side, put.index, t).store((r * 2 + side) * 100 + t);
        put.commit();
      }
      puts = [puts[0].next(), puts[1].next()];
    }
  } else {
    let get = who === 1 ? left.consumer() : right.consumer();
    for (const r of range(rounds)) {
      get.wait();
      out.at(r * 2 + who - 1, t).store(cells.at(who - 1, get.index, t).load());
      get.release();
      get = get.next();
    }
  }
});

const stepsTaken = [1, 1, 3, 0, 7, 12, 2, 6, 1, 5, 31, 4];

function placesOf(stages: number): number[] {
  const at = (n: number): number => (n % stages) * 2 + (Math.floor(n / stages) % 2);
  const rows: number[][] = Array.from({ length: 16 }, () => []);
  let [put, get] = [stages, 0];
  for (const step of stepsTaken) {
    const from = put;
    [put, get, ...count(14).map((n) => from + n)].forEach((n, i) => {
      rows[i]?.push(at(n));
    });
    put += step;
    get += step > 5 ? 2 * stages + 2 : 1;
  }
  return rows.flat();
}

/** The sum over the rows of `data` of row × (number of the row + 1), for each column. */
const weighted = (rows: number, columns: number, element: (row: number, column: number) => number): number[] =>
  count(columns).map((c) => count(rows).reduce((sum, r) => sum + element(r, c) * (r + 1), 0));

export const pipelineCases: readonly Case[] = [
  ...[1, 3, 4].map((stages) =>
    defineCase(`pipeline/tma${stages}`, byTma, () => ({
      args: [
        mapOf(input("i32", [10, 32], count(320)), { box: [1, 32] }),
        output(
          "i32",
          [32],
          weighted(10, 32, (r, c) => r * 32 + c),
        ),
        10,
        stages,
      ],
    })),
  ),
  ...[1, 2, 3].map((stages) =>
    defineCase(`pipeline/stores${stages}`, byStores, () => ({
      args: [
        output(
          "i32",
          [7, 32],
          count(224).map((e) => (e >> 5) * 100 + 31 - (e & 31)),
        ),
        7,
        stages,
      ],
    })),
  ),
  ...[2, 3].flatMap((stages) =>
    [false, true].map((shared) =>
      defineCase(`pipeline/peers${stages}${shared ? "-each" : ""}`, byPeers, () => ({
        args: [
          mapOf(input("i32", [14, 32], count(448)), { box: [1, 32] }),
          output(
            "i32",
            [4, 64],
            Array(4)
              .fill(weighted(7, 64, (k, c) => k * 64 + c))
              .flat(),
          ),
          7,
          stages,
          shared,
        ],
      })),
    ),
  ),
  ...[
    [1, 2],
    [3, 4],
    [5, 3],
  ].map(([each = 0, stages = 0]) =>
    defineCase(`pipeline/turns${each}of${stages}`, turns, () => ({
      args: [
        output(
          "i32",
          [3 * 2 * each, 32],
          count(3 * 2 * each * 32).map((e) => (e >> 5) * 100 + (e & 31)),
        ),
        each,
        stages,
        3,
      ],
    })),
  ),
  defineCase("pipeline/places", places, () => ({
    args: [
      input("i32", [stepsTaken.length], stepsTaken),
      output("i32", [6, 16, stepsTaken.length], [1, 2, 3, 4, 5, 6].flatMap(placesOf)),
    ],
  })),
  defineCase("pipeline/chosen", chosen, () => ({
    args: [
      output(
        "i32",
        [14, 32],
        count(14 * 32).map((e) => (e >> 5) * 100 + (e & 31)),
      ),
      7,
    ],
  })),
  defineCase("pipeline/apart", apart, () => ({
    args: [
      output(
        "i32",
        [32],
        count(32).map((t) => 1000 + t),
      ),
    ],
  })),
];
