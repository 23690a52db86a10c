import {
  cluster,
  gridDependency,
  type Mbarrier,
  type NamedBarrier,
  type Pipeline,
  type ProducerStage,
  range,
  type SharedView,
  staticRange,
  type Tensor,
  TMA,
  warp,
  warpgroup,
} from "warpsmith";
import { TILE_K } from "../plan/plan.ts";
import type { HalfType, Major } from "../problem/problem.ts";
import type { Geometry } from "./geometry.ts";
import { chunksOf, fetchChunk, fillStage } from "./load-by-threads.ts";
import type { PanelMaps, WeightMaps } from "./maps.ts";
import type { Stages } from "./stages.ts";
import { coordinates, type Part, type Walk, walk } from "./walk.ts";

/** What a producer needs. */
interface Loading extends Walk {
  /** A map, or the matrix, or a batch of them, where threads load it. */
  readonly a: TMA<HalfType> | Tensor<HalfType, 2 | 3>;
  readonly b: WeightMaps;
  /** The input of the epilogue that comes through the pipeline. */
  readonly input: PanelMaps;
  readonly stages: Stages;
  readonly pipe: Pipeline;
  /** Where the consumers wait for the pipeline's barriers. */
  readonly started: NamedBarrier;
}

/** Where a part of an operand begins: along M or N, along K, and in a batch. */
type Begin = readonly [mn: number, k: number, batch: number | undefined];

/** Arrivals that fill a stage: the thread's that uses TMA, and, where threads load, one of each of their warps. */
export function producersOf({ problem: { byThreads }, more }: Pick<Geometry, "problem" | "more">): number {
  "use kernel";
  if (!byThreads) return 1;
  return 4 + (more > 0 || !byThreads.a || !byThreads.b ? 1 : 0);
}

/**
 * Loads a matrix of a stage, or this block's part of one that `sharers` blocks load for each other: some of the rows along K's
 * neighbours, or some of K where the other dimension is the one with neighbours. Of a tile that hangs over the edge such a part may lie outside.
 */
function loadPart(
  map: TMA<HalfType>,
  matrix: SharedView<HalfType, 2>,
  full: Mbarrier,
  major: Major,
  [mn, k, batch]: Begin,
  mine: number,
  sharers: number,
  peers: number,
) {
  "use kernel";
  const options = sharers > 1 ? { outside: true, multicast: 2 ** peers - 1 } : { outside: true };
  if (major === "k") {
    const rows = matrix.shape[0] / sharers;
    map.load(matrix.subview([mine * rows, 0], [rows, TILE_K]), full, coordinates(k, mn + mine * rows, batch), options);
  } else {
    const depth = TILE_K / sharers;
    const part = matrix.subview([0, mine * depth], [matrix.shape[0], depth]);
    map.load(part.transpose(1, 0), full, coordinates(mn, k + mine * depth, batch), options);
  }
}

/** B of a stage, from its first element on: whole panels, and the beginning of one; of a pair, both matrices. */
function loadB({ geometry, b, stages }: Loading, stage: number, full: Mbarrier, [col, k, batch]: Begin, mine: number) {
  "use kernel";
  const { problem, columns, alongM, peers } = geometry;
  const { room, whole, rest } = columns;
  const B = stages.b.at(stage);
  for (const [i, maps] of (b.second ? [b, b.second] : [b]).entries()) {
    const part = (map: TMA<HalfType>, first: number, count: number) => {
      const place = B.subview([i * room + first, 0], [count, TILE_K]);
      loadPart(map, place, full, problem.bMajor, [col + first, k, batch], mine, alongM, peers);
    };
    if (maps.whole) part(maps.whole, 0, whole);
    if (maps.rest) part(maps.rest, whole, rest);
  }
}

/** Brings what an epilogue will read through the pipeline nearer, so that its stages are not held up. */
function prefetchInput({ geometry: { through, tileN }, input }: Loading, part: Part, pred: boolean) {
  "use kernel";
  if (!through) return;
  for (const c of staticRange(0, tileN, 64)) {
    const map = tileN - c < 64 ? input.rest : input.whole;
    map?.prefetchBox(coordinates(part.col + c, part.row, part.batch), { pred });
  }
}

/** Where a stage of a tile begins along K. */
function beginAlongK({ splits }: Geometry, part: Part, k: number): number {
  "use kernel";
  return (k * splits + part.split) * TILE_K;
}

/** What TMA loads of a stage: its bytes are expected in one arrival. */
function loadByTma(loading: Loading, put: ProducerStage, part: Part, k: number, rank: readonly [m: number, n: number]) {
  "use kernel";
  const { geometry, a, stages } = loading;
  const { problem, loaded, columns, matrices, alongN, peers } = geometry;
  const { byThreads = {} } = problem;
  const [rankM, rankN] = rank;
  const rows = loaded / part.of;
  const [ofA, ofB] = [problem.batch?.ofA ? part.batch : undefined, problem.batch?.ofB ? part.batch : undefined];
  const loadedByTma = (byThreads.a ? 0 : rows) + (byThreads.b ? 0 : matrices * (columns.whole + columns.rest));
  if (loadedByTma === 0) {
    put.commit();
    return;
  }
  const full = put.acquire(loadedByTma * TILE_K * 2);
  if (a instanceof TMA) {
    const A = stages.a.at(put.index).subview([0, 0], [rows, TILE_K]);
    const depth = beginAlongK(geometry, part, k);
    loadPart(a, A, full, problem.aMajor, [part.row, depth, ofA], rankN, alongN, peers);
  }
  if (!byThreads.b) loadB(loading, put.index, full, [part.col, beginAlongK(geometry, part, k), ofB], rankM);
}

/** The products of a tile, a stage at a time. `rank`: this block's place in its cluster. Gives the place in the pipeline behind them. */
function loadProducts(loading: Loading, from: ProducerStage, part: Part, rank: readonly [m: number, n: number]) {
  "use kernel";
  const { geometry } = loading;
  const { iters } = geometry;
  let put = from;
  if (!geometry.problem.byThreads) {
    for (const k of range(iters)) {
      prefetchInput(loading, part, k === iters >> 1);
      loadByTma(loading, put, part, k, rank);
      put = put.next();
    }
    return put;
  }
  const chunks = chunksOf(loading, part);
  let held = fetchChunk(chunks[0] as (typeof chunks)[0], beginAlongK(geometry, part, 0));
  for (const k of range(iters)) {
    prefetchInput(loading, part, k === iters >> 1 && warpgroup.thread === 0);
    if (producersOf(geometry) > 4 && warpgroup.thread === 0) loadByTma(loading, put, part, k, rank);
    const next = iters > 1 ? beginAlongK(geometry, part, k + 1) : undefined;
    held = fillStage(chunks, held, put, [beginAlongK(geometry, part, k), next]);
    put = put.next();
  }
  return put;
}

/**
 * What an epilogue reads through the pipeline, in the stages that follow. No more than the tile: what lies beside it may be another block's,
 * which stores there if the input is the result.
 */
function loadInput({ geometry: { problem, through, tileM, tileN }, input, stages }: Loading, from: ProducerStage, part: Part) {
  "use kernel";
  if (!through) return from;
  const { panels, perStage } = through;
  const rows = tileM / part.of;
  let put = from;
  const loadStage = (put: ProducerStage, c: number) => {
    const count = Math.min(perStage, tileN / 64 - c);
    const full = put.acquire(count * rows * 128);
    for (const i of staticRange(Math.ceil(count))) {
      const columns = Math.min(64, (count - i) * 64);
      const panel = stages.panel(put.index, i, rows).subview([0, 0], [rows, columns]);
      const map = columns < 64 ? input.rest : input.whole;
      map?.load(panel, full, coordinates(part.col + (c + i) * 64, part.row, part.batch), { outside: true });
    }
  };
  for (const c of staticRange(0, panels, perStage)) {
    if (!problem.byThreads) loadStage(put, c);
    else {
      if (warpgroup.thread === 0) loadStage(put, c);
      put.wait(); // no warp arrives twice while a stage is filled
      put.commit({ pred: warp.lane === 0 });
    }
    put = put.next();
  }
  return put;
}

/** The producer: one thread of its warpgroup keeps the pipeline full, or all where threads load. */
export function load(loading: Loading) {
  "use kernel";
  const { geometry, pipe, started, from } = loading;
  const { problem, alongM, peers, step } = geometry;
  if (problem.byThreads) started.sync();
  else if (peers === 1) started.arrive(); // the thread that loads has made the barriers: it need not wait for anybody
  if (!problem.byThreads && warpgroup.thread !== 0) return;
  const rank = peers > 1 ? cluster.rank : 0;
  const place = [rank % alongM, Math.trunc(rank / alongM)] as const;
  let put = pipe.producer();
  walk(loading, from, step, (part) => {
    put = loadInput(loading, loadProducts(loading, put, part, place), part);
  });
  if (problem.overlaps) gridDependency.launchDependents(); // nothing is left to load
  if (peers > 1) put.drain();
}
