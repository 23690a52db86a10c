import { BlockedLayout, type SharedView, type Tensor } from "warpsmith";
import type { HalfType } from "../problem.ts";
import type { DecodeCommon } from "./load.ts";

/** Where blocks of threads leave what they have of a head that others have a part of, too. */
export interface Parts {
  /** [two of each block, queries, dv]: sums of weighted values. The first of a block is of a head that another one began, the second of one that it began. */
  readonly output: Tensor<"f32", 3>;
  /** [two of each block, 2, queries]: what was taken off scores, in powers of 2, and the sum of the weights. */
  readonly sums: Tensor<"f32", 3>;
  /** How many parts of the head that a block began are there. 0 before a launch, and after it. */
  readonly counters: Tensor<"i32", 1>;
}

/** What the consumer needs. */
export interface DecodeComputing extends DecodeCommon {
  /** [batch, kvHeads, queries that share keys, d]. */
  readonly queries: Tensor<HalfType, 4>;
  /** [batch, kvHeads, queries that share keys, dv]. */
  readonly out: Tensor<HalfType, 4>;
  /** [batch, kvHeads, queries that share keys], where it is asked for. */
  readonly logs: { readonly to?: Tensor<"f32", 3> };
  readonly parts: Parts;
  /** [rows, d]. */
  readonly q: SharedView<HalfType, 2>;
  /** Weights of a block of keys, [rows, keys]. */
  readonly p: SharedView<HalfType, 2>;
  /** How many parts of a head were there. */
  readonly arrived: SharedView<"i32", 1>;
}

/** Rows of queries or of the output, over 4 warps, 16 bytes or more beside each other. */
export const linesOf = (d: number): BlockedLayout => {
  const across = Math.min(32, d / 8);
  return new BlockedLayout({ perThread: [1, 8], threads: [32 / across, across], warps: [4, 1] });
};
