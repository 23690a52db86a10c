import type { Half } from "./problem.ts";

export interface DecodeCase {
  readonly name: string;
  readonly dtype: Half;
  readonly batches: number;
  readonly heads: number;
  readonly kvHeads: number;
  /** Keys of each batch: all of them, or at most. */
  readonly length: number;
  readonly d: number;
  /** Keys of a page, whose numbers are in no order; 0 where keys are not paged. */
  readonly pageSize: number;
  /** Whether batches have from a quarter to all of the keys that there is room for. */
  readonly ragged: boolean;
}

export interface DecodeRecord extends DecodeCase {
  /** Median microseconds, ours and theirs by name. */
  readonly us: number;
  readonly peers: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Record<string, string>>;
  /** Bytes of the keys and values that there are, over our time. */
  readonly tbps: number;
  /** The time of their fastest over ours. */
  readonly ratio: number | null;
  /** The largest difference from rows in f64. */
  readonly worst: number;
  readonly correct: boolean;
}
