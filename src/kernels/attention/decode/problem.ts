import type { HalfType } from "../problem.ts";

/** What a kernel for decoding is made for. Lengths and the number of batches are numbers of the launch. */
export interface DecodeProblem {
  readonly dtype: HalfType;
  /** Elements of a query and of a key. */
  readonly d: number;
  /** Elements of a value. */
  readonly dv: number;
  /** Heads of keys and values. */
  readonly kvHeads: number;
  /** Queries of each head, the last of which stands at the last key, and none of which sees keys behind its own. */
  readonly queries: number;
  /** Heads of queries that share one of them. */
  readonly share: number;
  /** By what products are multiplied before the softmax. */
  readonly scale: number;
  /** How many keys a query sees, its own among them; all before it where undefined. */
  readonly window: number | undefined;
  /** Keys of a page; undefined where the keys of a batch lie in one piece. */
  readonly pageSize: number | undefined;
  /** Begins before the launch before it has ended, and lets the next one begin so. */
  readonly overlaps: boolean;
}
