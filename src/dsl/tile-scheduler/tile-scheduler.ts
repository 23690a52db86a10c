import { refuseMore } from "../../base/diag/index.ts";
import type { Value } from "../../ir/index.ts";
import { type HasStagedIteration, type SingleIteration, type StagedIteration, stagedIteration } from "../control/range.ts";
import { emitOne } from "../numbers/operands.ts";
import { bornHere } from "../objects/frames.ts";
import { failHere } from "../trace/fail-here.ts";
import { emitMark } from "../trace/mark.ts";
import { scalar } from "../trace/scalar.ts";
import { OwnObject, ownClass } from "../trace/staged.ts";
import { activeTrace, currentTrace, type Trace } from "../trace/trace.ts";
import { divided, isLess, isSame, lifted, type Natural, plus, signed, times, unsigned } from "./natural.ts";
import { ordinal, type Plan, planOf, type TileSchedulerOptions } from "./options.ts";
import { tileInOrder } from "./orders.ts";

/** A tile: i32 each. In clusters m and n may lie beyond the last tile (see `TileScheduler`). */
export interface Tile {
  /** Which tile along M, from 0 on. */
  readonly m: number;
  /** Which tile along N, from 0 on. */
  readonly n: number;
  /** Which split of K, with `splitK`. */
  readonly k: number;
  /** The tile's number among all that are assigned, those beyond the last included: no two have the same. */
  readonly index: number;
}
/** The tile of an iteration. */
export interface TileIndex extends Tile {
  /** The first one of this loop. */
  readonly first: boolean;
}

interface Dealt {
  readonly m: Natural;
  readonly n: Natural;
  readonly k: Natural;
  readonly index: Natural;
}

const tilesOf = ({ extents }: Plan): Natural => times(extents.alongM, extents.alongN);

/** What block `rank` of its cluster takes of the cluster's tile of that number. */
function dealt(plan: Plan, number: Natural, rank: Natural): Dealt {
  const [alongM, alongN] = plan.cluster;
  const [k, inSplit] = plan.splits === 1 ? [0, number] : divided(number, tilesOf(plan));
  const { m, n } = tileInOrder(plan.order, inSplit, plan.extents, plan.group);
  const [besideN, besideM] = alongN === 1 ? [0, rank] : divided(rank, alongM);
  return {
    m: plus(times(m, alongM), besideM),
    n: plus(times(n, alongN), besideN),
    k,
    index: plus(times(number, alongM * alongN), rank),
  };
}

const axes = ["x", "y", "z"] as const;
const register = (name: "ctaid" | "nctaid" | "clusterid", axis: (typeof axes)[number]): Value =>
  unsigned(emitOne("sreg", {}, { reg: `${name}.${axis}` }));

/** The cluster's number in the grid, x first, and how many there are; a block alone is a cluster. */
function clusterNumber({ options: { launch } }: Trace): { readonly number: Natural; readonly count: Natural } {
  const name = launch.cluster.every((extent) => extent === 1) ? "ctaid" : "clusterid";
  let [number, count]: [Natural, Natural] = [0, 1];
  for (const [i, axis] of axes.entries()) {
    number = plus(number, times(register(name, axis), count));
    count = times(count, divided(register("nctaid", axis), launch.cluster[i] ?? 1)[0]);
  }
  return { number, count };
}

/** The block's number in its cluster. */
const rankIn = ({ options: { launch } }: Trace): Natural =>
  launch.cluster.every((extent) => extent === 1) ? 0 : unsigned(emitOne("sreg", {}, { reg: "cluster_ctarank" }));

const unsignedScalar = (x: Natural): number => (typeof x === "number" ? x : scalar(x));
const signedScalar = (x: Natural): number => (typeof x === "number" ? x : scalar(signed(x)));

/** The same as the author sees it. */
function tileAt(plan: Plan, number: Natural, rank: Natural): Tile {
  const { m, n, k, index } = dealt(plan, number, rank);
  return { m: signedScalar(m), n: signedScalar(n), k: signedScalar(k), index: signedScalar(index) };
}

/** In a profile it is to be seen which tile a warp has. */
function markTile(trace: Trace, plan: Plan, number: Natural, rank: Natural): void {
  if (!trace.options.profile) return;
  const { m, n, k, index } = dealt(plan, number, rank);
  emitMark(trace, "tile", "tile", [m, n, k, index].map(lifted));
}

/**
 * The tiles of a block, in a loop on the GPU: `for (const { m, n } of new TileScheduler([8, 4]))`. `tiles`: how many there are along M and
 * along N, static or staged i32. Every thread that iterates sees the same tiles; blocks are numbered through the whole grid, x first.
 *
 * - In mode "grid" the body stands once, for this block's tile; blocks beyond the last tile leave it out.
 * - In mode "persistent" the grid is as large as the GPU, and each block takes a tile again and again, as far apart as there are blocks.
 *   With `every` and `from` a warpgroup takes only some of its block's tiles: `{ mode: "persistent", every: 2, from: wg }`.
 * - The blocks of a cluster take tiles side by side (`cluster`; block `rank` is `rank % alongM` along M and `floor(rank / alongM)`
 *   along N), and make the same number of iterations. Where the tiles are no multiple of that, some of those tiles lie beyond the last one, with m
 *   or n at or above `tiles`: TMA fills what it loads there and leaves out what it stores; everything else must ask first.
 *
 * On the host the same loop gives the tiles in the order in which they are assigned. At most 2³¹ - 1 tiles, in all splits. W6601–W6607.
 */
export class TileScheduler extends OwnObject implements Iterable<TileIndex>, HasStagedIteration {
  readonly #plan: Plan;

  constructor(tiles: readonly [m: number, n: number], options: TileSchedulerOptions = {}) {
    refuseMore(TileScheduler, arguments);
    super();
    this.#plan = planOf(tiles, options);
  }

  [stagedIteration](): StagedIteration | SingleIteration {
    const plan = this.#plan;
    const { mode, from, every } = plan;
    const trace = currentTrace("for (… of new TileScheduler(…))");
    const { number, count } = clusterNumber(trace);
    const rank = rankIn(trace);
    const stop = times(tilesOf(plan), plan.splits);
    const tile = (at: Natural, first: boolean): TileIndex => {
      markTile(trace, plan, at, rank);
      return bornHere({ ...tileAt(plan, at, rank), first });
    };
    if (mode === "grid") {
      const condition = isLess(number, stop);
      return { condition: typeof condition === "boolean" ? condition : scalar(condition), element: () => tile(number, true) };
    }
    const start = plus(number, times(from, count));
    return {
      start: unsignedScalar(start),
      stop: unsignedScalar(stop),
      step: unsignedScalar(times(count, every)),
      element: ({ value }) => {
        const first = isSame(value, start);
        return tile(value, typeof first === "boolean" ? first : scalar(first));
      },
    };
  }

  /**
   * What this block takes of the cluster's tile of that number (a block alone is a cluster), static or staged i32, from 0 on: for loops of the
   * author's own, such as one that treats the last wave in its own way. On the host: block 0 of the cluster. W6605.
   */
  at(number: number): Tile {
    const at = ordinal(number, "the number of a tile");
    const trace = activeTrace();
    return bornHere(tileAt(this.#plan, at, trace ? rankIn(trace) : 0));
  }

  *#tiles(): Iterator<TileIndex> {
    const plan = this.#plan;
    const [alongM, alongN] = plan.cluster;
    const stop = Number(times(tilesOf(plan), plan.splits));
    const start = Number(plan.from);
    for (let number = start; number < stop; number += plan.every)
      for (let rank = 0; rank < alongM * alongN; rank++)
        yield { ...tileAt(plan, number, rank), first: number === start && rank === 0 };
  }
  [Symbol.iterator](): Iterator<TileIndex> {
    if (activeTrace()) failHere("W2027", {});
    return this.#tiles();
  }
}
ownClass(TileScheduler);
