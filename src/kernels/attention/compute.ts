import {
  type Accumulator,
  type ConsumerStage,
  f32,
  fast,
  fence,
  type NamedBarrier,
  namedBarrier,
  type Operand,
  range,
  type Tensor,
  tile,
  tma,
  WGMMAMatrix,
  warp,
  warpgroup,
  wgmma,
} from "warpsmith";
import type { Blocks, QueryTile } from "./blocks.ts";
import { ROWS } from "./plan.ts";
import { type Score, scoresOf } from "./scores.ts";
import { begin, next, type Softmax } from "./softmax.ts";
import { type Common, type HeadsMap, walk } from "./walk.ts";

/** What consumers need. */
export interface Computing extends Common {
  readonly out: HeadsMap;
  /** [batch, heads, queries], where it is asked for. */
  readonly sums: { readonly to?: Tensor<"f32", 3> };
  readonly score: Score | undefined;
}

/** A consumer: its operands, and the barriers by which consumers take turns. */
interface Consumer {
  readonly wg: number;
  readonly Q: Operand;
  readonly K: Operand;
  readonly V: Operand;
  readonly mine: NamedBarrier;
  readonly other: NamedBarrier;
}

/** What a consumer carries from block to block of keys. */
interface State {
  readonly O: Accumulator;
  /** Weights of the latest block, whose values are still to be weighed. */
  readonly P: Accumulator;
  readonly softmax: Softmax;
  readonly getK: ConsumerStage;
  readonly getV: ConsumerStage;
}

const release = (stage: ConsumerStage) => {
  "use kernel";
  stage.release({ pred: warp.lane === 0 });
};

/** One block: its scores are multiplied while the values of the one before are weighed. */
function step(
  { geometry, score }: Computing,
  { Q, K, V, mine, other, wg }: Consumer,
  at: QueryTile,
  state: State,
  j: number,
  masked: boolean,
  sizes: Common["sizes"],
): State {
  "use kernel";
  const { problem, plan } = geometry;
  const { softmax, getK, getV } = state;
  const scale = problem.scale * Math.LOG2E;
  const none = WGMMAMatrix.accumulator("f32", [ROWS, plan.keys]);
  getK.wait();
  if (plan.turns) mine.sync();
  if (!plan.overlap) {
    const S = none.mma(Q, K.at(getK.index), { accumulate: false });
    if (plan.turns) other.arrive();
    wgmma.wait(0);
    release(getK);
    const scores = scoresOf(geometry, score, S, { ...at, row: at.row + wg * ROWS }, j, masked, sizes);
    const { weights, shrink, softmax: after } = next(softmax, scores, score ? Math.LOG2E : scale);
    const P = weights.convert(problem.dtype);
    getV.wait();
    const O = state.O.scale(tile.expand(shrink, 1)).mma(WGMMAMatrix.fromRegisters(P), V.at(getV.index));
    wgmma.wait(0);
    release(getV);
    return { O, P, softmax: after, getK: getK.next(), getV: getV.next() };
  }
  const S = none.mma(Q, K.at(getK.index), { accumulate: false });
  getV.wait();
  const O = state.O.mma(WGMMAMatrix.fromRegisters(state.P), V.at(getV.index));
  if (plan.turns) other.arrive();
  wgmma.wait(1);
  release(getK);
  const scores = scoresOf(geometry, score, S, { ...at, row: at.row + wg * ROWS }, j, masked, sizes);
  const { weights, shrink, softmax: after } = next(softmax, scores, score ? Math.LOG2E : scale);
  wgmma.wait(0);
  release(getV);
  return {
    O: O.scale(tile.expand(shrink, 1)),
    P: weights.convert(problem.dtype),
    softmax: after,
    getK: getK.next(),
    getV: getV.next(),
  };
}

/** A tile's blocks, from the last one down. */
function attend(
  computing: Computing,
  consumer: Consumer,
  at: QueryTile,
  { last, free, left, first }: Blocks,
  getK: ConsumerStage,
  getV: ConsumerStage,
): State {
  "use kernel";
  const { geometry, score, sizes } = computing;
  const { problem, plan } = geometry;
  const { Q, K, V, wg } = consumer;
  const bounded = problem.causal || problem.window !== undefined;
  const scale = score ? Math.LOG2E : problem.scale * Math.LOG2E;
  getK.wait();
  const S = WGMMAMatrix.accumulator("f32", [ROWS, plan.keys]).mma(Q, K.at(getK.index), { accumulate: false, wait: 0 });
  release(getK);
  const scores = scoresOf(geometry, score, S, { ...at, row: at.row + wg * ROWS }, last, bounded || problem.ragged, sizes);
  const { weights, softmax } = begin(scores, scale);
  const P = weights.convert(problem.dtype);
  let O = WGMMAMatrix.accumulator("f32", [ROWS, problem.dv]);
  let behind = getV;
  if (!plan.overlap) {
    getV.wait();
    O = O.mma(WGMMAMatrix.fromRegisters(P), V.at(getV.index), { accumulate: false, wait: 0 });
    release(getV);
    behind = getV.next();
  }
  let state: State = { O, P, softmax, getK: getK.next(), getV: behind };
  if (bounded) for (const j of range(last - 1, free - 1, -1)) state = step(computing, consumer, at, state, j, true, sizes);
  for (const j of range(free - 1, left - 1, -1)) state = step(computing, consumer, at, state, j, false, sizes);
  if (problem.window !== undefined)
    for (const j of range(left - 1, first - 1, -1)) state = step(computing, consumer, at, state, j, true, sizes);
  if (!plan.overlap) return state;
  state.getV.wait();
  O = state.O.mma(WGMMAMatrix.fromRegisters(state.P), V.at(state.getV.index), { wait: 0 });
  release(state.getV);
  return { ...state, O, getV: state.getV.next() };
}

/** A consumer: a warpgroup that computes 64 queries of each tile, and stores what comes of them. */
export function compute(computing: Computing, wg: number) {
  "use kernel";
  const { geometry, q, k, v, queries, keys, values, out, sums } = computing;
  const { problem, plan } = geometry;
  const { consumers } = plan;
  const consumer: Consumer = {
    wg,
    Q: WGMMAMatrix.descriptor(q.at(wg), [ROWS, problem.d]),
    K: WGMMAMatrix.descriptor(k.transpose(0, 2, 1), [problem.d, plan.keys]),
    V: WGMMAMatrix.descriptor(v, [plan.keys, problem.dv]),
    mine: namedBarrier(1 + wg, 256),
    other: namedBarrier(1 + ((wg + 1) % consumers), 256),
  };
  const together = namedBarrier(8 + wg, 128);
  const leader = warpgroup.thread === 0;
  if (plan.turns && wg === consumers - 1) consumer.other.arrive(); // the first one begins
  let getK = keys.consumer();
  let getV = values.consumer();
  let getQ = queries.map((pipe) => pipe.consumer());
  walk(computing, (at, blocks) => {
    for (const [i, get] of getQ.entries()) if (i === wg) get.wait();
    const { O, softmax, getK: k, getV: v } = attend(computing, consumer, at, blocks, getK, getV);
    getK = k;
    getV = v;
    const row = at.row + wg * ROWS;
    const sum = tile.sum(softmax.sums.tile, 1);
    // Of a query that sees no key the sum is 0, and so is its output.
    const result = O.scale(tile.expand(1 / Math.max(sum, 1e-37), 1)).convert(problem.dtype);
    together.sync(); // every warp is done with the queries, whose memory the output takes
    const staging = q.at(wg).subview([0, 0], [ROWS, problem.dv]);
    result.store(staging);
    if (sums.to) {
      const log = (fast.log2(sum) - softmax.off) * f32(Math.LN2);
      sums.to.at(at.batch, at.head).storeTile([row], log);
    }
    fence.proxyAsync({ space: "shared::cta" });
    together.sync();
    if (leader) {
      out.store(staging, [0, row, at.head, at.batch]);
      tma.commit();
      tma.wait(0, { read: true });
      if (plan.persistent) for (const [i, get] of getQ.entries()) if (i === wg) get.release();
    }
    getQ = getQ.map((get) => get.next());
  });
}
