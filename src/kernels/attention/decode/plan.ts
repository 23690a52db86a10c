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
  /** Rows of queries, the columns of a product: the heads that share keys, and empty ones. */
  readonly rows: number;
}

/** The heads that share keys, up to a power of 2 from 8 on: the tensor cores multiply 8 at a time, and tiles are so large. */
export const rowsOf = (share: number): number => Math.max(8, 2 ** Math.ceil(Math.log2(share)));

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

/** Stages in flight at least: while one is multiplied, the others are on the way. */
const LEAST_STAGES = 3;

/** The plan where none is asked for: as much on the way as shared memory holds, of blocks of 128 keys where enough of them have room, else of 64. */
export function chooseDecodePlan(problem: Pick<DecodeProblem, "d" | "dv" | "share">): DecodePlan {
  const plans = ([128, 64] as const).map((keys) => {
    const plan = { keys, stages: 1, blocks: 1, least: 2 } as const;
    const { all, stage } = planBytes(plan, problem);
    return { ...plan, stages: 1 + Math.floor((mostBytes(plan.blocks) - all) / stage) };
  });
  return (plans.find(({ stages }) => stages >= LEAST_STAGES) ?? plans.at(-1)) as DecodePlan;
}
