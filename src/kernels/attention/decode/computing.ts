import { BlockedLayout, type SharedView, type Tensor } from "warpsmith";
import type { HalfType } from "../problem.ts";
import type { DecodeCommon } from "./load.ts";
import type { Rows } from "./plan.ts";

/** Where blocks of threads leave what they have of a head that others have a part of, too. */
export interface Parts {
  /** [two of each block, rows, dv in panels]: sums of weighted values. The first of a block is of a head that another one began, the second of one that it began. */
  readonly output: Tensor<"f32", 3>;
  /** [two of each block, 2, rows]: what was taken off scores, in powers of 2, and the sum of the weights. */
  readonly sums: Tensor<"f32", 3>;
  /** How many parts of the head that a block began are there. 0 before a launch, and after it. */
  readonly counters: Tensor<"i32", 1>;
}

/** What the consumer needs. */
export interface DecodeComputing extends DecodeCommon {
  /** [batch, kvHeads, queries, heads that share keys, d]. */
  readonly queries: Tensor<HalfType, 5>;
  /** [batch, kvHeads, queries, heads that share keys, dv]. */
  readonly out: Tensor<HalfType, 5>;
  /** [batch, kvHeads, queries, heads that share keys], where it is asked for. */
  readonly logs: { readonly to?: Tensor<"f32", 4> };
  readonly parts: Parts;
  /** [rows, d]. */
  readonly q: SharedView<HalfType, 2>;
  /** Weights of a block of keys, [rows, keys]. */
  readonly p: SharedView<HalfType, 2>;
  /** How many parts of a head were there. */
  readonly arrived: SharedView<"i32", 1>;
}

/** Lanes beside each other that have 16 bytes each of a row of that width, or of a part of it. */
const lanesOf = (width: number): number => Math.min(32, width / 8);

/** Where rows of a width are cut so that each part is a power of 2 wide, as tiles are. */
export function partsOf(width: number): readonly { readonly at: number; readonly width: number }[] {
  const first = 2 ** Math.floor(Math.log2(width));
  const rest = width > first ? partsOf(width - first) : [];
  return [{ at: 0, width: first }, ...rest.map((part) => ({ ...part, at: part.at + first }))];
}

/** Rows of queries or of the output, over 4 warps, 16 bytes or more beside each other. */
export const linesOf = (width: number): BlockedLayout => {
  const across = lanesOf(width);
  return new BlockedLayout({ perThread: [1, 8], threads: [32 / across, across], warps: [4, 1] });
};

/** The same of rows by query and head: warps and lanes go over heads where there are more of them than queries. */
export const linesByQuery = ({ queries, heads }: Rows, width: number): BlockedLayout => {
  const across = lanesOf(width);
  const over = (count: number): [number, number] => (heads < queries ? [count, 1] : [1, count]);
  return new BlockedLayout({ perThread: [1, 1, 8], threads: [...over(32 / across), across], warps: [...over(4), 1] });
};

/** Elements of rows that a thread may have at a time: beside those of a second sum of as many, or what a loop keeps, more have no registers. */
const ELEMENTS_OF_THREAD = 96;

/** Columns of rows of a width that are loaded, or added up, at a time. */
export const atOnceOf = ({ count }: Rows, width: number): number =>
  count * width > 128 * ELEMENTS_OF_THREAD ? width / 4 : width;
