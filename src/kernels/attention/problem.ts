export type HalfType = "f16" | "bf16";

/** What a kernel is made for. Lengths, batch and heads are numbers of the launch, not of the kernel. */
export interface Problem {
  readonly dtype: HalfType;
  /** Elements of a query and of a key. */
  readonly d: number;
  /** Elements of a value. */
  readonly dv: number;
  /** Heads of queries that share one head of keys and values. */
  readonly share: number;
  /** By what products are multiplied before the softmax. */
  readonly scale: number;
  /** Whether a query sees no key behind its own, the last query's own being the last key. */
  readonly causal: boolean;
  /** How many keys a query sees in each direction, its own among them; all where it is undefined. */
  readonly window: number | undefined;
  /** Whether sequences of any lengths lie one behind the other: `ragged` then. */
  readonly packed: boolean;
  /** Whether the keys do not fill the last block of them. */
  readonly ragged: boolean;
  /** Whether there are fewer than 2^23 queries and keys: a query's place, a key's and their difference are numbers that f32 holds. */
  readonly near: boolean;
  /** Begins before the launch before it has ended, and lets the next one begin so. */
  readonly overlaps: boolean;
}
