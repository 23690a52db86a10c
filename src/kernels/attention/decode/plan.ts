import type { DecodeProblem } from "./problem.ts";

/** How attention for decoding is cut up and run. */
export interface DecodePlan {
  /** Keys of a block, which are multiplied at a time: 64 or 128. */
  readonly keys: 64 | 128;
  /** Blocks of keys that have room in shared memory, and as many of values. */
  readonly stages: number;
  /** Blocks of threads for each multiprocessor. */
  readonly blocks: number;
  /** The fewest blocks of keys that a block of threads is for: with less work than that, fewer of them take part. */
  readonly least: number;
}

/** A problem and its plan: all that the kernel's code asks of them. */
export interface DecodeGeometry {
  readonly problem: DecodeProblem;
  readonly plan: DecodePlan;
  /** Rows of queries, the columns of a product: the heads that share keys, and empty ones up to a multiple of 8. */
  readonly rows: number;
}

/** The heads that share keys, up to a multiple of 8: the tensor cores multiply so many at a time. */
export const rowsOf = (share: number): number => Math.ceil(share / 8) * 8;

/** Bytes of shared memory that the blocks of a multiprocessor of an H100 or H200 have together, and what each one has beside its stages: barriers, and what the system takes. */
const allBytes = 233_472;
const besides = 4096;

/** The most bytes that each of so many blocks of a multiprocessor may take for queries, weights and stages. */
export const mostBytes = (blocks: number): number => Math.floor(allBytes / blocks) - besides;

/** What a plan takes of them: a stage of keys and of values, and all. */
export function planBytes({ keys, stages }: DecodePlan, { d, dv, share }: Pick<DecodeProblem, "d" | "dv" | "share">) {
  const [rows, stage] = [rowsOf(share), 2 * keys * (d + dv)];
  return { stage, all: 2 * rows * (d + keys) + stages * stage };
}

/** The plan where none is asked for: as much on the way as shared memory holds, in two blocks for each multiprocessor, so that one computes while the other waits. */
export function chooseDecodePlan(problem: Pick<DecodeProblem, "d" | "dv" | "share">): DecodePlan {
  const plan = { keys: 64, stages: 1, blocks: 2, least: 2 } as const;
  const { all, stage } = planBytes(plan, problem);
  return { ...plan, stages: 1 + Math.floor((mostBytes(plan.blocks) - all) / stage) };
}
