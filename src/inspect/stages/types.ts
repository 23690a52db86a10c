import type { Span } from "../../base/diag/index.ts";
import type { GraphLine } from "./graph-lines.ts";

/** What is printed of a compilation: all stages, or those of one name; each whole, or against the one before. */
export interface StagePrint {
  readonly diff: boolean;
  readonly only?: string;
}

/** A kernel that is compiled, in words. */
export interface KernelTold {
  /** Tells one compilation from the others of the program: `gemm(a: f16[512,64])`. */
  readonly title: string;
  /** Where its function stands. */
  readonly place: Span | undefined;
}

/** The graph at one point of a compilation. */
export interface StageSeen {
  /** "trace", or the pass that gave it. */
  readonly name: string;
  readonly level: string;
  readonly lines: readonly GraphLine[];
  /** A drawing of what it does, as SVG. */
  readonly picture?: string | undefined;
}

/** How a compilation ended: with PTX, or with an error. */
export interface Ending {
  readonly ptx?: string;
  readonly error?: string;
}

/** A compilation, from its beginning to its end. */
export interface KernelRecord extends KernelTold, Ending {
  readonly stages: readonly StageSeen[];
}
