/** Counts what a launch does, from its op graph: bytes, operations, barriers. */
import type { Spans } from "../../../base/diag/index.ts";
import { mapDim3 } from "../../../base/dim3.ts";
import type { Dim3 } from "../../../base/types.ts";
import type { Graph, Literal } from "../../../ir/index.ts";
import { type BlockRange, BlocksDiffer } from "./registers.ts";
import { sliceOf } from "./slice.ts";
import { type Doubt, Doubts, Tally } from "./tally.ts";
import { Effort } from "./values.ts";
import { BlockWalk, type Counting } from "./walk.ts";

export type { Doubt, DoubtKind } from "./tally.ts";

/** What is known of a parameter of the kernel, in the order of its graph. */
export interface ParameterFacts {
  /** The author's name: of a tensor, or of the tensor behind a map. */
  readonly name: string;
  /** A scalar's value. */
  readonly value?: Literal | undefined;
  /** Bytes of the elements of a tensor. */
  readonly bytes?: number | undefined;
  /** Bytes of the box of a tensor map. */
  readonly boxBytes?: number | undefined;
}

/** Counts of a whole launch. */
export interface Counted {
  /** By name: "read threads 0" are bytes that threads read through parameter 0, "tensor f16" and "plain f32" operations, the others events. */
  readonly counts: ReadonlyMap<string, number>;
  readonly doubts: readonly Doubt[];
}

/** What is worked out thread by thread before conditions count as not known: about a second. */
const mostEffort = 2 ** 24;

const blocksOf = ([x, y, z]: Dim3): number => x * y * z;

/** Two halves of a range, along its longest axis. */
function halves({ first, last }: BlockRange): readonly [BlockRange, BlockRange] {
  const lengths = first.map((from, i) => (last[i] ?? 0) - from);
  const axis = lengths.indexOf(Math.max(...lengths));
  const middle = (first[axis] ?? 0) + Math.floor((lengths[axis] ?? 0) / 2);
  const at = (place: Dim3, value: number) => mapDim3(place, (n, i) => (i === axis ? value : n));
  return [
    { first, last: at(last, middle) },
    { first: at(first, middle + 1), last },
  ];
}

/** The launch of a graph, counted range by range: blocks that do the same are looked at once. */
class LaunchCount {
  readonly all = new Tally();
  readonly #graph: Graph;
  readonly #grid: Dim3;
  readonly #counting: Counting;
  readonly #place: Spans;

  constructor(graph: Graph, grid: Dim3, counting: Counting, place: Spans) {
    this.#graph = graph;
    this.#grid = grid;
    this.#counting = counting;
    this.#place = place;
  }

  add(range: BlockRange): void {
    const { first, last } = range;
    const blocks = blocksOf(mapDim3(first, (from, i) => (last[i] ?? 0) - from + 1));
    const { effort, doubts, threads } = this.#counting;
    effort.left -= threads;
    const unsure = effort.spent && blocks > 1;
    if (unsure) doubts.add("blocks", this.#place);
    try {
      this.all.addAll(this.#walk(range, unsure), blocks);
    } catch (error) {
      if (!(error instanceof BlocksDiffer)) throw error;
      for (const half of halves(range)) this.add(half);
    }
  }

  #walk(range: BlockRange, unsure: boolean): Tally {
    const { block, cluster } = this.#graph.launch;
    return new BlockWalk(this.#counting, { ...range, grid: this.#grid, block, cluster, unsure }).run(this.#graph.body);
  }
}

/** What the launch of a graph with that many blocks does. `place`: the kernel's. */
export function count(graph: Graph, parameters: readonly ParameterFacts[], grid: Dim3, place: Spans): Counted {
  const doubts = new Doubts();
  const counting: Counting = {
    slice: sliceOf(graph),
    threads: blocksOf(graph.launch.block),
    boxBytes: (parameter) => parameters[parameter]?.boxBytes,
    parameters: new Map(graph.params.map(({ value }, i) => [value.id, parameters[i]?.value])),
    doubts,
    effort: new Effort(mostEffort),
  };
  const launch = new LaunchCount(graph, grid, counting, place);
  launch.add({ first: [0, 0, 0], last: [grid[0] - 1, grid[1] - 1, grid[2] - 1] });
  return { counts: launch.all.counts, doubts: doubts.list };
}
