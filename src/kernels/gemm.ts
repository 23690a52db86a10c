import {
  type Accumulator,
  blockIdx,
  type ConsumerStage,
  cluster,
  fence,
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
  TileScheduler,
  type TMA,
  threadIdx,
  tma,
  WGMMAMatrix,
  warp,
  warpgroup,
  wgmma,
} from "warpsmith";
import { boxesOf, type Major, type Plan, panelWidth, rowsOf, TILE_K } from "./plan.ts";

export type HalfType = "f16" | "bf16";
type Map = TMA<HalfType, 2>;

/** What a kernel is made for. */
export interface Problem {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly dtype: HalfType;
  readonly aMajor: Major;
  readonly bMajor: Major;
}

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

/** Hands a stage back to every block that fills it: one thread of each warp (or of the warpgroup) for each. */
function release(stage: ConsumerStage, peers: number, by: Plan["releases"], pred: boolean) {
  "use kernel";
  const thread = by === "warp" ? warp.lane : warpgroup.thread;
  if (peers === 1) stage.release({ pred: thread === 0 && pred });
  else stage.release({ pred: thread < peers && pred, rank: thread });
}

/** Products of one tile, a stage at a time. Those that `wait` leaves running have kept their stages: the last of them is `held`. */
function multiply(A: Operand, B: Operand, from: ConsumerStage, turns: number, wait: number, peers: number, by: Plan["releases"]) {
  "use kernel";
  let D = WGMMAMatrix.accumulator("f32", [A.shape[0], B.shape[1]]);
  let get = from;
  let held = from;
  for (const k of range(turns)) {
    get.wait();
    D = D.mma(A.at(get.index), B.at(get.index), { accumulate: k > 0, wait });
    if (wait === 0) release(get, peers, by, true);
    else release(held, peers, by, k > 0);
    held = get;
    get = get.next();
  }
  return { D, get, held };
}

/**
 * Writes a tile to D, panel by panel through two buffers: while TMA reads one, the other is filled. The threads that share a
 * panel are a warpgroup, or a warp, which needs no barrier and stores its 16 rows by itself.
 */
function storeTile(D: Accumulator, d: Map, buffers: SharedView<HalfType, 3>, by: Plan["stores"], row: number, col: number) {
  "use kernel";
  const [, rows, width] = buffers.shape;
  const together = namedBarrier(1 + warpgroup.index, 128);
  const first = by === "warp" ? (warp.index % 4) * 16 : 0;
  const share = by === "warp" ? 16 : rows;
  const leader = by === "warp" ? warp.lane === 0 : warpgroup.thread === 0;
  const meet = () => {
    if (leader) tma.wait(0, { read: true }); // the panel before this one has left its buffer: the next may fill it
    if (by === "warp") syncWarp();
    else together.sync();
  };
  if ((D.shape[1] / width) % 2 === 1) meet(); // the first buffer was the last one of the tile before
  for (const c of staticRange(0, D.shape[1], width)) {
    const panel = buffers.at((c / width) % 2);
    D.columns(c, width).convert(d.dtype).store(panel);
    fence.proxyAsync({ space: "shared::cta" });
    meet();
    if (leader) {
      for (const r of staticRange(0, rows, by === "warp" ? 64 : rows)) {
        d.store(panel.subview([r + first, 0], [share, width]), [col + c, row + r + first]);
      }
      tma.commit();
    }
  }
}

/**
 * D = A @ B. One warpgroup loads stages of A and B; the consumers multiply: together on one tile (`cooperative`), or each on
 * tiles of its own (`pingpong`), one multiplying while the other stores.
 */
export function makeGemm({ m: M, n: N, k: K, dtype, aMajor, bMajor }: Problem, plan: Plan): Kernel<[a: Map, b: Map, d: Map]> {
  const { stages, consumers, group, wait, blocks, stores, releases } = plan;
  const [tileM, tileN] = plan.tile;
  const [alongM, alongN] = plan.cluster;
  const peers = alongM * alongN;
  const pingpong = plan.schedule === "pingpong";
  const turns = Math.ceil(K / TILE_K);
  const tiles: readonly [number, number] = [Math.ceil(M / tileM), Math.ceil(N / tileN)];
  const rows = rowsOf(plan);
  const width = panelWidth(tileN, rows);
  const { swizzle } = boxesOf(plan, aMajor, bMajor);
  /** Tiles of clusters: all, and those of waves that fill the machine. The rest are halves where the plan splits them. */
  const all = Math.ceil(tiles[0] / alongM) * Math.ceil(tiles[1] / alongN);
  const whole = plan.splitTail ? all - (all % (blocks / peers)) : all;

  return kernel({ block: 128 * (1 + consumers), grid: blocks, cluster: peers }, function gemm(a: Map, b: Map, d: Map) {
    const stage = (major: Major, extent: number) => {
      if (major === "k") return sharedMemory.alloc(dtype, [stages, extent, TILE_K], { swizzle: "128B" });
      return sharedMemory.alloc(dtype, [stages, TILE_K, extent], { swizzle: "128B" }).transpose(0, 2, 1);
    };
    const aTiles = stage(aMajor, tileM);
    const bTiles = stage(bMajor, tileN);
    const panels = sharedMemory.alloc(dtype, [consumers, 2, rows, width], { swizzle });
    const ring = new Pipeline({ stages, consumers: (pingpong ? 1 : consumers) * (releases === "warp" ? 4 : 1), peers });
    if (threadIdx.x === 0) for (const map of [a, b, d]) map.prefetch();
    ring.init({ sync: peers > 1 });
    const started = namedBarrier(15, 128 * (1 + consumers));
    const order = new TileScheduler(tiles, { mode: "persistent", group, cluster: plan.cluster });
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
          let get = ring.consumer().next(pingpong ? wg * turns : 0);
          const compute = (height: number, row: number, col: number, follows: boolean) => {
            const first = pingpong ? 0 : wg * height;
            const A = WGMMAMatrix.descriptor(aTiles.subview([0, first, 0], [stages, height, TILE_K]), [height, TILE_K]);
            if (pingpong) mine.sync();
            const done = multiply(A, B, get, turns, wait, peers, releases);
            if (pingpong && follows) other.arrive();
            wgmma.wait(0);
            if (wait > 0) release(done.held, peers, releases, true);
            get = done.get.next(pingpong ? turns : 0);
            const out = panels.at(wg).subview([0, 0, 0], [2, height, width]);
            storeTile(done.D, d, out, stores, row + first, col);
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
  });
}
