import { cluster, type f32, gridDependency, i32, kernel, type Tensor, u32 } from "warpsmith";
import type { Kept } from "../common/made.ts";
import { forRow, isFirst, type Rows, reduceOf } from "../rows/places.ts";
import { clusterOf, launchOf, type RowShape } from "../rows/plan.ts";
import { extended, joined, noPowers, power } from "../rows/powers.ts";
import { readRow } from "../rows/row.ts";
import { forElements, makeBins, narrow, type Weight } from "./narrow.ts";
import { type Cut, isChosen, noCut } from "./order.ts";
import { high, philox } from "./philox.ts";

/** What is drawn from. */
export interface SampleShape extends RowShape {
  /** The k greatest elements, or all. */
  readonly topK: boolean;
  /** The fewest of these, from the greatest on, that have so much of their probability. */
  readonly topP: boolean;
}

/** A uniform number for each row, where they are given. */
interface Draws {
  readonly uniform?: Tensor<"f32", 1>;
}

/**
 * A column of each row, with the probability that softmax(x / temperature) has there. Probabilities are whole numbers, in units of 2^-31 or less, so that their sums are the same in
 * any order: the column is the one where the sum from the greatest element on passes the number drawn. -1 where a row has no probabilities.
 *
 * Of the kernel's parameters `scale` is 1 / temperature, `part` that of topP in units of 2^-32; the seed and the offset follow, the lower 32 bits of each first.
 */
export function makeSample(shape: SampleShape, given: boolean, overlaps: boolean, kept: Kept) {
  const { plan, columns } = shape;
  const dynamic = { x: [0], y: [0], ...(given ? { "draws.uniform": [0] } : {}) };
  return kernel(
    { ...kept, ...launchOf(plan), dynamic },
    function sample(
      x: Rows,
      y: Tensor<"i32", 1>,
      draws: Draws,
      scale: f32,
      k: u32,
      part: u32,
      key: u32,
      keyHigh: u32,
      at: u32,
      atHigh: u32,
    ) {
      if (overlaps) gridDependency.wait();
      forRow(x.shape[0], plan, (row) => {
        const scaled = readRow(x, row, shape).map((v) => v * scale);
        const { max, sum } = reduceOf(shape, scaled.fold(noPowers(), Number.NEGATIVE_INFINITY, extended), joined);
        const unit = 2 ** 31 / sum;
        const bins = makeBins(shape);
        const all = { cut: noCut(), before: u32(0), here: u32(columns), wanted: k };
        const cut = shape.topK ? narrow(x, row, shape, bins, all, k, () => u32(1)).cut : noCut();
        const weightOf: Weight = (value) => u32(power(value * scale - max) * unit + 0.5);
        const found = totalOf(x, row, shape, cut, weightOf);
        // Where nothing weighs anything, everything weighs as much.
        const isEmpty = found === 0;
        const total = isEmpty ? u32(columns) : found;
        const weight: Weight = (value, order, column) => (isEmpty ? u32(1) : weightOf(value, order, column));
        const whole = { cut: noCut(), before: u32(0), here: total };
        const kept = shape.topP ? weightOfPart(x, row, shape, bins, whole, part, weight) : total;
        const drawn = draws.uniform
          ? fromUniform(draws.uniform.at(row).load())
          : philox([u32(row), at, atHigh, u32(0)], [key, keyHigh])[0];
        const chosen = narrow(x, row, shape, bins, { ...whole, wanted: high(drawn, kept) + u32(1) }, u32(0), weight);
        if (clusterOf(plan) > 1) cluster.sync(); // nobody leaves while others still read what the first block has found
        if (isFirst(shape)) y.at(row).store(isEmpty ? i32(-1) : i32(chosen.cut.column));
      });
    },
  );
}

/** A number from 0 to just below 1 in units of 2^-32. */
function fromUniform(uniform: number): number {
  "use kernel";
  return u32(Math.min(Math.max(uniform, 0), 1 - 2 ** -24) * 2 ** 32);
}

const add = (a: number, b: number): number => {
  "use kernel";
  return a + b;
};

/** What elements up to the cut weigh. */
function totalOf(x: Rows, row: number, shape: SampleShape, cut: Cut, weightOf: Weight): number {
  "use kernel";
  let sum = u32(0);
  forElements(x, row, shape, (value, order, column, pred) => {
    const isIn = shape.topK ? isChosen(cut, order, column) : true;
    const weight = weightOf(value, order, column);
    sum = sum + ((pred === undefined ? isIn : pred && isIn) ? weight : u32(0));
  });
  return reduceOf(shape, sum, add);
}

/** What the fewest elements weigh, from the greatest on, that have this part of the whole. */
function weightOfPart(
  x: Rows,
  row: number,
  shape: SampleShape,
  bins: ReturnType<typeof makeBins>,
  whole: { readonly cut: Cut; readonly before: number; readonly here: number },
  part: number,
  weight: Weight,
): number {
  "use kernel";
  const wanted = high(part, whole.here) + u32(1);
  const { before, here } = narrow(x, row, shape, bins, { ...whole, wanted }, wanted, weight);
  return before + here;
}
