import type { InputKinds } from "./epilogue.ts";

/** Which dimension of an operand has neighbours in memory: K, or the other one. */
export type Major = "k" | "mn";

export type HalfType = "f16" | "bf16";

/** What a kernel is made for. */
export interface Problem {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly dtype: HalfType;
  readonly aMajor: Major;
  readonly bMajor: Major;
  /** What the epilogue reads. */
  readonly inputs?: InputKinds;
  /** Begins before the launch before it has ended, and lets the next one begin so. Default false. */
  readonly overlaps?: boolean;
}
