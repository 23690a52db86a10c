import type { Half } from "./problem.ts";

export interface AttentionCase {
  readonly name: string;
  readonly dtype: Half;
  readonly batches: number;
  readonly heads: number;
  readonly kvHeads: number;
  /** Queries, and keys. */
  readonly length: number;
  readonly d: number;
  readonly causal: boolean;
  /** Whether scores have a bias, by a function of the author's. */
  readonly score: boolean;
}

export interface AttentionRecord extends AttentionCase {
  /** Median microseconds, ours and theirs by name. */
  readonly us: number;
  readonly peers: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Record<string, string>>;
  /** A causal one counts the half of the operations of a full one. */
  readonly tflops: number;
  /** The time of their fastest over ours. */
  readonly ratio: number | null;
  /** The largest difference from rows in f64. */
  readonly worst: number;
  readonly correct: boolean;
}
