import { type Accumulator, fma, ptx, staticRange, tile } from "warpsmith";

/** 2^x, 0 where it is below the least normal number: one instruction. */
export function exp2(x: number): number {
  "use kernel";
  return ptx("ex2.approx.ftz.f32 $0, $1;", { out: "f32", pure: true }, x);
}

/** Below every score: a query that sees no key has this for its largest, and all weights are 0. */
export const LEAST = -1e30;

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

/** What is taken off scores of the next block, where `needed` takes off the largest, and by how much more that is than before: 0 for most queries and blocks where there is slack. */
function raise(before: number, needed: number, slack: number) {
  "use kernel";
  if (slack === 0) return Math.min(before, needed);
  return tile.where(before - needed > slack, needed, before);
}

/** Of the next block; `shrink`: by what all earlier weights are to be multiplied. `note` is given by how much more is taken off than before, in powers of 2, where there is slack. */
export function next(
  { off: before, sums }: Softmax,
  scores: Accumulator,
  scale: number,
  slack: number,
  note: (raised: number) => void,
) {
  "use kernel";
  const off = raise(before, tile.max(scores.tile, 1) * -scale, slack);
  const raised = before - off;
  if (slack > 0) note(raised);
  const weights = weightsOf(scores, off, scale);
  const shrink = exp2(-raised);
  const all = sums.scale(tile.expand(shrink, 1)).zip(partsOf(weights), (a, b) => a + b);
  return { weights, shrink, softmax: { off, sums: all } };
}
