/** Loops as an author writes them. */
import type { Annotations, Expr, LoopKind, ThreadTag } from "../ir/types.ts";
import { type AnnotationValues, annotationsOf } from "./annotations.ts";
import { extentOf } from "./buffers.ts";
import { ownFunction } from "./functions.ts";
import { failGiven } from "./symbolic.ts";
import { currentTracing, failHere } from "./tracing.ts";

/** Loops inside one another, before their body is there. */
export class Loops implements Iterable<never> {
  readonly extents: readonly Expr[];
  readonly kind: LoopKind;
  readonly annotations: Annotations;
  /** One loop gives its variable, several give an array of theirs. */
  readonly single: boolean;
  constructor(extents: readonly Expr[], kind: LoopKind, annotations: Annotations, single: boolean) {
    this.extents = extents;
    this.kind = kind;
    this.annotations = annotations;
    this.single = single;
  }
  [Symbol.iterator](): Iterator<never> {
    return failHere("W5516", {
      text: "for (… of …)",
      why: "goes through loops of a program in a function that was written outside it",
    });
  }
}

function oneLoop(what: string, kind: LoopKind, extent: unknown, annotations: unknown): Loops {
  currentTracing(`${what}(…)`);
  return new Loops([extentOf(extent, `the extent of ${what}(…)`)], kind, annotationsOf(annotations, `${what}(…)`), true);
}

function gridOf(...extents: readonly number[]): Loops {
  currentTracing("grid(…)");
  if (extents.length === 0)
    failHere("W5508", {
      what: "grid(…)",
      wanted: "one extent for each loop",
      got: "nothing",
      instead: "write `grid(16)` or `grid(16, 16)`",
    });
  return new Loops(
    extents.map((e) => extentOf(e, "an extent of grid(…)")),
    "serial",
    {},
    extents.length === 1,
  );
}

/** Serial loops inside one another, one for each extent: `for (const [i, j] of grid(64, 64))`, `for (const i of grid(64))`. W5508. */
export const grid: {
  (extent: number): Iterable<number>;
  <const E extends readonly number[]>(...extents: E): Iterable<{ readonly [K in keyof E]: number }>;
  // A variable of a loop is a number to the author, and an expression here.
} = ownFunction(gridOf as never);

/** One serial loop, with annotations. W5508. */
export const serial: (extent: number, annotations?: AnnotationValues) => Iterable<number> = ownFunction(
  (extent: number, annotations?: AnnotationValues) => oneLoop("serial", "serial", extent, annotations),
);

/** A loop whose body is written out for each of its iterations. W5508. */
export const unrolled: (extent: number, annotations?: AnnotationValues) => Iterable<number> = ownFunction(
  (extent: number, annotations?: AnnotationValues) => oneLoop("unrolled", "unroll", extent, annotations),
);

/** A loop whose iterations are one access of neighbours in memory. W5508. */
export const vectorized: (extent: number, annotations?: AnnotationValues) => Iterable<number> = ownFunction(
  (extent: number, annotations?: AnnotationValues) => oneLoop("vectorized", "vectorize", extent, annotations),
);

const tags: readonly ThreadTag[] = ["blockIdx.x", "blockIdx.y", "blockIdx.z", "threadIdx.x", "threadIdx.y", "threadIdx.z"];

/** A loop whose iterations are the threads of a block or the blocks of a grid: `bind("threadIdx.x", 128)`. W5508. */
export const bind: (tag: ThreadTag, extent: number, annotations?: AnnotationValues) => Iterable<number> = ownFunction(
  (tag: ThreadTag, extent: number, annotations?: AnnotationValues) => {
    if (!tags.includes(tag))
      failGiven("what a loop is bound to", "an index of threads or blocks", tag, `write one of ${tags.join(", ")}`);
    return oneLoop("bind", tag, extent, annotations);
  },
);
