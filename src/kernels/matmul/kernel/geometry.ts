import {
  type BPart,
  type Columns,
  columnsOf,
  depthOf,
  inputStages,
  loadedRows,
  type Plan,
  partColumnsOf,
  partsOf,
  rowsOf,
  spanOf,
  storedColumns,
  swizzleOf,
  TILE_K,
  unitOf,
  widthOf,
} from "../plan/plan.ts";
import { bytesOf, matricesOf, type Problem, type ResultType, type StoredMatrix, storedBy } from "../problem/problem.ts";

/** What follows from a problem and its plan: all that the kernel's code asks of them. */
export interface Geometry {
  readonly problem: Problem;
  readonly plan: Plan;
  /** Rows and columns of D that a block computes at a time. */
  readonly tileM: number;
  readonly tileN: number;
  /** Rows of A that are loaded for a tile. */
  readonly loaded: number;
  /** Columns of A and rows of B in a stage that are multiplied. */
  readonly depth: number;
  readonly columns: Columns;
  /** Matrices B, beside each other in a stage. */
  readonly matrices: 1 | 2;
  /** Columns of B that are multiplied together, from left to right, or of one matrix of a pair and of the other. */
  readonly parts: readonly BPart[];
  /** Stages at the end of a tile that are multiplied part by part. */
  readonly apart: number;
  /** Blocks of a cluster along M, along N, and in all. */
  readonly alongM: number;
  readonly alongN: number;
  readonly peers: number;
  /** Parts into which K is split, each for a block of the cluster, and the columns of a tile that each of these blocks stores. */
  readonly splits: number;
  readonly stored: number;
  /** Columns of what an epilogue gives for a row that become one number at a time. */
  readonly partColumns: number;
  /** Whether consumers take turns, each on tiles of its own. */
  readonly pingpong: boolean;
  /** Stages of A and B that a tile takes, or the block's part of it: as many in each part, beyond the end of K they are zeros. … */
  readonly iters: number;
  /** … and stages that follow them with the input that comes through the pipeline. */
  readonly more: number;
  readonly through: Through | undefined;
  /** Rows of a tile that one consumer computes, and columns of D that pass through shared memory at a time. */
  readonly rows: number;
  readonly width: 64 | 32 | 16;
  /** What is stored: D, and what else the epilogue gives for each element. */
  readonly results: readonly ResultLayout[];
  /** Tiles of D along M, those of one product of a batch after the other, and along N. */
  readonly tiles: readonly [m: number, n: number];
  /** Of one product of a batch, along M: whole clusters of them. */
  readonly tilesOfOne: number;
  /** Tiles of clusters: all, and those of waves that fill the machine. The rest are halves where the plan splits them. */
  readonly all: number;
  readonly whole: number;
  /** Whether there may be such a rest. */
  readonly halves: boolean;
  /** Tiles of clusters that are computed at a time. */
  readonly step: number;
  /** Rows and columns of D where tiles hang over its edges; undefined where none does. */
  readonly edge: readonly [number, number] | undefined;
}

/** How a matrix is stored, panel by panel. */
export interface ResultLayout {
  /** What the epilogue calls it; that of D is `value`. */
  readonly name: string;
  readonly type: ResultType;
  /** Of a panel in shared memory, as TMA takes it. */
  readonly swizzle: "128B" | "64B" | "32B";
  /** Undefined where TMA stores it. */
  readonly lines: ResultLines | undefined;
}

/** How threads store rows of it, in elements. */
export interface ResultLines {
  readonly pitch: number;
  readonly begin: number;
  /** Columns that are stored at a time. */
  readonly span: number;
  /** Of 16 bytes. */
  readonly unit: 4 | 8;
  /** The beginning of every row and its length are multiples of so many. */
  readonly grain: 1 | 2 | 4 | 8;
}

/** The input of an epilogue that comes through the pipeline, in panels of 64 columns. */
export interface Through {
  /** Panels of a tile, and of a stage. */
  readonly panels: number;
  readonly perStage: number;
}

function throughOf(problem: Problem, plan: Plan): Through | undefined {
  const stages = inputStages(plan, problem);
  const panels = Math.ceil(plan.tile[1] / 64);
  return stages === 0 ? undefined : { panels, perStage: Math.ceil(panels / stages) };
}

function linesOf(problem: Problem, plan: Plan, { type, lines }: StoredMatrix): ResultLines | undefined {
  if (!lines) return undefined;
  const { pitch, begin } = lines;
  const unit = unitOf(type);
  const low = pitch | begin | problem.n | unit;
  return { pitch, begin, unit, span: spanOf(plan, problem, type), grain: (low & -low) as ResultLines["grain"] };
}

export function geometryOf(problem: Problem, plan: Plan): Geometry {
  const { m, n, k, bMajor } = problem;
  const { tile, cluster } = plan;
  const [tileM, tileN] = tile;
  const [alongM, alongN] = cluster;
  const { splits = 1 } = plan;
  const step = plan.blocks / (alongM * alongN * splits);
  const through = throughOf(problem, plan);
  const iters = Math.ceil(Math.ceil(k / TILE_K) / splits);
  const parts = partsOf(plan, problem, iters);
  const rows = rowsOf(plan);
  const width = widthOf(plan, problem);
  const batch = problem.batch?.count ?? 1;
  const clusters = Math.ceil(m / (tileM * alongM));
  const tiles = [batch === 1 ? Math.ceil(m / tileM) : batch * clusters * alongM, Math.ceil(n / tileN)] as const;
  const all = batch * clusters * Math.ceil(tiles[1] / alongN);
  const whole = plan.splitTail ? all - (all % step) : all;
  const ragged = m % (tileM * alongM) !== 0 || n % (tileN * alongN) !== 0;
  return {
    problem,
    plan,
    tileM,
    tileN,
    loaded: loadedRows(plan, problem),
    depth: depthOf(problem),
    columns: columnsOf(plan, bMajor),
    matrices: matricesOf(problem),
    parts,
    apart: parts.length > 1 ? (plan.leftFirst ?? 0) : 0,
    alongM,
    alongN,
    peers: alongM * alongN,
    splits,
    stored: storedColumns(plan),
    partColumns: partColumnsOf(plan, problem),
    pingpong: plan.schedule === "pingpong",
    iters,
    more: inputStages(plan, problem),
    through,
    rows,
    width,
    results: storedBy(problem).map((matrix, i) => ({
      name: ["value", ...Object.keys(problem.further ?? {})][i] as string,
      type: matrix.type,
      swizzle: swizzleOf(width * bytesOf(matrix.type)),
      lines: linesOf(problem, plan, matrix),
    })),
    tiles,
    tilesOfOne: clusters * alongM,
    all,
    whole,
    halves: whole !== all,
    step,
    edge: ragged ? [m, n] : undefined,
  };
}

/** Of a kernel whose rows are those of the launch: the same for `m` of them. */
export function forRows(geometry: Geometry, m: number): Geometry {
  "use kernel";
  const { problem, plan, tileM, alongM, alongN, tiles, step } = geometry;
  const alone = problem.m <= tileM * alongM;
  const clusters = alone ? 1 : Math.trunc((m + tileM * alongM - 1) / (tileM * alongM));
  const batch = problem.batch?.count ?? 1;
  const all = clusters * batch * Math.ceil(tiles[1] / alongN);
  const whole = plan.splitTail ? all - (all % Math.min(step, all)) : all;
  return {
    ...geometry,
    tiles: [clusters * batch * alongM, tiles[1]],
    tilesOfOne: clusters * alongM,
    all,
    whole,
    halves: plan.splitTail,
    edge: [m, problem.n],
  };
}

/** Blocks of a launch with so many rows: no more than have a tile. */
export function blocksFor({ problem, plan, tileM, tileN, alongM, alongN, peers, splits }: Geometry, m: number): number {
  "use kernel"; // so that a build can follow what it computes
  const batch = problem.batch?.count ?? 1;
  const tiles = batch * Math.ceil(m / (tileM * alongM)) * Math.ceil(problem.n / (tileN * alongN));
  return Math.min(plan.blocks, tiles * peers * splits);
}
