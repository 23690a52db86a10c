import { warpSize } from "../../../base/target.ts";
import { and, compare, constant } from "../../../ir/arith.ts";
import type { Op, Value } from "../../../ir/index.ts";
import { type Before, type Combination, choose, combinationOf, joined, tree, type Values } from "./combination.ts";
import { newLists, put, take } from "./exchange.ts";
import { type Expand, type Expansion, giveResults } from "./expansion.ts";
import { isLastLane, type Lanes, laneBefore, laneOf, lanesOf, reduceLanes, scanLanes, threadsOf, warpOf } from "./lanes.ts";

/** Parts of a group that exchange what their threads have together: the warps of a block, the blocks of a cluster. */
interface Level {
  readonly count: number;
  /** Which of them this thread is in. */
  readonly index: () => Value;
  /** One thread of the part, where any has what all of it has. */
  readonly leader: () => Value;
  /** What each of them has; the thread where `writes` is true brings it. */
  readonly exchange: (values: Values, writes: Value) => readonly Values[];
}

const warpsPerGroup = 4;

/** A barrier, which comes again before the memory may be written again: in a loop. */
function meetAround(x: Expansion, again: boolean, meet: () => void, read: () => readonly Values[]): readonly Values[] {
  meet();
  const found = read();
  if (again && x.loops > 0) meet();
  return found;
}

/** The warps of the block. Nobody has to exchange anything where it has one, and its threads meet nevertheless. */
function warpsOfBlock(x: Expansion, name: string, again: boolean): Level {
  const { w } = x;
  const count = Math.ceil(threadsOf(x) / warpSize);
  const meet = (): void => void w.emit("bar.sync", { id: constant(w, 0, "i32") }, { count: 0 });
  return {
    count,
    index: () => warpOf(x),
    leader: () => compare(w, "eq", laneOf(x), 0),
    exchange: (values, writes) => {
      if (count === 1) return meetAround(x, false, meet, () => [values]);
      const lists = newLists(x, name, values, count);
      put(x, lists, warpOf(x), values, writes);
      return meetAround(x, again, meet, () => take(x, lists, undefined, count, values));
    },
  };
}

/** The four warps of a warpgroup, which has a part of what the block has. */
function warpsOfGroup(x: Expansion, name: string, id: Value): Level {
  const { w } = x;
  const meet = (): void => void w.emit("bar.sync", { id }, { count: warpsPerGroup * warpSize });
  return {
    count: warpsPerGroup,
    index: () => and(w, warpOf(x), warpsPerGroup - 1),
    leader: () => compare(w, "eq", laneOf(x), 0),
    exchange: (values, writes) => {
      const lists = newLists(x, name, values, threadsOf(x) / warpSize);
      put(x, lists, warpOf(x), values, writes);
      return meetAround(x, true, meet, () => take(x, lists, and(w, warpOf(x), -warpsPerGroup), warpsPerGroup, values));
    },
  };
}

const blocksIn = ({ launch }: Expansion): number => launch.cluster.reduce((n, extent) => n * extent, 1);

/** The blocks of the cluster: each reads what the others have put into their own memory, and none goes on before all have. */
function blocksOfCluster(x: Expansion, name: string): Level {
  const { w } = x;
  const count = blocksIn(x);
  const meet = (): void => {
    w.emit("barrier.cluster.arrive", {}, { order: "release" });
    w.emit("barrier.cluster.wait", {}, {});
  };
  return {
    count,
    index: () => w.once("sreg", {}, { reg: "cluster_ctarank" }),
    leader: () => {
      const isFirst = compare(w, "eq", warpOf(x), 0);
      return w.once("and", { a: compare(w, "eq", laneOf(x), 0), b: isFirst }, {});
    },
    exchange: (values, writes) => {
      const lists = newLists(x, name, values, 1);
      put(x, lists, undefined, values, writes);
      meet();
      const found = Array.from({ length: count }, (_, rank) => {
        const base = w.once("mapa", { ptr: lists.base, rank: constant(w, rank, "i32") }, {});
        return take(x, { base, offsets: lists.offsets }, undefined, 1, values).flat();
      });
      meet();
      return found;
    },
  };
}

/** The levels of a group, the innermost first. */
type LevelsOf = (x: Expansion, op: { readonly operands: object; readonly name: string }) => readonly Level[];

/** The first parts, up to this thread's. */
function partsBefore(x: Expansion, all: readonly Values[], index: Value, { of }: Combination): Before | undefined {
  const [first, ...more] = all.slice(0, -1);
  if (!first) return undefined;
  const values = more.reduce((before, next, i) => choose(x.w, compare(x.w, "gt", index, i + 1), of(before, next), before), first);
  return { values, exists: compare(x.w, "gt", index, 0) };
}

interface Scanned {
  /** Of the threads before this thread's warp. */
  readonly before: Before | undefined;
  /** Of this thread's warp up to it. */
  readonly own: Values;
}

function scanLevels(x: Expansion, levels: readonly Level[], lanes: Lanes, given: Values, combination: Combination): Scanned {
  const own = scanLanes(x, lanes, given, combination);
  let before: Before | undefined;
  let [total, writes]: [Values, Value] | [Values, undefined] = [own, undefined];
  for (const level of levels) {
    const all = level.exchange(total, writes ?? isLastLane(x, lanes));
    const outer = partsBefore(x, all, level.index(), combination);
    before = outer && before ? joined(x.w, combination, outer, before) : (outer ?? before);
    const next = levels[levels.indexOf(level) + 1];
    // Where there is one part, nobody but its last lane has what all of it has.
    if (next) [total, writes] = level.count === 1 ? [total, isLastLane(x, lanes)] : [tree(all, combination.of), next.leader()];
  }
  return { before, own };
}

const reduces =
  (levelsOf: LevelsOf) =>
  (x: Expansion, op: Op<"warp.reduce"> | Op<"warpgroup.reduce"> | Op<"block.reduce"> | Op<"cluster.reduce">): void => {
    const combination = combinationOf(x, op);
    const own = reduceLanes(x, lanesOf(x), op.operands.values, combination);
    const values = levelsOf(x, op).reduce((part, level) => tree(level.exchange(part, level.leader()), combination.of), own);
    giveResults(x, op, values);
  };

const scans =
  (levelsOf: LevelsOf) =>
  (x: Expansion, op: Op<"warp.scan"> | Op<"warpgroup.scan"> | Op<"block.scan"> | Op<"cluster.scan">): void => {
    const { w } = x;
    const { values, first } = op.operands;
    const combination = combinationOf(x, op);
    const { before, own } = scanLevels(x, levelsOf(x, op), lanesOf(x), values, combination);
    const up: Before =
      first.length > 0
        ? { values: laneBefore(x, own), exists: compare(w, "gt", laneOf(x), 0) }
        : { values: own, exists: undefined };
    const all = before ? joined(w, combination, before, up) : up;
    giveResults(x, op, all.exists ? choose(w, all.exists, all.values, first) : all.values);
  };

const ofWarp: LevelsOf = () => [];
const ofWarpgroup: LevelsOf = (x, op) => [warpsOfGroup(x, op.name, (op as Op<"warpgroup.reduce">).operands.id)];
const ofBlock: LevelsOf = (x, op) => [warpsOfBlock(x, op.name, true)];
/** The barriers of the cluster part what the warps write from what they have read. A cluster of one block is that block. */
const ofCluster: LevelsOf = (x, op) =>
  blocksIn(x) === 1 ? ofBlock(x, op) : [warpsOfBlock(x, op.name, false), blocksOfCluster(x, op.name)];

/**
 * Reductions and scans of threads: in each warp by shuffles, then of its warps through shared memory, then of its blocks through that of the
 * cluster. What comes first in the order of the threads is always on the left side of the combination.
 */
export const collectiveRules = {
  "warp.reduce": reduces(ofWarp) as Expand<"warp.reduce">,
  "warp.scan": scans(ofWarp) as Expand<"warp.scan">,
  "warpgroup.reduce": reduces(ofWarpgroup) as Expand<"warpgroup.reduce">,
  "warpgroup.scan": scans(ofWarpgroup) as Expand<"warpgroup.scan">,
  "block.reduce": reduces(ofBlock) as Expand<"block.reduce">,
  "block.scan": scans(ofBlock) as Expand<"block.scan">,
  "cluster.reduce": reduces(ofCluster) as Expand<"cluster.reduce">,
  "cluster.scan": scans(ofCluster) as Expand<"cluster.scan">,
} as const;
