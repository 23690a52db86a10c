import { type Accumulator, fma, ptx, staticRange, tile } from "warpsmith";

/** 2^x, 0 where it is below the least normal number: one instruction. */
export function exp2(x: number): number {
  "use kernel";
  return ptx("ex2.approx.ftz.f32 $0, $1;", { out: "f32", pure: true }, x);
}

/** Below every score: a query that sees no key has this for its largest, and all weights are 0. */
const LEAST = -1e30;

/** By how much, in powers of 2, a score may be larger than what is taken off before that is raised: weights are then up to 2^8, and 16 bits hold them as well. */
const SLACK = 8;

/**
 * What is known of the weights of the blocks so far: for each query what is taken off a score (times the scale, negative), which is the largest score or not far below it, and the
 * sum, in parts of 8 columns.
 */
export interface Softmax {
  readonly off: number;
  readonly sums: Accumulator;
}

/** The sum of the weights in each column of 8. */
function partsOf(weights: Accumulator): Accumulator {
  "use kernel";
  let sums = weights.columns(0, 8);
  for (const c of staticRange(8, weights.shape[1], 8)) sums = sums.zip(weights.columns(c, 8), (a, b) => a + b);
  return sums;
}

/** e^(scale · score - the largest): weights, in one fma and one exp2 each. `scale` has the logarithm of e to base 2 in it. */
const weightsOf = (scores: Accumulator, off: number, scale: number): Accumulator => {
  "use kernel";
  return scores.zip(tile.expand(off, 1), (s, most) => exp2(fma(s, scale, most)));
};

/** Of the first block. */
export function begin(scores: Accumulator, scale: number) {
  "use kernel";
  const off = Math.max(tile.max(scores.tile, 1), LEAST) * -scale;
  const weights = weightsOf(scores, off, scale);
  return { weights, softmax: { off, sums: partsOf(weights) } };
}

/** Of the next block; `raised`: by how much more is taken off than before, in powers of 2. For most queries and blocks that is 0. */
export function next({ off: before, sums }: Softmax, scores: Accumulator, scale: number, note: (raised: number) => void) {
  "use kernel";
  const needed = tile.max(scores.tile, 1) * -scale;
  const off = tile.where(before - needed > SLACK, needed, before);
  const raised = before - off;
  note(raised);
  const weights = weightsOf(scores, off, scale);
  const shrink = exp2(-raised);
  const all = sums.scale(tile.expand(shrink, 1)).zip(partsOf(weights), (a, b) => a + b);
  return { weights, shrink, softmax: { off, sums: all } };
}
