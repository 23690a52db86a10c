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
  /** The columns of a product. */
  readonly rows: Rows;
}

/** Rows of queries that share keys, the columns of a product: those of a query one after the other, its heads and empty ones. */
export interface Rows {
  /** Queries, and empty ones. */
  readonly queries: number;
  /** Heads of each, and empty ones. */
  readonly heads: number;
  /** All. */
  readonly count: number;
}

const upToPower = (x: number): number => 2 ** Math.ceil(Math.log2(x));

/** The rows of so many queries of as many heads, each up to a power of 2, 8 at least: the tensor cores multiply 8 at a time, and tiles are so large. */
export function rowsOf({ queries, share }: Pick<DecodeProblem, "queries" | "share">): Rows {
  const across = upToPower(queries);
  const heads = Math.max(upToPower(share), 8 / across);
  return { queries: across, heads, count: across * heads };
}

/** The most heads that share keys. */
export const MOST_HEADS = 64;

/** The most rows of several queries whose output registers hold. */
export const mostRows = (dv: number): number => (dv > 128 ? 32 : 64);

/** Elements of a row in shared memory, in panels of 64: those that a row has not got are zeros. */
export const widthOf = (d: number): number => 64 * Math.ceil(d / 64);

/** What sizes of plans depend on. */
export type Sized = Pick<DecodeProblem, "d" | "dv" | "queries" | "share">;

/** Bytes of shared memory that the blocks of a multiprocessor of an H100 or H200 have together, and what each one has beside its stages: barriers, and what the system takes. */
const allBytes = 233_472;
const besides = 4096;

/** The most bytes that each of so many blocks of a multiprocessor may take for queries, weights and stages. */
export const mostBytes = (blocks: number): number => Math.floor(allBytes / blocks) - besides;

/** What a plan takes of them: a stage of keys and of values, and all. */
export function planBytes({ keys, stages }: DecodePlan, problem: Sized) {
  const { count } = rowsOf(problem);
  const [width, stage] = [widthOf(problem.d), 2 * keys * (widthOf(problem.d) + widthOf(problem.dv))];
  return { stage, all: 2 * count * (width + keys) + stages * stage };
}

/** Stages in flight at least: while one is multiplied, the others are on the way. */
const LEAST_STAGES = 3;

/** The most rows whose scores and sums of a block of 128 keys registers hold. */
const ROWS_OF_LONG_BLOCKS = 32;

/** The plan where none is asked for: as much on the way as shared memory holds, of blocks of 128 keys where enough of them have room and registers hold their scores, else of 64. */
export function chooseDecodePlan(problem: Sized): DecodePlan {
  const plans = ([128, 64] as const).map((keys) => {
    const plan = { keys, stages: 1, blocks: 1, least: 2 } as const;
    const { all, stage } = planBytes(plan, problem);
    return { ...plan, stages: 1 + Math.floor((mostBytes(plan.blocks) - all) / stage) };
  });
  const isLong = rowsOf(problem).count <= ROWS_OF_LONG_BLOCKS;
  return (plans.find(({ keys, stages }) => stages >= LEAST_STAGES && (isLong || keys === 64)) ?? plans.at(-1)) as DecodePlan;
}
