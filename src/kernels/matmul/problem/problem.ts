import type { InputKinds, Scaling } from "../epilogue/epilogue.ts";
import type { Reductions } from "../epilogue/reduce.ts";

/** Which dimension of an operand has neighbours in memory: K, or the other one. */
export type Major = "k" | "mn";

export type HalfType = "f16" | "bf16";

/** What a result is rounded to. */
export type ResultType = HalfType | "f32";

/** Products of equal extents in one launch, and whether there is an A, and a B, for each of them; else all have the same. */
export interface Batch {
  readonly count: number;
  readonly ofA: boolean;
  readonly ofB: boolean;
}

/** How the rows of a result lie that TMA cannot store, in elements. */
export interface StoredLines {
  /** From row to row. */
  readonly pitch: number;
  /** From a multiple of 16 bytes to where the result begins. */
  readonly begin: number;
}

/** Columns that sums of rows are made of which do not depend on how many rows there are: in all tiles that are multiples of it. */
export const INVARIANT_COLUMNS = 64 as const;

/** How many neighbours of a line memory has at multiples of their bytes, so that a thread loads them at a time. */
export type Vector = 1 | 2 | 4;

/** Operands that threads load, not TMA, and how many elements at a time. */
export interface ByThreads {
  readonly a?: Vector;
  readonly b?: Vector;
}

/** What a kernel is made for. */
export interface Problem {
  /** Rows of A: where `dynamicM`, at most so many. */
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly dtype: HalfType;
  readonly aMajor: Major;
  readonly bMajor: Major;
  /** The result's type. Default: `dtype`. */
  readonly result?: ResultType;
  /** Default: TMA loads both operands. */
  readonly byThreads?: ByThreads;
  /** Where threads store the result, not TMA. */
  readonly lines?: StoredLines;
  /** Default: the sum as it is. */
  readonly scaling?: Scaling;
  /** What the epilogue reads. */
  readonly inputs?: InputKinds;
  /** What the epilogue gives for rows beside the elements, and how that becomes one number. Default: nothing. */
  readonly reductions?: Reductions;
  /** What else it gives for each element, by name. Default: nothing. */
  readonly further?: Readonly<Record<string, StoredMatrix>>;
  /** Columns of what is summed of a row before it is added to others, where that must not depend on how many rows there are. Default: those that a block stores of a tile. */
  readonly partColumns?: typeof INVARIANT_COLUMNS;
  /** Begins before the launch before it has ended, and lets the next one begin so. Default false. */
  readonly overlaps?: boolean;
  /** Default: one product. */
  readonly batch?: Batch;
  /** Two matrices B of one shape: of their two products, side by side, an epilogue makes one result. Default: one. */
  readonly pair?: boolean;
  /** The rows are those of the launch, and the kernel serves all numbers of them up to `m`. Default false. */
  readonly dynamicM?: boolean;
  /** Plans are such that a row's bits do not depend on how many there are. It makes no other kernel. Default false. */
  readonly invariant?: boolean;
}

/** A matrix of the product's shape that a kernel stores. */
export interface StoredMatrix {
  readonly type: ResultType;
  /** Where threads store it, not TMA. */
  readonly lines?: StoredLines | undefined;
}

/** All that a kernel stores: the result, and what else an epilogue gives for each element. */
export const storedBy = ({
  result,
  dtype,
  lines,
  further = {},
}: Pick<Problem, "result" | "dtype" | "lines" | "further">): readonly StoredMatrix[] => [
  { type: result ?? dtype, lines },
  ...Object.values(further),
];

/** The bytes of an element of a result. */
export const bytesOf = (type: ResultType): 2 | 4 => (type === "f32" ? 4 : 2);

/** The most bytes of an element of what is stored. */
export const mostBytes = (problem: Parameters<typeof storedBy>[0]): 2 | 4 =>
  storedBy(problem).some(({ type }) => bytesOf(type) === 4) ? 4 : 2;

/** Matrices B. */
export const matricesOf = ({ pair = false }: Pick<Problem, "pair">): 1 | 2 => (pair ? 2 : 1);

/** More rows than there are. */
export const anyRows = 2 ** 30;

/**
 * The most rows that a kernel serves which is made for so many, of any number of them: up to 64, a kernel that loads no more rows of A than there may be is faster.
 */
export const mostRows = (m: number): number => [8, 16, 32, 64].find((most) => m <= most) ?? anyRows;

/** Up to so many rows of A, what serves a number of them serves the next power of two; then the next multiple of 128, and of 1024 from 4096 on. */
export function rowClass(m: number): number {
  if (m <= 128) return 2 ** Math.ceil(Math.log2(m));
  const step = m <= 4096 ? 128 : 1024;
  return Math.ceil(m / step) * step;
}

/** Products that the same choice of a plan serves: the key that `warpsmith tune` keeps one under. */
export const classOf = ({
  m,
  n,
  k,
  dtype,
  aMajor,
  bMajor,
}: Pick<Problem, "m" | "n" | "k" | "dtype" | "aMajor" | "bMajor">): string =>
  `${rowClass(m)}x${n}x${k} ${dtype} ${aMajor} ${bMajor}`;
