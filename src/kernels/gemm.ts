import {
  type Accumulator,
  blockIdx,
  type ConsumerStage,
  cluster,
  fence,
  gridDependency,
  type Kernel,
  kernel,
  type Mbarrier,
  namedBarrier,
  type Operand,
  Pipeline,
  range,
  type SharedView,
  sharedMemory,
  staticRange,
  syncWarp,
  type Tensor,
  TileScheduler,
  TMA,
  threadIdx,
  tma,
  WGMMAMatrix,
  warp,
  warpgroup,
  wgmma,
} from "warpsmith";
import {
  type Epilogue,
  type Fused,
  fetchColumns,
  finish,
  type InputKinds,
  type Inputs,
  layColumns,
  makeColumns,
} from "./epilogue.ts";
import { boxesOf, inputStages, type Major, type Plan, panelWidth, rowsOf, TILE_K } from "./plan.ts";

export type HalfType = "f16" | "bf16";
type Map = TMA<HalfType, 2>;

/** Warps of a warpgroup. */
const WARPS = 4;

/** What a kernel is made for. */
export interface Problem {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly dtype: HalfType;
  readonly aMajor: Major;
  readonly bMajor: Major;
  /** What the epilogue reads. */
  readonly inputs?: InputKinds;
  /** Begins before the launch before it has ended, and lets the next one begin so. Default false. */
  readonly overlaps?: boolean;
}

/** D as TMA stores it; or as a tensor, where its rows do not lie a multiple of 16 bytes apart. */
type Out = Map | Tensor<HalfType, 2>;

/**
 * Loads a matrix of a stage, or this block's part of one that `sharers` blocks load for each other: some of the rows along K's
 * neighbours, or some of K where the other dimension is the one with neighbours.
 */
function loadPart(
  map: Map,
  matrix: SharedView<HalfType, 2>,
  full: Mbarrier,
  major: Major,
  [mn, k]: readonly [number, number],
  mine: number,
  sharers: number,
  peers: number,
) {
  "use kernel";
  const options = sharers > 1 ? { multicast: 2 ** peers - 1 } : {};
  if (major === "k") {
    const rows = matrix.shape[0] / sharers;
    map.load(matrix.subview([mine * rows, 0], [rows, TILE_K]), full, [k, mn + mine * rows], options);
  } else {
    const depth = TILE_K / sharers;
    const part = matrix.subview([0, mine * depth], [matrix.shape[0], depth]);
    map.load(part.transpose(1, 0), full, [mn, k + mine * depth], options);
  }
}

/** Hands a stage back to every block that fills it: one lane of each warp for each block, because a warp waits for its own part of a product. */
function release(stage: ConsumerStage, peers: number, pred: boolean) {
  "use kernel";
  if (peers === 1) stage.release({ pred: warp.lane === 0 && pred });
  else stage.release({ pred: warp.lane < peers && pred, rank: warp.lane });
}

/** Products of one tile, a stage at a time. Those that `wait` leaves running have kept their stages: the last of them is `held`. */
function multiply(A: Operand, B: Operand, from: ConsumerStage, turns: number, wait: number, peers: number) {
  "use kernel";
  let D = WGMMAMatrix.accumulator("f32", [A.shape[0], B.shape[1]]);
  let get = from;
  let held = from;
  for (const k of range(turns)) {
    get.wait();
    D = D.mma(A.at(get.index), B.at(get.index), { accumulate: k > 0, wait });
    if (wait === 0) release(get, peers, true);
    else release(held, peers, k > 0);
    held = get;
    get = get.next();
  }
  return { D, get, held };
}

/** A place in the ring from which an epilogue reads: the stages that follow those of A and B. */
interface FromRing {
  readonly get: ConsumerStage;
  /** The panel of 64 columns of that number, as it lies in a stage. */
  panel(stage: number, number: number): SharedView<HalfType, 2>;
  /** Panels in a stage. */
  readonly perStage: number;
  release(stage: ConsumerStage): void;
}

interface Target {
  readonly d: Out;
  readonly dtype: HalfType;
  /** [buffers, rows, width of a panel]. */
  readonly buffers: SharedView<HalfType, 3>;
  /** This consumer's number, and the tile's first element in D. */
  readonly wg: number;
  readonly row: number;
  readonly col: number;
  readonly by: Plan["stores"];
}

/**
 * Writes a tile to D, panel by panel: while TMA reads one from its buffer, the next are filled. The threads that share the buffers are a
 * warpgroup, or a warp, which needs no barrier and stores its 16 rows by itself. Gives the place in the ring behind what the epilogue
 * has read of it.
 */
function storeTile(
  D: Accumulator,
  { d, dtype, buffers, wg, row, col, by }: Target,
  fused: Fused | undefined,
  ring: FromRing | undefined,
) {
  "use kernel";
  const [count, rows, width] = buffers.shape;
  const together = namedBarrier(1 + warpgroup.index, 128);
  const fetched = fused !== undefined && Object.keys(fused.columns).length > 0;
  const alone = by === "warp" && d instanceof TMA && !ring && !fetched;
  const first = alone ? (warp.index % 4) * 16 : 0;
  const leader = alone ? warp.lane === 0 : warpgroup.thread === 0;
  const meet = () => {
    if (alone) syncWarp();
    else together.sync();
  };
  let get = ring?.get;
  /** What came through the ring for a panel, and the stage that it leaves empty. */
  const fromRing = (c: number) => {
    if (!ring || !get || c >= D.shape[1]) return undefined;
    const number = Math.floor(c / 64) % ring.perStage;
    if (number === 0 && c % 64 === 0) get.wait();
    const tile = WGMMAMatrix.load(ring.panel(get.index, number).subview([0, c % 64], [rows, width]));
    const end = c + width;
    const emptied = end === D.shape[1] || (end % 64 === 0 && number === ring.perStage - 1) ? get : undefined;
    if (emptied) get = get.next();
    return { tile, emptied };
  };
  let came = fromRing(0);
  for (const c of staticRange(0, D.shape[1], width)) {
    const turn = c / width;
    const reused = d instanceof TMA && (turn === 0 || turn >= count);
    if (reused && leader) tma.wait(turn === 0 ? 0 : count - 1, { read: true }); // what was in this buffer has left it
    if (reused || (turn === 0 && fetched)) meet(); // and every thread has fetched its columns
    const part = D.columns(c, width);
    const result = (fused ? finish(fused, part, came?.tile, wg, row, col + c, c) : part).convert(dtype);
    const panel = buffers.at(turn % count);
    result.store(d instanceof TMA ? panel : d.subview([row, col + c], [rows, width]));
    const emptied = came?.emptied;
    came = fromRing(c + width); // while the barrier is waited for
    if (d instanceof TMA || ring) fence.proxyAsync({ space: "shared::cta" });
    if (d instanceof TMA || ring || fetched) meet();
    if (leader && d instanceof TMA) {
      for (const r of staticRange(0, rows, alone ? 64 : rows)) {
        d.store(panel.subview([r + first, 0], [alone ? 16 : rows, width]), [col + c, row + r + first]);
      }
      tma.commit();
    }
    if (emptied) ring?.release(emptied);
  }
  return get;
}

/**
 * D = A @ B. One warpgroup loads stages of A and B; the consumers multiply: together on one tile (`cooperative`), or each on
 * tiles of its own (`pingpong`), one multiplying while the other stores.
 */
export function makeGemm(problem: Problem, plan: Plan, epilogue?: Epilogue): Kernel<[a: Map, b: Map, d: Out, inputs: Inputs]> {
  const { m: M, n: N, k: K, dtype, aMajor, bMajor, inputs: kinds = {}, overlaps = false } = problem;
  const { stages, consumers, group, wait, blocks, stores, buffers } = plan;
  const [tileM, tileN] = plan.tile;
  const [alongM, alongN] = plan.cluster;
  const peers = alongM * alongN;
  const pingpong = plan.schedule === "pingpong";
  const turns = Math.ceil(K / TILE_K);
  /** The input that comes through the ring, in panels of 64 columns: how many of them a stage holds, and stages of a tile. */
  const through = Object.keys(kinds).find((name) => kinds[name]?.through === "ring");
  const inputPanels = Math.ceil(tileN / 64);
  const more = through === undefined ? 0 : inputStages(plan.tile);
  const perStage = Math.ceil(inputPanels / Math.max(1, more));
  const tiles: readonly [number, number] = [Math.ceil(M / tileM), Math.ceil(N / tileN)];
  const rows = rowsOf(plan);
  const width = panelWidth(tileN, rows);
  const { swizzle } = boxesOf(plan, aMajor, bMajor);
  /** Tiles of clusters: all, and those of waves that fill the machine. The rest are halves where the plan splits them. */
  const all = Math.ceil(tiles[0] / alongM) * Math.ceil(tiles[1] / alongN);
  const ragged = M % (tileM * alongM) !== 0 || N % (tileN * alongN) !== 0;
  const whole = plan.splitTail ? all - (all % (blocks / peers)) : all;

  return kernel(
    { block: 128 * (1 + consumers), grid: blocks, cluster: peers },
    function gemm(a: Map, b: Map, d: Out, inputs: Inputs) {
      const aRoom = sharedMemory.alloc(dtype, [stages, tileM, TILE_K], { swizzle: "128B" });
      const bRoom = sharedMemory.alloc(dtype, [stages, tileN, TILE_K], { swizzle: "128B" });
      const tilesIn = (room: SharedView<HalfType, 3>, major: Major, extent: number) =>
        major === "k" ? room : room.reinterpret(dtype, [stages, TILE_K, extent]).transpose(0, 2, 1);
      const aTiles = tilesIn(aRoom, aMajor, tileM);
      const bTiles = tilesIn(bRoom, bMajor, tileN);
      /** The panel of that number of a tile of the ring's input: the first lies where A does, the others where B does. */
      const panel = (stage: number, number: number, height: number) =>
        number === 0
          ? aRoom.at(stage).subview([0, 0], [height, 64])
          : bRoom.at(stage).subview([(number - 1) * height, 0], [height, 64]);
      const columns = makeColumns(kinds, consumers, tileN);
      const fused = epilogue && { fn: epilogue, kinds, given: inputs, columns, edge: ragged ? ([M, N] as const) : undefined };
      const panels = sharedMemory.alloc(dtype, [consumers, buffers, rows, width], { swizzle });
      const ring = new Pipeline({ stages, consumers: (pingpong ? 1 : consumers) * WARPS, peers });
      if (threadIdx.x === 0) for (const map of [a, b, d, ...Object.values(inputs)]) if (map instanceof TMA) map.prefetch();
      ring.init({ sync: peers > 1 });
      if (overlaps) gridDependency.wait(); // from here on memory is as the launch before has left it
      const started = namedBarrier(15, 128 * (1 + consumers));
      const order = new TileScheduler(tiles, {
        mode: "persistent",
        order: plan.order ?? "grouped",
        group,
        cluster: plan.cluster,
      });
      const from = Math.trunc(blockIdx.x / peers);
      const step = blocks / peers;

      warpgroup.specialize({
        producer: {
          ...(consumers === 2 ? { registers: 40 } : {}),
          run: () => {
            if (peers === 1) started.arrive(); // the thread that loads has made the barriers: it need not wait for anybody
            if (warpgroup.thread !== 0) return;
            const rank = peers > 1 ? cluster.rank : 0;
            const [rankM, rankN] = [rank % alongM, Math.trunc(rank / alongM)];
            let put = ring.producer();
            const load = (aRows: number, am: number, bn: number) => {
              for (const k of range(turns)) {
                const full = put.acquire((aRows + tileN) * TILE_K * 2);
                const A = aTiles.at(put.index).subview([0, 0], [aRows, TILE_K]);
                loadPart(a, A, full, aMajor, [am, k * TILE_K], rankN, alongN, peers);
                loadPart(b, bTiles.at(put.index), full, bMajor, [bn, k * TILE_K], rankM, alongM, peers);
                put = put.next();
              }
              if (through === undefined) return;
              for (const c of staticRange(0, inputPanels, perStage)) {
                const count = Math.min(perStage, inputPanels - c);
                const full = put.acquire(count * aRows * 128);
                for (const i of staticRange(count)) {
                  (inputs[through] as Map).load(panel(put.index, i, aRows), full, [bn + (c + i) * 64, am]);
                }
                put = put.next();
              }
            };
            for (const i of range(from, whole, step)) {
              const { m, n } = order.at(i);
              load(tileM, m * tileM, n * tileN);
            }
            if (whole < all) {
              for (const i of range(from, 2 * (all - whole), step)) {
                const { m, n } = order.at(whole + (i >> 1));
                load(tileM / 2, m * tileM + (i & 1) * (tileM / 2), n * tileN);
              }
            }
            if (overlaps) gridDependency.launchDependents(); // nothing is left to load
            if (peers > 1) put.drain();
          },
        },
        consumer: {
          warpgroups: consumers,
          ...(consumers === 2 ? { registers: 232 } : {}),
          run: (wg) => {
            if (peers === 1) started.sync();
            const thread = warpgroup.thread;
            const B = WGMMAMatrix.descriptor(bTiles.transpose(0, 2, 1), [TILE_K, tileN]);
            const mine = namedBarrier(8 + wg, 256);
            const other = namedBarrier(9 - wg, 256);
            let get = ring.consumer().next(pingpong ? wg * (turns + more) : 0);
            const compute = (height: number, row: number, col: number, follows: boolean) => {
              const first = pingpong ? 0 : wg * height;
              const A = WGMMAMatrix.descriptor(aTiles.subview([0, first, 0], [stages, height, TILE_K]), [height, TILE_K]);
              const fetched = fused && fetchColumns(fused, col);
              if (pingpong) mine.sync();
              const done = multiply(A, B, get, turns, wait, peers);
              if (pingpong && follows) {
                // The other one skips these stages; behind its first round it would take one that is still empty for full.
                for (const i of staticRange(more)) done.get.next(i).wait();
                other.arrive();
              }
              wgmma.wait(0);
              if (wait > 0) release(done.held, peers, true);
              if (fetched) layColumns(fetched, wg);
              const room = panels.at(wg).subview([0, 0, 0], [buffers, height, width]);
              const target = { d, dtype, buffers: room, wg, row: row + first, col, by: stores };
              const tall = pingpong ? height : height * consumers;
              const fromRing =
                through === undefined
                  ? undefined
                  : {
                      get: done.get,
                      perStage,
                      panel: (stage: number, number: number) => panel(stage, number, tall).subview([first, 0], [height, 64]),
                      release: (stage: ConsumerStage) => release(stage, peers, true),
                    };
              get = (storeTile(done.D, target, fused, fromRing) ?? done.get).next(pingpong ? turns + more : 0);
            };
            if (pingpong && wg === 1) other.arrive();
            for (const i of range(from + (pingpong ? wg * step : 0), whole, pingpong ? 2 * step : step)) {
              const { m, n } = order.at(i);
              compute(rows, m * tileM, n * tileN, i + step < whole);
            }
            if (whole < all) {
              for (const i of range(from, 2 * (all - whole), step)) {
                const { m, n } = order.at(whole + (i >> 1));
                compute(rows / 2, m * tileM + (i & 1) * (tileM / 2), n * tileN, false);
              }
            }
            if (thread % (stores === "warp" ? 32 : 128) === 0) tma.wait(0, { read: true });
          },
        },
      });
    },
  );
}
