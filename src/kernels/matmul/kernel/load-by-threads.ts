/**
 * Operands that the producer's threads load, because TMA cannot: through registers into the stages of the pipeline, where they lie as TMA would lay them.
 * Loads of a thread are in flight while it stores those before them; the first of a stage while it waits for the stage to be empty.
 */
import { fence, type ProducerStage, type SharedView, staticRange, syncWarp, type Tensor, warp, warpgroup } from "warpsmith";
import type { HalfType, Major, Vector } from "../problem/problem.ts";
import type { Geometry } from "./geometry.ts";
import { loadNeighbours } from "./load-neighbours.ts";
import type { WeightMaps } from "./maps.ts";
import type { Stages } from "./stages.ts";
import type { Part } from "./walk.ts";

/** Where operands come from: those that are no maps are loaded by threads. */
interface Sources {
  readonly geometry: Geometry;
  readonly a: unknown;
  readonly b: WeightMaps;
  readonly stages: Stages;
}

/** How threads share out what a stage has of a matrix. */
interface Share {
  readonly lines: number;
  readonly columns: number;
  /** Neighbours that a thread loads at a time, and stores. */
  readonly vector: Vector;
  readonly width: number;
  /** Threads beside each other along a line, lines that all threads load at a time, and how often they do. */
  readonly across: number;
  readonly down: number;
  readonly times: number;
  /** For how many times a thread has loads in flight. */
  readonly together: number;
}

/** A matrix of which a stage has a part, in the order of memory. */
interface Lines {
  readonly from: Tensor<HalfType, 2>;
  readonly major: Major;
  readonly share: Share;
  /** Where the part begins along M or N. */
  readonly mn: number;
  /** Where it lies in the stage of that number. */
  to(stage: number): SharedView<HalfType, 2>;
}

/** Some lines of one matrix: what a thread loads at a time. */
interface Chunk {
  readonly lines: Lines;
  readonly first: number;
  readonly count: number;
}

type Values = readonly (readonly number[])[];

/** Loads of a thread in a piece: as many as it has registers for twice. */
const loadsAtOnce = (consumers: number): number => (consumers === 1 ? 32 : 16);
const THREADS = 128;

function shareOf(lines: number, columns: number, vector: Vector, most: number): Share {
  const width = Math.max(2, vector);
  const across = 2 ** Math.ceil(Math.log2(columns / width));
  const down = THREADS / across;
  const times = Math.ceil(lines / down);
  const pieces = Math.ceil((times * width) / (vector * most));
  return { lines, columns, vector, width, across, down, times, together: Math.ceil(times / pieces) };
}

/** What threads load of a stage, in pieces. Empty where TMA loads it all. */
export function chunksOf({ geometry, a, b, stages }: Sources, part: Part): readonly Chunk[] {
  "use kernel";
  const { problem, loaded, columns, depth, tileN } = geometry;
  const { byThreads = {}, batch, aMajor, bMajor } = problem;
  const most = loadsAtOnce(geometry.plan.consumers);
  const one = (matrices: unknown, has: boolean | undefined): Tensor<HalfType, 2> =>
    has && part.batch !== undefined
      ? ((matrices as Tensor<HalfType, 3>).at(part.batch) as Tensor<HalfType, 2>)
      : (matrices as Tensor<HalfType, 2>);
  const matrix = (room: (stage: number) => SharedView<HalfType, 2>, rows: number, major: Major, vector: Vector) => ({
    major,
    share: major === "k" ? shareOf(rows, depth, vector, most) : shareOf(depth, rows, vector, most),
    to: (stage: number) => {
      const view = room(stage).subview([0, 0], [rows, depth]);
      return major === "k" ? view : view.transpose(1, 0);
    },
  });
  const all: Lines[] = [];
  if (byThreads.a) {
    const from = one(a, batch?.ofA);
    const room = (stage: number) => stages.a.at(stage);
    all.push({ ...matrix(room, loaded / part.of, aMajor, byThreads.a), from, mn: part.row });
  }
  if (byThreads.b) {
    for (const [i, { lines }] of (b.second ? [b, b.second] : [b]).entries()) {
      const room = (stage: number) => stages.b.at(stage).subview([i * columns.room, 0], [columns.room, depth]);
      all.push({ ...matrix(room, tileN, bMajor, byThreads.b), from: one(lines, batch?.ofB), mn: part.col });
    }
  }
  return all.flatMap((lines) =>
    everySo(lines.share.times, lines.share.together).map(([first, count]) => ({ lines, first, count })),
  );
}

const everySo = (times: number, together: number): readonly (readonly [first: number, count: number])[] =>
  Array.from({ length: Math.ceil(times / together) }, (_, i) => [i * together, Math.min(together, times - i * together)]);

/** Where this thread's first neighbours of a piece lie in a stage. */
function placeIn({ lines, first }: Chunk): readonly [line: number, column: number] {
  "use kernel";
  const { across, down, width } = lines.share;
  const thread = warpgroup.thread;
  return [first * down + Math.trunc(thread / across), (thread % across) * width];
}

/** Loads a piece of the stage whose first element along K is `k`; what the matrix does not have is 0. */
export function fetchChunk(chunk: Chunk, k: number): Values {
  "use kernel";
  const { from, major, mn, share } = chunk.lines;
  const { columns, vector, width, across, down } = share;
  const [line, column] = placeIn(chunk);
  const [firstLine, firstColumn] = major === "k" ? [mn, k] : [k, mn];
  const end = across * width === columns ? from.shape[1] : Math.min(from.shape[1], firstColumn + columns);
  return Array.from({ length: chunk.count }, (_, i) =>
    loadNeighbours(from, [firstLine + line + i * down, firstColumn + column], width, vector, [from.shape[0], end]),
  );
}

/** Stores what has been loaded of a piece. */
function layChunk(chunk: Chunk, values: Values, stage: number) {
  "use kernel";
  const { lines, columns, width, across, down, times } = chunk.lines.share;
  const [line, column] = placeIn(chunk);
  const to = chunk.lines.to(stage);
  const beside = across * width === columns || column < columns;
  for (const i of staticRange(chunk.count)) {
    const below = times * down === lines || line + i * down < lines;
    to.at(line + i * down, column).store(values[i] ?? [], { pred: beside && below });
  }
}

/**
 * Fills a stage with all pieces; `held` is the first, loaded before. Gives the first of the next stage, whose first element along K is `next`, undefined where there
 * is none. Arrives once for each warp.
 */
export function fillStage(
  chunks: readonly Chunk[],
  held: Values,
  put: ProducerStage,
  [k, next]: readonly [k: number, next: number | undefined],
): Values {
  "use kernel";
  put.wait();
  let ready = held;
  for (const [i, chunk] of chunks.entries()) {
    const [following, from] = i + 1 < chunks.length ? [chunks[i + 1], k] : [chunks[0], next];
    const coming = following && from !== undefined ? fetchChunk(following, from) : held;
    layChunk(chunk, ready, put.index);
    ready = coming;
  }
  fence.proxyAsync({ space: "shared::cta" });
  syncWarp();
  put.commit({ pred: warp.lane === 0 });
  return ready;
}
