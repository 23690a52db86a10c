import {
  type Accumulator,
  blockIdx,
  fence,
  fma,
  type Operand,
  range,
  type SharedView,
  type ConsumerStage as Stage,
  staticRange,
  tile,
  WGMMAMatrix,
  warp,
  warpgroup,
} from "warpsmith";
import type { HalfType } from "../problem.ts";
import { exp2, LEAST } from "../softmax.ts";
import { combine } from "./combine.ts";
import { atOnceOf, type DecodeComputing, linesByQuery, linesOf, partsOf } from "./computing.ts";
import { mostRows, widthOf } from "./plan.ts";
import { storeColumns, storeLogs, storeRows } from "./store.ts";
import { partOf, type Segment, walk } from "./work.ts";

/** What is known of a segment's keys so far. */
interface State {
  /** Sums of weighted values, [dv, rows]. */
  readonly O: Accumulator;
  /** The largest score of each query, in powers of 2. */
  readonly most: number;
  readonly sums: Sums;
}

/** The sum of the weights of each query: in parts, [keys, rows], or whole, where an output of more rows leaves parts no registers. */
type Sums = { readonly parts: Accumulator } | { readonly whole: number };

const addWeights = (sums: Sums, shrink: number, weights: Accumulator): Sums => {
  "use kernel";
  if ("whole" in sums) return { whole: sums.whole * shrink + tile.sum(weights.tile, 0) };
  return { parts: sums.parts.scale(tile.expand(shrink, 0)).zip(weights, (a, b) => a + b) };
};

const totalOf = (sums: Sums): number => {
  "use kernel";
  return "whole" in sums ? sums.whole : tile.sum(sums.parts.tile, 0);
};

/** By what scores are multiplied to be exponents of 2. */
const scaleOf = ({ geometry: { problem } }: DecodeComputing): number => {
  "use kernel";
  return problem.scale * Math.LOG2E;
};

/** The queries that share the segment's keys, zeros where there are none. */
function loadQueries(computing: DecodeComputing, segment: Segment) {
  "use kernel";
  const { rows, problem } = computing.geometry;
  const all = widthOf(problem.d);
  const width = atOnceOf(rows, all);
  for (const from of staticRange(0, all, width)) loadColumns(computing, segment, from, width);
  fence.proxyAsync({ space: "shared::cta" });
  warpgroup.sync();
}

/** Columns `first` to `first + columns` of them. */
function loadColumns(
  { geometry: { problem, rows }, queries, q }: DecodeComputing,
  { batch, kvHead }: Segment,
  first: number,
  columns: number,
) {
  "use kernel";
  const from = queries.at(batch, kvHead);
  const parts = partsOf(columns).map(({ at, width }) => {
    const col = first + at;
    if (problem.queries === 1) return { col, lines: from.at(0).loadTile([0, col], [rows.heads, width], linesOf(width)) };
    const byQuery = from.loadTile([0, 0, col], [rows.queries, rows.heads, width], linesByQuery(rows, width));
    return { col, lines: tile.reshape(byQuery, [rows.count, width]) };
  });
  if (first === 0) warpgroup.sync(); // nobody multiplies the queries before these any more
  for (const { col, lines } of parts) q.subview([0, col], tile.info(lines).shape).store(lines);
}

/** Values of keys that no query sees are whatever memory has there: zeros, so that a weight of 0 makes them 0. These are those from key `from` of the block on, up to `to`. */
function clear(v: SharedView<HalfType, 2>, from: number, to: number) {
  "use kernel";
  const across = v.shape[1] / 8;
  const zeros = Array.from({ length: 8 }, () => 0);
  for (const i of range(from * across + warpgroup.thread, to * across, 128))
    v.at(Math.trunc(i / across), (i % across) * 8).store(zeros);
}

/** The scores of a block of keys, -Infinity for those that a query does not see: below `left` there are keys, of which the last is the last query's own. */
function seenOf({ geometry: { problem, rows } }: DecodeComputing, S: Accumulator, left: number): Accumulator {
  "use kernel";
  const { queries, window } = problem;
  return S.map((s, key, row) => {
    const end = queries === 1 ? left : left - (queries - 1) + Math.trunc(row / rows.heads);
    const seen = key < end;
    return (window === undefined ? seen : seen && key >= end - window) ? s : -Infinity;
  });
}

/** The segment's keys and values, block by block: scores of [keys, rows], weights, and sums of values of [dv, rows]. */
function attend(computing: DecodeComputing, Q: Operand, segment: Segment, from: { getK: Stage; getV: Stage }) {
  "use kernel";
  const { geometry, k, v, p } = computing;
  const { problem, plan } = geometry;
  const rows = geometry.rows.count;
  const K = WGMMAMatrix.descriptor(k, [plan.keys, widthOf(problem.d)]);
  const V = WGMMAMatrix.descriptor(v.transpose(0, 2, 1), [widthOf(problem.dv), plan.keys]);
  const P = WGMMAMatrix.descriptor(p.transpose(1, 0), [plan.keys, rows]);
  const scale = scaleOf(computing);
  const isWide = rows > mostRows(problem.dv);
  const none = WGMMAMatrix.accumulator("f32", [plan.keys, rows]);
  let state: State = {
    O: WGMMAMatrix.accumulator("f32", [widthOf(problem.dv), rows]),
    most: tile.max(none.tile, 0) + LEAST,
    sums: isWide ? { whole: tile.sum(none.tile, 0) } : { parts: none },
  };
  let { getK, getV } = from;
  for (const j of range(segment.from, segment.to)) {
    const left = segment.length - j * plan.keys;
    getK.wait();
    const S = WGMMAMatrix.accumulator("f32", [plan.keys, rows]).mma(K.at(getK.index), Q, { accumulate: false, wait: 0 });
    getK.release({ pred: warp.lane === 0 });
    getK = getK.next();
    const scores = seenOf(computing, S, left);
    const most = Math.max(state.most, tile.max(scores.tile, 0) * scale);
    const shrink = exp2(state.most - most);
    // Where registers are few, what is scaled first leaves those of its factors to the weights.
    const scaled = isWide ? state.O.scale(tile.expand(shrink, 0)) : undefined;
    const weights = scores.zip(tile.expand(-most, 0), (s, off) => exp2(fma(s, scale, off)));
    const sums = addWeights(state.sums, shrink, weights);
    weights.convert(problem.dtype).store(p.transpose(1, 0));
    getV.wait();
    if (left < plan.keys) clear(v.at(getV.index), Math.max(left, 0), plan.keys);
    if (problem.window !== undefined) {
      const before = left - (problem.queries - 1) - problem.window;
      if (before > 0) clear(v.at(getV.index), 0, Math.min(before, plan.keys));
    }
    fence.proxyAsync({ space: "shared::cta" });
    warpgroup.sync();
    const O = (scaled ?? state.O.scale(tile.expand(shrink, 0))).mma(V.at(getV.index), P, { wait: 0 });
    getV.release({ pred: warp.lane === 0 });
    getV = getV.next();
    state = { O, most, sums };
  }
  return { ...state, getK, getV };
}

/** What came of a head whose keys were all in one segment. */
function store(computing: DecodeComputing, segment: Segment, O: Accumulator, off: number, sum: number) {
  "use kernel";
  // Where there are no keys the sum is 0, and so is the output.
  const { problem, rows } = computing.geometry;
  const result = O.scale(tile.expand(1 / Math.max(sum, 1e-37), 0)).convert(problem.dtype);
  if (rows.count > mostRows(problem.dv)) storeByRows(computing, segment, result);
  else storeColumns(computing, segment, result.tile);
  storeLogs(computing, segment, off, sum);
}

/** The same by way of the memory that queries lay in, which are as wide: an output of more rows leaves no registers for which of its columns there are. */
function storeByRows(computing: DecodeComputing, segment: Segment, result: Accumulator) {
  "use kernel";
  const { geometry, q } = computing;
  const all = widthOf(geometry.problem.dv);
  const width = atOnceOf(geometry.rows, all);
  result.store(q.transpose(1, 0));
  warpgroup.sync();
  for (const at of staticRange(0, all, width))
    storeRows(computing, segment, at, () => q.subview([0, at], [geometry.rows.count, width]).load(linesOf(width)));
}

/** The consumer: a warpgroup that computes its part of the work. What it has of a head that others have a part of it leaves to the one that comes last. */
export function compute(computing: DecodeComputing) {
  "use kernel";
  const { geometry, lengths, work, keys, values, q, parts, arrived } = computing;
  const { problem, rows } = geometry;
  const Q = WGMMAMatrix.descriptor(q.transpose(1, 0), [widthOf(problem.d), rows.count]);
  let from = { getK: keys.consumer(), getV: values.consumer() };
  walk(geometry, lengths, work, (segment) => {
    loadQueries(computing, segment);
    const { O, most: off, sums, getK, getV } = attend(computing, Q, segment, from);
    from = { getK, getV };
    const sum = totalOf(sums);
    if (segment.first === 0 && segment.end === segment.blocks) store(computing, segment, O, off, sum);
    else {
      const [first, last] = [partOf(work, segment.start), partOf(work, segment.start + segment.blocks - 1)];
      const slot = 2 * blockIdx.x + (segment.first === 0 ? 1 : 0);
      parts.output.at(slot).transpose(1, 0).storeTile([0, 0], O.tile);
      parts.sums.at(slot, 0).storeTile([0], off);
      parts.sums.at(slot, 1).storeTile([0], sum);
      warpgroup.sync();
      if (warpgroup.thread === 0) {
        arrived[0] = parts.counters.at(first).atomic("add", 1, { order: "acq_rel" });
      }
      warpgroup.sync();
      if (arrived[0] === last - first) combine(computing, segment, first, last);
    }
  });
}
