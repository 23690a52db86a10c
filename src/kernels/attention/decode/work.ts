import { assert, blockIdx, cdiv, gridDim, range, type Tensor, warp } from "warpsmith";
import type { DecodeGeometry } from "./plan.ts";

/** The keys of a launch: how many there are at most for a batch, and how many there are, where that is asked for. */
export interface Lengths {
  readonly batches: number;
  readonly most: number;
  readonly of?: Tensor<"i32", 1>;
}

/** Blocks of keys of one head of one batch, from `first` to `end` of those that a query sees keys of; `length`: keys of the batch. */
export interface Segment {
  readonly batch: number;
  readonly kvHead: number;
  readonly length: number;
  readonly first: number;
  readonly end: number;
  /** The same among all blocks of the batch's keys. */
  readonly from: number;
  readonly to: number;
  /** Blocks of keys of that head of that batch: at least one, which may have no keys in it. */
  readonly blocks: number;
  /** The number of the head's first block of keys, of all. */
  readonly start: number;
}

/** The work of all, and this block's part of it: from block `from` of the keys of all heads and batches to `to`. `batch` has the first one, whose heads begin at block `base`. */
export interface Work {
  /** Blocks of threads that take part. */
  readonly parts: number;
  /** Blocks of keys of each of them, and how many of them have one more. */
  readonly each: number;
  readonly more: number;
  readonly from: number;
  readonly to: number;
  readonly batch: number;
  readonly base: number;
}

/** Keys of a batch. What the author's tensor says is held within what there is. */
export function lengthOf({ of, most }: Lengths, batch: number): number {
  "use kernel";
  if (!of) return most;
  const given = of.at(batch).load();
  assert(given >= 0, "lengths[{}] is a number of keys", batch);
  assert(given <= most, "lengths[{}] is at most the keys that there is room for", batch);
  return Math.max(0, Math.min(given, most));
}

/** The first key that a query sees, of a batch of so many. */
export const beginOf = ({ problem: { queries, window } }: DecodeGeometry, length: number): number => {
  "use kernel";
  return window === undefined ? 0 : Math.max(0, length - (queries - 1) - window);
};

/** The first block of keys that a query sees keys of: one that there is, or would be. */
const skippedOf = (geometry: DecodeGeometry, length: number): number => {
  "use kernel";
  return Math.trunc(beginOf(geometry, length) / geometry.plan.keys);
};

/** Blocks of keys that queries see keys of: at least one, which may have none. */
const blocksOf = (geometry: DecodeGeometry, length: number): number => {
  "use kernel";
  const { problem, plan } = geometry;
  const all = cdiv(length, plan.keys);
  return Math.max(1, problem.window === undefined ? all : all - skippedOf(geometry, length));
};

/** Blocks of keys of all heads of a batch, 0 for one that there is not. */
function blocksOfBatch(geometry: DecodeGeometry, lengths: Lengths, batch: number): number {
  "use kernel";
  const there = batch < lengths.batches;
  const length = lengthOf(lengths, there ? batch : 0);
  return there ? blocksOf(geometry, length) * geometry.problem.kvHeads : 0;
}

/** Divides the work into equal parts. Every warp computes the same, 32 batches at a time where their lengths differ. */
export function divide(geometry: DecodeGeometry, lengths: Lengths): Work {
  "use kernel";
  const { kvHeads } = geometry.problem;
  const { batches, most, of } = lengths;
  const perBatch = kvHeads * blocksOf(geometry, most);
  let total = batches * perBatch;
  if (of) {
    let sum = total - total;
    for (const b of range(0, batches, 32)) sum += warp.sum(blocksOfBatch(geometry, lengths, b + warp.lane));
    total = sum;
  }
  const parts = Math.min(gridDim.x, cdiv(total, geometry.plan.least));
  const each = Math.trunc(total / parts);
  const more = total - each * parts;
  const part = blockIdx.x;
  const from = part * each + Math.min(part, more);
  const to = part < parts ? from + each + (part < more ? 1 : 0) : from;
  let batch = Math.trunc(from / perBatch);
  let base = batch * perBatch;
  if (of) {
    let [before, blocks, end] = [batch - batch, batch - batch, batch - batch];
    for (const b of range(0, batches, 32)) {
      const mine = blocksOfBatch(geometry, lengths, b + warp.lane);
      const ends = end + warp.scan(mine, (x, y) => x + y);
      before += warp.sum(ends <= from && b + warp.lane < batches ? 1 : 0);
      blocks += warp.sum(ends <= from ? mine : 0);
      end += warp.sum(mine);
    }
    batch = before;
    base = blocks;
  }
  return { parts, each, more, from, to, batch, base };
}

/** Which part has that block of keys. */
export function partOf({ each, more }: Work, block: number): number {
  "use kernel";
  const larger = more * (each + 1);
  return block < larger ? Math.trunc(block / (each + 1)) : more + Math.trunc((block - larger) / Math.max(each, 1));
}

/** Visits a part's segments. */
export function walk(geometry: DecodeGeometry, lengths: Lengths, work: Work, visit: (segment: Segment) => void) {
  "use kernel";
  const { kvHeads } = geometry.problem;
  let { from: at, batch, base } = work;
  while (at < work.to) {
    const length = lengthOf(lengths, batch);
    const blocks = blocksOf(geometry, length);
    const kvHead = Math.trunc((at - base) / blocks);
    const start = base + kvHead * blocks;
    const first = at - start;
    const end = Math.min(blocks, first + (work.to - at));
    const skipped = geometry.problem.window === undefined ? undefined : skippedOf(geometry, length);
    const [from, to] = skipped === undefined ? [first, end] : [first + skipped, end + skipped];
    visit({ batch, kvHead, length, first, end, from, to, blocks, start });
    at += end - first;
    if (at - base === kvHeads * blocks) {
      base = at;
      batch += 1;
    }
  }
}
