/** Sums of powers of e that no number is too large for: each less the greatest so far. */
import { f32, ptx } from "warpsmith";
import type { Values } from "./places.ts";
import { together } from "./row.ts";

/** The greatest of some numbers, and the sum of e to the power of each less the greatest. */
export interface Powers {
  readonly max: number;
  readonly sum: number;
}

/** Of none. */
export const noPowers = (): Powers => {
  "use kernel";
  return { max: f32(Number.NEGATIVE_INFINITY), sum: f32(0) };
};

/** e to the power of x ≤ 0; 0 where that is less than 2^-126. */
export const power = (x: number): number => {
  "use kernel";
  return ptx("ex2.approx.ftz.f32 $0, $1;", { out: "f32" }, x * Math.LOG2E);
};

/** What is subtracted: never -∞, as -∞ less itself is NaN. */
export const base = (max: number): number => {
  "use kernel";
  return max === Number.NEGATIVE_INFINITY ? f32(0) : max;
};

/** Those of both. */
export const joined = (a: Powers, b: Powers): Powers => {
  "use kernel";
  const max = Math.max(a.max, b.max);
  const from = base(max);
  return { max, sum: a.sum * power(a.max - from) + b.sum * power(b.max - from) };
};

/** With some numbers more. */
export const extended = (state: Powers, values: Values): Powers => {
  "use kernel";
  const max = Math.max(state.max, greatest(values));
  const from = base(max);
  const powers = values.map((chunk) => chunk.map((v) => power(v - from)));
  return { max, sum: state.sum * power(state.max - from) + total(powers) };
};

/** The logarithm of the sum of e to the power of each: +∞ where one is, whose powers less itself are no numbers; NaN where one is. */
export const logarithmOf = ({ max, sum }: Powers): number => {
  "use kernel";
  return max === Number.POSITIVE_INFINITY ? max : max + Math.log(sum);
};

const greatest = (values: Values): number => {
  "use kernel";
  return together(values, (a, b) => Math.max(a, b));
};

const total = (values: Values): number => {
  "use kernel";
  return together(values, (a, b) => a + b);
};
