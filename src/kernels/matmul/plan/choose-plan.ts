/** Which plan a product gets where the author gives none: of the shapes that suit, the one that measured.ts knows for such sizes, else the one that `costOf` estimates to be the fastest. launch/planned.ts asks, and takes what `warpsmith tune` has kept first. */
import { type ByThreads, bytesOf, matricesOf, type Problem, storedBy } from "../problem/problem.ts";
import { measured } from "./measured.ts";
import {
  columnsOf,
  depthOf,
  exchangedThreads,
  inputStages,
  loadedRows,
  most,
  mostSums,
  type Plan,
  rowsOf,
  type Shape,
  shape,
  spanOf,
  storedColumns,
  sumsOf,
  TILE_K,
  unitOf,
  widthOf,
} from "./plan.ts";

/**
 * Bytes that a consumer has for what it stores: of a panel of all that TMA stores, how many panels its tile has, and what there is once, where threads store: all columns that
 * they store at a time.
 */
function panelsOf(of: Shape, problem: Problem): { readonly bytes: number; readonly count: number; readonly once: number } {
  const rows = rowsOf(of);
  const width = widthOf(of, problem);
  let [bytes, once] = [0, 0];
  for (const { type, lines } of storedBy(problem)) {
    if (lines) once += rows * (spanOf(of, problem, type) + unitOf(type)) * bytesOf(type);
    else bytes += rows * width * bytesOf(type);
  }
  return { bytes, once, count: bytes > 0 ? storedColumns(of) / width : 0 };
}

/** Of the two of a stage. */
const barrierBytes = 16;

/** Bytes of what the blocks that split K give each other, and of the barriers for that. */
function exchangeBytes(of: Shape, problem: Problem): number {
  const { splits = 1, consumers } = of;
  return splits === 1 ? 0 : consumers * (((exchangedThreads(of, problem) * sumsOf(of, problem)) / 128) * 4 + 16);
}

/** Bytes of shared memory beside the stages: panels of D, what column inputs of an epilogue need, and what the parts of K go through. */
function besideStages(of: Shape, buffers: number, problem: Problem): number {
  const columns = Object.values(problem.inputs ?? {}).filter((input) => input.shape === "column").length;
  const column = Math.ceil((of.consumers * storedColumns(of) * 4) / 128) * 128; // shared memory of so many bytes is aligned to them
  const { bytes, once } = panelsOf(of, problem);
  return of.consumers * (buffers * bytes + once) + columns * column + exchangeBytes(of, problem);
}

const leastBuffers = (of: Shape, problem: Problem): number => Math.min(panelsOf(of, problem).count, 2);
/** Of A and B. */
const stageBytes = (of: Shape, problem: Problem): number =>
  (of.tile[0] + columnsOf(of, problem.bMajor).room * matricesOf(problem)) * TILE_K * 2;
const stagesBytes = (of: Shape, stages: number, problem: Problem): number => stages * (stageBytes(of, problem) + barrierBytes);

/** What a plan takes of a block's shared memory, at least: all of it, a stage, and a panel of D for each consumer. */
export function planBytes(plan: Plan, problem: Problem) {
  const { bytes, once } = panelsOf(plan, problem);
  return {
    stage: stageBytes(plan, problem),
    buffers: bytes > 0 ? plan.buffers : 1,
    buffer: plan.consumers * (bytes > 0 ? bytes : once),
    all: stagesBytes(plan, plan.stages, problem) + besideStages(plan, plan.buffers, problem),
  };
}

/** As many stages as fit. */
function stagesOf(of: Shape, problem: Problem): number {
  const fit = Math.floor((most.sharedBytes - besideStages(of, leastBuffers(of, problem), problem)) / stagesBytes(of, 1, problem));
  return Math.min(of.stages ?? most.stages, fit, most.stages);
}

/** As many as have room beside the stages, up to four: more have nothing to wait for. */
function buffersOf(of: Shape, stages: number, problem: Problem): number {
  const { count, bytes } = panelsOf(of, problem);
  const free = most.sharedBytes - stagesBytes(of, stages, problem) - besideStages(of, 0, problem);
  if (bytes === 0) return 1;
  return Math.max(leastBuffers(of, problem), Math.min(count, 4, Math.floor(free / (of.consumers * bytes))));
}

const clusterTiles = ({ tile, cluster }: Shape, { m, n, batch }: Problem): number =>
  (batch?.count ?? 1) * Math.ceil(Math.ceil(m / tile[0]) / cluster[0]) * Math.ceil(Math.ceil(n / tile[1]) / cluster[1]);

/** As many as leave a stage for the next tile, beside an input that comes through the pipeline. */
function leftFirstOf(of: Shape, stages: number, problem: Problem): Pick<Plan, "leftFirst"> {
  if (of.leftFirst === undefined) return {};
  return { leftFirst: Math.max(0, Math.min(of.leftFirst, stages - inputStages(of, problem) - 1)) };
}

/**
 * Clusters of so many blocks that run at a time. Larger ones than pairs need neighbours in one group of multiprocessors: of an H200's 132, 30 clusters of four
 * or 15 of eight find them (cuOccupancyMaxActiveClusters).
 */
const clustersAtOnce = (peers: number, multiprocessors: number): number =>
  Math.floor((peers > 2 ? (multiprocessors * 10) / 11 : multiprocessors) / peers);

/** As many as a block ever fills, and as a plan needs: each is made, and rows that A does not have are cleared in each. */
function usefulStages(of: Shape, problem: Problem, tilesOfBlock: number): number {
  const more = inputStages(of, problem);
  const iters = Math.ceil(Math.ceil(problem.k / TILE_K) / (of.splits ?? 1));
  return Math.max(2, 1 + more, tilesOfBlock * (iters + more));
}

/** One block for each multiprocessor, or for each tile where those are fewer. */
export function planOf(of: Shape, problem: Problem, multiprocessors: number): Plan {
  const peers = of.cluster[0] * of.cluster[1] * (of.splits ?? 1);
  const tiles = clusterTiles(of, problem);
  const clusters = Math.max(1, Math.min(clustersAtOnce(peers, multiprocessors), tiles));
  const stages = Math.min(stagesOf(of, problem), usefulStages(of, problem, Math.ceil(tiles / clusters)));
  const buffers = buffersOf(of, stages, problem);
  return { ...of, ...leftFirstOf(of, stages, problem), stages, buffers, blocks: clusters * peers };
}

/** What a plan depends on beside the problem: it makes no other kernel. */
export interface Circumstances {
  readonly multiprocessors: number;
  /** Whether lines of A, and of B, begin at other distances than multiples of 128 bytes. */
  readonly misaligned: { readonly a: boolean; readonly b: boolean };
  /** Operands that TMA cannot load where they are, as threads load them, and whether a launch can copy them. */
  readonly unaligned?: ByThreads & { readonly copies: boolean };
}

/**
 * Cycles, fitted to about 1600 timings of plans at 200 random shapes on an H200 with a cold L2 cache, so that the plan that takes the fewest is as near as can be to the fastest
 * one timed. What all plans of a product take alike, such as the launch and memory, is not in it.
 */
const cycles = {
  /** From stage to stage of a consumer that has little to multiply; and more where blocks load for each other. */
  leastPerStage: 233,
  perStageTogether: 19,
  /** Of a line of 128 bytes that a block loads, and that all blocks load together; of one that lies across two lines of memory. */
  line: 0.26,
  lineOfAll: 1.71,
  lineApart: 3.98,
  /** The end of a tile: of an element; where consumers take turns, once; and of an element that TMA cannot store, beside that. */
  element: 0.063,
  turn: 4240,
  elementApart: 0.195,
  /** Of a byte of parts of K that meet. */
  exchangedByte: 0.154,
  /** Of a block. */
  block: 6.6,
} as const;

/**
 * Of operands that TMA cannot load: what threads take from stage to stage at least, and for each load of a thread; and a copy. Fitted to timings of nine plans of each of the 60 such shapes among the same
 * 200, one of them with a copy, beside the cycles above.
 */
const unalignedCycles = { stage: 1450, load: 14, copy: 7000 } as const;

/** Loads of a thread for a stage of operands that TMA cannot load. */
function loadsOf(of: Shape, problem: Problem, { a, b }: ByThreads): number {
  const bytes = (vector: number | undefined, elements: number): number => (vector ? elements / (vector * 128) : 0);
  const depth = depthOf({ ...problem, byThreads: {} });
  return bytes(a, loadedRows(of, problem) * depth) + bytes(b, of.tile[1] * matricesOf(problem) * depth);
}

/** About the cycles of one multiprocessor. */
export function costOf(of: Shape, problem: Problem, { multiprocessors, misaligned, unaligned }: Circumstances): number {
  const [tileM, tileN] = of.tile;
  const { splits = 1 } = of;
  const peers = of.cluster[0] * of.cluster[1] * splits;
  const atOnce = Math.max(1, clustersAtOnce(peers, multiprocessors));
  const all = clusterTiles(of, problem);
  const tiles = all / atOnce;
  const waves = of.splitTail && tiles > 1 ? Math.ceil(2 * tiles) / 2 : Math.ceil(tiles);
  // Random shapes have few products in which tensor cores are all that counts: this is as hand-set for the timings behind `measured`.
  const narrow = 1 + (of.consumers === 1 ? 0.06 + 9 / tileN : 4 / tileN) + 2 / tileM;
  const byThreads = of.unaligned === "threads" ? unaligned : undefined;
  const linesOfA = byThreads?.a ? 0 : loadedRows(of, problem) / of.cluster[1];
  const matrices = matricesOf(problem);
  const linesOfB = byThreads?.b ? 0 : (columnsOf(of, problem.bMajor).room * matrices) / of.cluster[0];
  const apartLines = (misaligned.a ? linesOfA : 0) + (misaligned.b ? linesOfB : 0);
  const lines = linesOfA + linesOfB - apartLines;
  const share = (Math.min(all, atOnce) * peers) / multiprocessors;
  const together = of.cluster[0] * of.cluster[1] > 1 ? cycles.perStageTogether : 0;
  const perStage = Math.max(
    ...[cycles.leastPerStage, ((tileM * tileN * matrices) / 32) * narrow],
    ...[lines * cycles.line + apartLines * cycles.lineApart, lines * cycles.lineOfAll * share],
    ...(byThreads ? [unalignedCycles.stage, unalignedCycles.load * loadsOf(of, problem, byThreads)] : []),
  );
  const products = Math.ceil(problem.k / TILE_K / splits) * (perStage + together);
  const area = tileM * tileN;
  const stored = storedBy(problem);
  const apart = stored.filter(({ lines }) => lines).length * area * cycles.elementApart;
  const copied = unaligned && !byThreads ? unalignedCycles.copy : 0;
  const blocks = Math.min(all, atOnce) * of.cluster[0] * of.cluster[1] * cycles.block + copied;
  if (of.schedule === "pingpong") {
    const end = cycles.turn + apart + (stored.length - 1) * area * cycles.element;
    return waves * Math.max(products, (products + end) / 2) + end + blocks;
  }
  const exchange = splits === 1 ? 0 : exchangeBytes(of, problem) * cycles.exchangedByte;
  return waves * (products + stored.length * area * cycles.element + apart + exchange) + blocks;
}

/** For few tiles, and for few rows, where the weights are all that counts: columns of a tile, and parts of K. */
const narrow = [
  [[16, 32, 48, 64, 96, 112, 128, 160, 192, 256], 1],
  [[32, 64, 96, 128, 160, 192, 256], 2],
  [[64, 128, 192, 256], 4],
  [[128, 256], 8],
] as const;

/** What is chosen from. */
const shapes: readonly Shape[] = [
  ...narrow.flatMap(([columns, splits]) =>
    columns.map((n) => shape([64, n], { consumers: 1, stores: "warp", ...(splits > 1 ? { splits, promotion: "none" } : {}) })),
  ),
  ...([2, 4] as const).flatMap((along) =>
    [64, 128, 192, 256].map((n) => shape([64, n], { consumers: 1, cluster: [along, 1], stores: "warp" })),
  ),
  ...[32, 64, 96, 128, 144, 160, 176, 192, 208, 224, 256].map((n) =>
    shape([128, n], { ...(n >= 192 ? { wait: 0 } : {}), ...(n >= 224 ? { leftFirst: 2 } : {}) }),
  ),
  ...[32, 64, 96, 112, 128, 160, 176].map((n) => shape([256, n])),
  ...([2, 4] as const).flatMap((splits) => [64, 128, 256].map((n) => shape([128, n], { splits, promotion: "none" }))),
  ...[64, 96, 112, 128, 160].map((n) => shape([256, n], { cluster: [2, 1] })),
  shape([256, 128], { cluster: [1, 2] }),
  shape([256, 192], { cluster: [2, 1], splitTail: true, promotion: "256B" }),
  ...[112, 128, 144, 160, 192, 208, 256].map((n) => shape([128, n], { cluster: [2, 1], ...(n >= 192 ? { wait: 0 } : {}) })),
  shape([128, 256], { cluster: [4, 1], wait: 0 }),
  ...([1, 2, 4] as const).flatMap((along) =>
    [64, 96, 128, 160, 192].map((n) => shape([128, n], { schedule: "pingpong", cluster: [along, 1] })),
  ),
];

/** How many panels' worth of numbers an epilogue gives beside the elements: a further matrix, what becomes of rows, and columns of the greatest. */
function givenBeside({ reductions, further = {} }: Problem): number {
  const ofRows = Object.values(reductions ?? {});
  return Object.keys(further).length + (ofRows.length > 0 ? 1 : 0) + (ofRows.includes("argmax") ? 1 : 0);
}

/**
 * Sums that leave a consumer registers for an epilogue: with 192 for each thread, one that reads more than columns spills. Where parts of K of a pair meet, that spills
 * without an epilogue's inputs, and 160 spill with them. What else an epilogue gives takes registers, too, more of them for more rows: with
 * 128 rows for each consumer, 96 sums spill where two matrices and the greatest of a row with its column are given.
 */
function sumsBeside(of: Shape, problem: Problem): number {
  const { splits = 1 } = of;
  const { inputs = {}, pair } = problem;
  const beside = givenBeside(problem);
  const readsColumns = beside === 0 && Object.values(inputs).every((input) => input.shape === "column");
  if (beside > 1) return rowsOf(of) > 64 ? 0 : 128 * 128;
  if (pair && splits > 1) return 128 * (readsColumns ? 160 : 128);
  return readsColumns ? mostSums : 128 * 176;
}

/** Rows of A and columns of B that threads load for a stage without spilling: where there are three warpgroups they have fewer registers. */
const mostLoaded = ({ consumers }: Shape): number => (consumers === 1 ? 320 : 256);

/** Whether threads of blocks by that shape can load what TMA cannot. */
const loadsByThreads = (of: Shape, problem: Problem): boolean =>
  of.cluster[0] * of.cluster[1] === 1 && of.tile[0] + of.tile[1] * matricesOf(problem) <= mostLoaded(of);

/** Whether a shape has room for two stages, and registers for what the epilogue reads; and sums in an order that no number of rows changes, where that is asked for. */
export const suits = (of: Shape, problem: Problem): boolean =>
  stagesOf(of, problem) >= 2 &&
  sumsOf(of, problem) <= sumsBeside(of, problem) &&
  (of.unaligned !== "threads" || loadsByThreads(of, problem)) &&
  !(problem.invariant && (of.splits ?? 1) > 1) &&
  of.tile[1] % (problem.partColumns ?? 1) === 0 &&
  !(problem.pair && (of.leftFirst ?? 0) > 0);

/** Whether whole tiles would leave half of the machine empty, and parts of them have stages enough to keep memory busy. */
const isWorthSplitting = (of: Shape, problem: Problem, multiprocessors: number): boolean =>
  2 * clusterTiles(of, problem) <= multiprocessors && stagesOf(of, problem) >= 4;

/** Whether every block of a cluster has a tile. */
const hasTiles = ({ tile, cluster }: Shape, { m, n }: Problem): boolean =>
  Math.ceil(m / tile[0]) >= cluster[0] && Math.ceil(n / tile[1]) >= cluster[1];

/** The shape that was chosen by timing for just this size, or else the one that should take the fewest cycles. */
export function chooseShape(problem: Problem, circumstances: Circumstances): Shape {
  const { multiprocessors } = circumstances;
  const fits = (of: Shape) => suits(of, problem);
  const known = problem.batch || problem.pair ? undefined : measured(problem);
  if (known && fits(known)) return known;
  const { unaligned } = circumstances;
  const usable = [
    ...(unaligned?.copies === false ? [] : shapes),
    ...(unaligned ? shapes.map((of): Shape => ({ ...of, unaligned: "threads" })) : []),
  ].filter(
    (of) => fits(of) && hasTiles(of, problem) && (of.splits === undefined || isWorthSplitting(of, problem, multiprocessors)),
  );
  return usable.reduce((a, b) => (costOf(b, problem, circumstances) < costOf(a, problem, circumstances) ? b : a));
}

export const choosePlan = (problem: Problem, circumstances: Circumstances): Plan =>
  planOf(chooseShape(problem, circumstances), problem, circumstances.multiprocessors);
