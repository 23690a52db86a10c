/** Counts what a launch does, from its op graph: bytes, operations, barriers. */
import type { Spans } from "../../diag/index.ts";
import type { Graph, Literal } from "../../ir/index.ts";
import type { Dim3 } from "../../types.ts";
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
/** Blocks that are looked at one by one. */
const mostBlocks = 2 ** 16;

const blocksOf = ([x, y, z]: Dim3): number => x * y * z;

/** What the launch of a graph with that many blocks does. */
export function count(graph: Graph, parameters: readonly ParameterFacts[], grid: Dim3, place: Spans): Counted {
  const { block, cluster } = graph.launch;
  const slice = sliceOf(graph);
  const doubts = new Doubts();
  const effort = new Effort(mostEffort);
  const counting: Counting = {
    slice,
    threads: blocksOf(block),
    boxBytes: (parameter) => parameters[parameter]?.boxBytes,
    parameters: new Map(graph.params.map(({ value }, i) => [value.id, parameters[i]?.value])),
    doubts,
    effort,
  };
  const walk = (at: Dim3 | undefined): Tally => new BlockWalk(counting, { at, grid, block, cluster }).run(graph.body);
  const all = new Tally();
  const blocks = blocksOf(grid);
  if (!slice.byBlock) {
    all.addAll(walk([0, 0, 0]), blocks);
    return { counts: all.counts, doubts: doubts.list };
  }
  let done = 0;
  for (; done < blocks && done < mostBlocks && !effort.spent; done++)
    all.addAll(walk([done % grid[0], Math.floor(done / grid[0]) % grid[1], Math.floor(done / grid[0] / grid[1])]));
  if (done < blocks) {
    doubts.add("blocks", place);
    all.addAll(walk(undefined), blocks - done);
  }
  return { counts: all.counts, doubts: doubts.list };
}
