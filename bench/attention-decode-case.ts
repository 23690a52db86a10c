import type { AttentionShape, Checked, Sides } from "./attention-case.ts";

/** `length` is how many keys each batch has: all of them, or at most. */
export interface DecodeCase extends AttentionShape {
  /** Keys of a page, whose numbers are in no order; 0 where keys are not paged. */
  readonly pageSize: number;
  /** Queries of each head, the last of which stands at the last key. */
  readonly queries: number;
  /** How many keys a query sees, its own among them; 0 where it sees all up to its own. */
  readonly window: number;
  /** Whether batches have from a quarter to all of the keys that there is room for. */
  readonly ragged: boolean;
}

export interface DecodeRecord extends DecodeCase, Sides, Checked {
  /** Bytes of the keys and values that there are, over our time. */
  readonly tbps: number;
}
