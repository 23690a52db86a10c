import {
  type Accumulator,
  type ConsumerStage,
  fence,
  type NamedBarrier,
  namedBarrier,
  type Operand,
  range,
  type SharedView,
  syncWarp,
  tile,
  WGMMAMatrix,
  warp,
  warpgroup,
  wgmma,
} from "warpsmith";
import { type Blocks, numberOf, type QueryTile } from "./blocks.ts";
import type { Computing, State } from "./computing.ts";
import { ROWS } from "./plan.ts";
import { scoresOf } from "./scores.ts";
import { begin, next } from "./softmax.ts";
import { store, storeNone } from "./store.ts";
import { walk } from "./walk.ts";

/** A consumer, its operands, and the barriers by which consumers take turns. */
interface Consumer {
  readonly computing: Computing;
  readonly wg: number;
  readonly Q: Operand;
  readonly K: Operand;
  readonly V: Operand;
  readonly mine: NamedBarrier;
  readonly other: NamedBarrier;
  /** By how much what is taken off was raised, for each of its queries. */
  readonly raised: SharedView<"f32", 1>;
}

const release = (stage: ConsumerStage) => {
  "use kernel";
  stage.release({ pred: warp.lane === 0 });
};

/** A block of keys: its number, and whether keys of it are hidden from some of the queries. */
interface Place {
  readonly j: number;
  readonly masked: boolean;
}

/** The scores of a block, as the author has them. */
function scored({ geometry, scoring, mask }: Computing, S: Accumulator, tile64: QueryTile, { j, masked }: Place): Accumulator {
  "use kernel";
  return scoresOf(geometry, scoring, S, tile64, j, masked, mask);
}

/** By what scores are multiplied to be exponents of 2. The author's function is given them as they are. */
const scaleOf = ({ geometry: { problem }, scoring }: Computing): number => {
  "use kernel";
  return (scoring ? 1 : problem.scale) * Math.LOG2E;
};

/** Issues the product of the queries and a block of keys. */
function multiplyKeys({ computing: { geometry }, Q, K }: Consumer, getK: ConsumerStage): Accumulator {
  "use kernel";
  return WGMMAMatrix.accumulator("f32", [ROWS, geometry.plan.keys]).mma(Q, K.at(getK.index), { accumulate: false });
}

/** Waits for a block of values, and issues its product with the weights. */
function multiplyValues({ V }: Consumer, { O, P, getV }: Pick<State, "O" | "P" | "getV">): Accumulator {
  "use kernel";
  getV.wait();
  return O.mma(WGMMAMatrix.fromRegisters(P), V.at(getV.index));
}

/** The output so far, times `shrink` of its query. Where there is slack, nothing is done for a warp all of whose queries have 1, as they almost always have. */
function shrunk({ computing, raised }: Consumer, O: Accumulator, shrink: number): Accumulator {
  "use kernel";
  if (computing.geometry.plan.slack === 0) return O.scale(tile.expand(shrink, 1));
  syncWarp();
  const by = raised.at((warp.index % 4) * 16 + (warp.lane % 16)).load();
  let result = O;
  if (warp.any(by > 0)) result = O.scale(tile.expand(shrink, 1));
  syncWarp();
  return result;
}

/** Behind a sequence's values are those of the next one, or what memory has there: zeros, so that a weight of 0 makes them 0. The consumers divide them among themselves. */
function clearBehind({ computing, wg }: Consumer, { sizes }: QueryTile, j: number, getV: ConsumerStage) {
  "use kernel";
  const { geometry, v } = computing;
  const { problem, plan } = geometry;
  const left = sizes.keys - j * plan.keys;
  if (left >= plan.keys) return;
  const [across, threads] = [problem.dv / 8, 128 * plan.consumers];
  const zeros = Array.from({ length: 8 }, () => 0);
  getV.wait();
  for (const i of range(Math.max(left, 0) * across + wg * 128 + warpgroup.thread, plan.keys * across, threads))
    v.at(getV.index, Math.trunc(i / across), (i % across) * 8).store(zeros);
  fence.proxyAsync({ space: "shared::cta" });
  namedBarrier(12, threads).sync();
}

/** The same of a block behind the first one that is computed: a mask lists a sequence's last keys in any place among those that are masked. */
function clearListed(consumer: Consumer, tile64: QueryTile, { j, masked }: Place, getV: ConsumerStage) {
  "use kernel";
  const { geometry, mask } = consumer.computing;
  if (geometry.problem.packed && mask && masked) clearBehind(consumer, tile64, j, getV);
}

/** One block: its scores are multiplied beside the weighted values of the one before, and weighed while these are still multiplied. */
function overlapped(consumer: Consumer, tile64: QueryTile, state: State, place: Place): State {
  "use kernel";
  const { computing, mine, other, raised } = consumer;
  const { geometry } = computing;
  const { problem, plan } = geometry;
  const { getK, getV } = state;
  getK.wait();
  if (plan.turns) mine.sync();
  const S = multiplyKeys(consumer, getK);
  const O = multiplyValues(consumer, state);
  if (plan.turns) other.arrive();
  wgmma.wait(1);
  release(getK);
  const scores = scored(computing, S, tile64, place);
  const { weights, shrink, softmax } = next(state.softmax, scores, scaleOf(computing), plan.slack, (by) => raised.store(by));
  wgmma.wait(0);
  release(getV);
  const P = weights.convert(problem.dtype);
  clearListed(consumer, tile64, place, getV.next());
  return { O: shrunk(consumer, O, shrink), P, softmax, getK: getK.next(), getV: getV.next() };
}

/** One block: its scores, its weights, and its values weighed, one after the other. */
function inOrder(consumer: Consumer, tile64: QueryTile, state: State, place: Place): State {
  "use kernel";
  const { computing, mine, other, raised } = consumer;
  const { geometry } = computing;
  const { problem, plan } = geometry;
  const { getK, getV } = state;
  getK.wait();
  if (plan.turns) mine.sync();
  const S = multiplyKeys(consumer, getK);
  if (plan.turns) other.arrive();
  wgmma.wait(0);
  release(getK);
  const scores = scored(computing, S, tile64, place);
  const { weights, shrink, softmax } = next(state.softmax, scores, scaleOf(computing), plan.slack, (by) => raised.store(by));
  const P = weights.convert(problem.dtype);
  clearListed(consumer, tile64, place, getV);
  const O = multiplyValues(consumer, { O: shrunk(consumer, state.O, shrink), P, getV });
  wgmma.wait(0);
  release(getV);
  return { O, P, softmax, getK: getK.next(), getV: getV.next() };
}

/** The first block of a tile, its last keys. */
function firstBlock(consumer: Consumer, tile64: QueryTile, place: Place, from: Pick<State, "getK" | "getV">): State {
  "use kernel";
  const { computing } = consumer;
  const { geometry } = computing;
  const { problem } = geometry;
  const { getK, getV } = from;
  getK.wait();
  const S = multiplyKeys(consumer, getK);
  wgmma.wait(0);
  release(getK);
  const { weights, softmax } = begin(scored(computing, S, tile64, place), scaleOf(computing));
  const P = weights.convert(problem.dtype);
  const O = WGMMAMatrix.accumulator("f32", [ROWS, problem.dv]);
  if (problem.packed) clearBehind(consumer, tile64, place.j, getV);
  return { O, P, softmax, getK: getK.next(), getV };
}

/** Weighs the values of the latest block. */
function finish(consumer: Consumer, state: State): State {
  "use kernel";
  const O = multiplyValues(consumer, state);
  wgmma.wait(0);
  release(state.getV);
  return { ...state, O, getV: state.getV.next() };
}

/** A tile's blocks, from the last one down: masked ones in loops of their own. */
function attend(consumer: Consumer, tile64: QueryTile, blocks: Blocks, from: Pick<State, "getK" | "getV">): State {
  "use kernel";
  const { geometry, scoring, mask } = consumer.computing;
  const { problem, plan } = geometry;
  const { last, free, left, first } = blocks;
  const bounded = problem.causal || problem.window !== undefined || mask !== undefined;
  // The number of a block is asked for where something depends on it, and before the block is waited for.
  const placeOf = (j: number, masked: boolean): Place => ({ j: masked || scoring ? numberOf(geometry, blocks, j) : j, masked });
  const step = plan.overlap ? overlapped : inOrder;
  let state = firstBlock(consumer, tile64, placeOf(last, bounded || problem.ragged), from);
  if (!plan.overlap) state = finish(consumer, state);
  if (bounded) for (const j of range(last - 1, free - 1, -1)) state = step(consumer, tile64, state, placeOf(j, true));
  for (const j of range(free - 1, left - 1, -1)) state = step(consumer, tile64, state, placeOf(j, false));
  if (problem.window !== undefined)
    for (const j of range(left - 1, first - 1, -1)) state = step(consumer, tile64, state, placeOf(j, true));
  return plan.overlap ? finish(consumer, state) : state;
}

/** A consumer: a warpgroup that computes 64 queries of each tile, and stores what comes of them. */
export function compute(computing: Computing, wg: number) {
  "use kernel";
  const { geometry, q, k, v, queries, keys, values } = computing;
  const { problem, plan } = geometry;
  const { consumers } = plan;
  const consumer: Consumer = {
    computing,
    wg,
    Q: WGMMAMatrix.descriptor(q.at(wg), [ROWS, problem.d]),
    K: WGMMAMatrix.descriptor(k.transpose(0, 2, 1), [problem.d, plan.keys]),
    V: WGMMAMatrix.descriptor(v, [plan.keys, problem.dv]),
    mine: namedBarrier(1 + wg, 256),
    other: namedBarrier(1 + ((wg + 1) % consumers), 256),
    raised: computing.raised.at(wg),
  };
  if (plan.turns && wg === consumers - 1) consumer.other.arrive(); // the first one begins
  let from = { getK: keys.consumer(), getV: values.consumer() };
  let getQ = queries.consumer().next(wg);
  const rowsOf = (tile: QueryTile): QueryTile => ({ ...tile, row: tile.row + wg * ROWS });
  walk(
    computing,
    (tile, blocks) => {
      const tile64 = rowsOf(tile);
      getQ.wait();
      const state = attend(consumer, tile64, blocks, from);
      from = { getK: state.getK, getV: state.getV };
      store(computing, wg, tile64, state, getQ);
      getQ = getQ.next(consumers);
    },
    (tile) => storeNone(computing, rowsOf(tile)),
  );
}
