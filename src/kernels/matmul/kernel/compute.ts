import {
  bool,
  type ConsumerStage,
  cluster,
  type NamedBarrier,
  namedBarrier,
  type Operand,
  type Pipeline,
  type SharedView,
  staticRange,
  tma,
  WGMMAMatrix,
  warpgroup,
  wgmma,
} from "warpsmith";
import { type Fused, fetchColumns, layColumns, ofBatch } from "../epilogue/epilogue.ts";
import type { Partials } from "../epilogue/reduce.ts";
import type { HalfType, ResultType } from "../problem/problem.ts";
import { addParts, type Exchange } from "./exchange.ts";
import { multiply, multiplyApart, release } from "./multiply.ts";
import { clearRest, type Stages } from "./stages.ts";
import { type FromPipe, type Out, storeTile } from "./store-tile.ts";
import { type Part, type Walk, walk } from "./walk.ts";

/** What consumers need. */
interface Computing extends Walk {
  /** Where what is stored goes, and first of it D. */
  readonly to: readonly Out[];
  readonly fused: Fused | undefined;
  /** Where the epilogue gives something for rows. */
  readonly partials: Partials | undefined;
  readonly stages: Stages;
  /** See `makePanels`. */
  readonly panels: readonly SharedView<ResultType, 4>[];
  readonly pipe: Pipeline;
  /** Where parts of K are added. */
  readonly exchange: Exchange | undefined;
  /** Where the consumers wait for the pipeline's barriers. */
  readonly started: NamedBarrier;
}

/**
 * Whether a thread has registers for all that the pipeline brings, beside its sums, 16 bits for each. ptxas makes f32 of bf16 as soon as it is
 * there, so there is less room for it.
 */
const roomForInput = (dtype: HalfType, sums: number): boolean => sums <= 128 * (dtype === "f16" ? 128 : 96);

/** The place in the pipeline from which an epilogue reads what belongs to `height` rows of a tile, from its row `first` on. */
function inputFrom({ geometry, stages }: Computing, get: ConsumerStage, first: number, height: number): FromPipe | undefined {
  "use kernel";
  const { problem, plan, through, pingpong, peers, rows, tileN, matrices } = geometry;
  if (!through) return undefined;
  const tall = pingpong ? height : height * plan.consumers;
  return {
    get,
    perStage: through.perStage,
    atOnce: pingpong && roomForInput(problem.dtype, rows * tileN * matrices),
    panel: (stage, number) => stages.panel(stage, number, tall).subview([first, 0], [height, 64]),
    release: (stage) => release(stage, peers, true),
  };
}

/** One of them: its number, the parts of B that it multiplies with, and, where they take turns, its own barrier and the other one's. */
interface Consumer {
  readonly wg: number;
  readonly parts: readonly Operand[];
  readonly mine: NamedBarrier;
  readonly other: NamedBarrier;
}

/** Multiplies and stores a tile, the `odd`th one of this block. Gives the place in the pipeline of this consumer's next one. */
function computeTile(computing: Computing, { wg, parts, mine, other }: Consumer, from: ConsumerStage, part: Part, odd: boolean) {
  "use kernel";
  const { geometry, to, stages, panels, exchange, partials } = computing;
  const fused = computing.fused && part.batch !== undefined ? ofBatch(computing.fused, part.batch) : computing.fused;
  const { problem, plan, pingpong, iters, apart, more, peers, depth } = geometry;
  const height = geometry.rows / part.of;
  const first = pingpong ? 0 : wg * height;
  const A = WGMMAMatrix.descriptor(stages.a.subview([0, first, 0], [plan.stages, height, depth]), [height, depth]);
  const col = part.col + part.split * geometry.stored;
  const fetched = fused && fetchColumns(fused, col);
  if (pingpong) mine.sync();
  const done = multiply(A, parts, from, iters - apart, plan.wait, peers);
  const sums = multiplyApart(A, parts, done.sums, done.get, apart);
  const behind = done.get.next(apart);
  if (pingpong && part.follows) {
    // The other one skips these stages; behind its first round it would take one that is still empty for full.
    for (const i of staticRange(more)) behind.next(i).wait();
    other.arrive();
  }
  if (fetched) layColumns(fetched, wg);
  /** Each product by its parts, from left to right. */
  const values = problem.pair ? sums.map((sum) => [sum]) : [sums];
  /** Waits for the products of the part of that number; when it is the last one, hands back the stages that were kept until then. */
  const finish = (number: number) => {
    const later = (values[0] ?? []).length - 1 - number;
    wgmma.wait(later * apart);
    if (later > 0) return;
    if (plan.wait > 0) release(done.held, peers, true);
    for (const i of staticRange(apart)) release(done.get.next(i), peers, true);
  };
  const results = geometry.results.map((layout, i) => {
    const room = panels[i] as SharedView<ResultType, 4>;
    const [, count, , width] = room.shape;
    return { ...layout, to: to[i] as Out, buffers: room.at(wg).subview([0, 0, 0], [count, height, width]) };
  });
  const target = { results, geometry, wg, row: part.row + first, col, batch: part.batch, partials };
  if (exchange) finish(0);
  const whole = exchange ? addParts(exchange, geometry, sums, wg, part, odd).map((sum) => [sum]) : values;
  const get =
    storeTile(whole, exchange ? () => {} : finish, target, fused, inputFrom(computing, behind, first, height)) ?? behind;
  return get.next(pingpong ? iters + more : 0);
}

/** A consumer: a warpgroup that multiplies, and stores what comes of it. */
export function compute(computing: Computing, wg: number) {
  "use kernel";
  const { geometry, stages, pipe, started, from, exchange } = computing;
  const { plan, pingpong, iters, more, peers, step, depth } = geometry;
  if (peers === 1) {
    clearRest(stages, geometry, wg);
    started.sync();
  }
  if (exchange) cluster.wait();
  const thread = warpgroup.thread;
  const parts = geometry.parts.map(([first, columns]) => {
    const view = stages.b.subview([0, first, 0], [plan.stages, columns, depth]);
    return WGMMAMatrix.descriptor(view.transpose(0, 2, 1), [depth, columns]);
  });
  const consumer = {
    wg,
    parts,
    mine: namedBarrier(8 + wg, 256),
    other: namedBarrier(9 - wg, 256),
  };
  let get = pipe.consumer().next(pingpong ? wg * (iters + more) : 0);
  let odd: boolean = bool(false);
  if (pingpong && wg === 1) consumer.other.arrive();
  walk(computing, from + (pingpong ? wg * step : 0), pingpong ? 2 * step : step, (part) => {
    get = computeTile(computing, consumer, get, part, odd);
    odd = !odd;
  });
  if (thread % (plan.stores === "warp" ? 32 : 128) === 0) tma.wait(0, { read: true });
}
