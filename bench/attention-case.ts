import type { Half } from "./problem.ts";

/** Heads and lengths of a case. */
export interface AttentionShape {
  readonly name: string;
  readonly dtype: Half;
  readonly batches: number;
  readonly heads: number;
  readonly kvHeads: number;
  /** Queries, and keys; of decoding keys alone. */
  readonly length: number;
  readonly d: number;
}

/** What ours took, and theirs. */
export interface Sides {
  /** Median microseconds, ours and theirs by name. */
  readonly us: number;
  readonly peers: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Record<string, string>>;
  /** The time of their fastest over ours. */
  readonly ratio: number | null;
}

/** How far ours is off. */
export interface Checked {
  /** The largest difference from rows in f64. */
  readonly worst: number;
  readonly correct: boolean;
}

export interface AttentionCase extends AttentionShape {
  readonly causal: boolean;
  /** Whether scores have a bias, by a function of the author's. */
  readonly score: boolean;
  /** Whether its slopes are a tensor, one for each head, instead of a formula. */
  readonly slopes?: true;
  /** A mask of the author's: of documents one behind the other, of a prompt that everybody sees, or the causal one again. None where undefined. */
  readonly mask?: "documents" | "prefix" | "causal";
  /** Documents are no mask of `attention`, but sequences of `attentionVarlen`. */
  readonly packed?: true;
}

export interface AttentionRecord extends AttentionCase, Sides, Checked {
  /** Operations on the pairs of a query and a key that it sees; a causal one counts the half of those of a full one. */
  readonly tflops: number;
}
