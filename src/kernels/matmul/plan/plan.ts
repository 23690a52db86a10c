import { bytesOf, type Major, matricesOf, mostBytes, type Problem, type ResultType } from "../problem/problem.ts";

/** Columns of A and rows of B in one stage: 128 bytes, the widest swizzle. */
export const TILE_K = 64;

/** What a block of an H100 or H200 has, and how many stages are ever of use. */
export const most = { sharedBytes: 232_448, stages: 12 } as const;

/** How a product is cut up and run. */
export interface Plan {
  /** Rows and columns of D that a block computes at a time. */
  readonly tile: readonly [m: number, n: number];
  /** Stages of A and B in shared memory. */
  readonly stages: number;
  /** Warpgroups that multiply: together on a tile (`cooperative`), or each on tiles of its own (`pingpong`). */
  readonly consumers: 1 | 2;
  /** Whether the warpgroups that multiply share each tile, or take turns at tiles: one multiplies while the other stores. */
  readonly schedule: "cooperative" | "pingpong";
  /** Blocks of a cluster along M, which share B, or along N, which share A: one of the two is 1. */
  readonly cluster: readonly [m: number, n: number];
  /**
   * Parts into which K is split: that many blocks, a cluster, sum a part of each tile, and each of them adds all parts of some of its columns, always
   * in the same order. Default 1.
   */
  readonly splits?: 1 | 2 | 4 | 8;
  /** Tiles (of clusters) along M before N moves on. */
  readonly group: number;
  /** The order of tiles within what `group` allows; see `TileScheduler`. Default "grouped". */
  readonly order?: "grouped" | "hilbert";
  /** Products left running while the next stage is waited for. */
  readonly wait: 0 | 1;
  /**
   * Stages at the end of a tile in which all products of its left columns come before those of its right ones: the left columns are stored
   * while the tensor cores are at the right ones. Default 0.
   */
  readonly leftFirst?: number;
  /** Who stores a panel of D: a warpgroup, or each warp its rows of it. */
  readonly stores: "warpgroup" | "warp";
  /** Panels of D that have room in shared memory, for each consumer, where TMA stores D; where threads do, there is one room. */
  readonly buffers: number;
  /** Split the tiles of the last wave, where it does not fill the machine, into halves along M. */
  readonly splitTail: boolean;
  /** How much of the level 2 cache a miss fills. */
  readonly promotion: "none" | "128B" | "256B";
  /** Blocks of the grid. */
  readonly blocks: number;
  /**
   * What becomes of operands whose lines TMA cannot load: a launch before the product copies them to lines that it can (`copied`), or threads of the product load
   * them (`threads`), for which blocks of a cluster load nothing for each other. Default "copied".
   */
  readonly unaligned?: "copied" | "threads";
}

/**
 * Columns of A and rows of B in a stage that are multiplied: where threads load and one stage has all of K, no more than whole steps of 16, so that nobody clears or
 * multiplies the rest of it.
 */
export const depthOf = ({ k, byThreads }: Pick<Problem, "k" | "byThreads">): number =>
  byThreads ? Math.min(TILE_K, Math.ceil(k / 16) * 16) : TILE_K;

/** The widest panel of D that goes through shared memory at a time: 8 KiB, in rows of a swizzle's width that divide the tile. */
function panelWidth(tileN: number, rows: number, bytes: 2 | 4): 64 | 32 | 16 {
  const widths = [64, 32, 16] as const;
  return widths.find((w) => tileN % w === 0 && w * bytes <= 128 && w * rows * bytes <= 8192) ?? 16;
}

/** The swizzle of panels whose rows are so many bytes. */
export function swizzleOf(rowBytes: number): "128B" | "64B" | "32B" {
  if (rowBytes === 128) return "128B";
  return rowBytes === 64 ? "64B" : "32B";
}

/** Rows of a tile that one consumer computes. */
export const rowsOf = ({ tile, schedule, consumers }: Pick<Plan, "tile" | "schedule" | "consumers">): number =>
  schedule === "pingpong" ? tile[0] : tile[0] / consumers;

/** Columns of a tile that one block stores: all, or, where K is split, its share. */
export const storedColumns = ({ tile, splits = 1 }: Pick<Plan, "tile" | "splits">): number => tile[1] / splits;

/** Columns of a row that become one number at a time, where an epilogue gives something for rows. */
export const partColumnsOf = (plan: Pick<Plan, "tile" | "splits">, { partColumns }: Pick<Problem, "partColumns">): number =>
  partColumns ?? storedColumns(plan);

/** Columns of a panel: as many of each matrix that is stored, so that an element becomes all that it becomes at a time. */
export const widthOf = (plan: Pick<Plan, "tile" | "schedule" | "consumers" | "splits">, problem: Problem): 64 | 32 | 16 =>
  panelWidth(storedColumns(plan), rowsOf(plan), mostBytes(problem));

/** Elements of 16 bytes of a result. */
export const unitOf = (type: ResultType): 4 | 8 => (type === "f32" ? 4 : 8);

/** Columns of a matrix of that type that a consumer lays in shared memory at a time where threads store: as many panels as 16 KiB hold. */
export function spanOf(
  plan: Pick<Plan, "tile" | "schedule" | "consumers" | "splits">,
  problem: Problem,
  type: ResultType,
): number {
  const width = widthOf(plan, problem);
  const panel = rowsOf(plan) * width * bytesOf(type);
  return Math.min(storedColumns(plan), width * Math.max(1, Math.floor(16_384 / panel)));
}

/** Columns of a matrix B in a stage. */
export interface Columns {
  /** That there is room for: where B lies along N, those of whole panels of 64. */
  readonly room: number;
  /** That are loaded in whole panels, and from there on as a part of one. */
  readonly whole: number;
  readonly rest: number;
}

export function columnsOf({ tile: [, tileN] }: Pick<Plan, "tile">, bMajor: Major): Columns {
  if (bMajor === "k") return { room: tileN, whole: tileN, rest: 0 };
  const rest = tileN % 64;
  return { room: Math.ceil(tileN / 64) * 64, whole: tileN - rest, rest };
}

/** Columns of B in a stage that are multiplied together: the first of them, and how many. */
export type BPart = readonly [first: number, columns: number];

/**
 * What a consumer multiplies at a time: all columns of a tile, or the left ones, whole panels of 64, and the right ones; of a pair those of each matrix. `iters`: stages
 * of a tile.
 */
export function partsOf(plan: Pick<Plan, "tile" | "leftFirst">, { pair, bMajor }: Problem, iters: number): readonly BPart[] {
  const { tile, leftFirst = 0 } = plan;
  const [, tileN] = tile;
  if (pair) return [0, columnsOf(plan, bMajor).room].map((first) => [first, tileN]);
  const left = Math.ceil(tileN / 128) * 64;
  const apart = leftFirst > 0 && iters > leftFirst && left < tileN;
  return apart
    ? [
        [0, left],
        [left, tileN - left],
      ]
    : [[0, tileN]];
}

/**
 * Rows of A that are loaded for a tile: not those that A does not have, where one tile has all that it has. TMA takes longer for what lies beside a matrix
 * than for what it reads.
 */
export function loadedRows(
  { tile, cluster, splitTail }: Pick<Plan, "tile" | "cluster" | "splitTail">,
  { m, aMajor }: Problem,
): number {
  const alone = aMajor === "k" && cluster[0] * cluster[1] === 1 && !splitTail;
  return alone ? Math.min(tile[0], Math.ceil(m / 8) * 8) : tile[0];
}

/**
 * Whether an input of the epilogue may come through the pipeline: not where K is split, as a block stores a part of a tile, nor where there are few rows.
 */
export const takesInput = (plan: Pick<Plan, "tile" | "cluster" | "splitTail" | "splits">, problem: Problem): boolean =>
  (plan.splits ?? 1) === 1 && loadedRows(plan, problem) === plan.tile[0];

/** Whether one does. */
const readsPipe = (plan: Parameters<typeof takesInput>[0], problem: Problem): boolean =>
  takesInput(plan, problem) && Object.values(problem.inputs ?? {}).some(({ through }) => through === "pipe");

/**
 * Stages of the pipeline that a tile's panels of 64 columns of an input take: each holds one where A lies, and as many as fit where B does. None
 * where no input comes through the pipeline.
 */
export function inputStages(plan: Parameters<typeof takesInput>[0], problem: Problem): number {
  const [tileM, tileN] = plan.tile;
  const whereB = Math.floor((tileN * matricesOf(problem)) / tileM);
  return readsPipe(plan, problem) ? Math.ceil(Math.ceil(tileN / 64) / (1 + whereB)) : 0;
}

/** Threads of a consumer whose sums are exchanged where K is split: those of warps that have rows of D at all. */
export const exchangedThreads = (plan: Pick<Plan, "tile" | "schedule" | "consumers">, { m }: Pick<Problem, "m">): number =>
  rowsOf(plan) === 64 ? 32 * Math.min(4, Math.ceil(m / 16)) : 128;

/** Sums that the 128 threads of a consumer can hold in 200 of their 232 registers: with 208 ptxas needs 234, and spills. */
export const mostSums = 128 * 200;

/** Sums of a consumer: elements of D, or of a pair twice as many. */
export const sumsOf = (plan: Pick<Plan, "tile" | "schedule" | "consumers">, problem: Pick<Problem, "pair">): number =>
  rowsOf(plan) * plan.tile[1] * matricesOf(problem);

/** What one TMA instruction moves of each matrix, as it lies in memory: rows along K, or along the other dimension. */
export function boxesOf(plan: Plan, problem: Problem) {
  const { aMajor, bMajor } = problem;
  const box = (major: Major, extent: number, sharers: number, panel = 64) =>
    major === "k" ? ([Math.min(256, extent / sharers), TILE_K] as const) : ([TILE_K / sharers, panel] as const);
  const halves = plan.splitTail ? 2 : 1;
  return {
    a: box(aMajor, loadedRows(plan, problem) / halves, plan.cluster[1]),
    b: box(bMajor, plan.tile[1], plan.cluster[0]),
    bRest: box(bMajor, 0, plan.cluster[0], columnsOf(plan, bMajor).rest),
    d: [plan.stores === "warp" ? 16 : rowsOf(plan) / halves, widthOf(plan, problem)],
    /** Of an input of the epilogue that comes through the pipeline: a panel, and what the tile has of the last one. */
    input: [Math.min(256, plan.tile[0] / halves), 64] as const,
    inputRest: [Math.min(256, plan.tile[0] / halves), plan.tile[1] % 64] as const,
  } as const;
}

/** What a plan is, but for what follows from the problem: its stages, its buffers and its blocks. */
export type Shape = Omit<Plan, "stages" | "buffers" | "blocks"> & { readonly stages?: number };

const usual = {
  consumers: 2,
  schedule: "cooperative",
  cluster: [1, 1],
  group: 8,
  wait: 1,
  stores: "warpgroup",
  splitTail: false,
  promotion: "128B",
} as const;
export const shape = (tile: Plan["tile"], rest: Partial<Shape> = {}): Shape => ({ ...usual, tile, ...rest });
