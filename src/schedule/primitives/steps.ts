/** The table of steps: what `Schedule` applies and what a trace of a schedule names. A step is declared here once. */
import { intrinsicOf } from "../intrinsics/registry.ts";
import type { Annotations, Program, Scope, ThreadTag, Var } from "../ir/types.ts";
import { blockize } from "./blockize.ts";
import { cacheRead, cacheWrite } from "./cache.ts";
import { computeAt, reverseComputeAt } from "./compute-at.ts";
import { blockAt, loopsAround, type Step } from "./find.ts";
import { annotateLoop, bind, fuse, reorder, split, unroll, vectorize } from "./loops.ts";
import { decomposeReduction } from "./reduction.ts";
import { tensorize } from "./tensorize.ts";

/** What a step gives: the program after it, and the loops and blocks that the author goes on with. */
export interface StepResult {
  readonly program: Program;
  readonly loops?: readonly Var[];
  readonly blocks?: readonly string[];
}
/** `args` are those that the author gave, with loops as their variables and blocks as their names. */
export type Apply<A extends readonly unknown[]> = (p: Program, args: A, step: Step) => StepResult;

const define = <const T extends Readonly<Record<string, Apply<never>>>>(steps: T): T => steps;

export const steps = define({
  getBlock: (program, [name]: readonly [string], step) => ({ program, blocks: [blockAt(program, name, step).block.name] }),
  getLoops: (program, [block]: readonly [string], step) => ({
    program,
    loops: loopsAround(blockAt(program, block, step).around).map((l) => l.variable),
  }),
  split: (p, [loop, factors]: readonly [Var, readonly (number | null)[]], step) => split(p, loop, factors, step),
  fuse: (p, loops: readonly Var[], step) => fuse(p, loops, step),
  reorder: (p, loops: readonly Var[], step) => ({ program: reorder(p, loops, step).program }),
  bind: (p, [loop, tag]: readonly [Var, ThreadTag], step) => ({ program: bind(p, loop, tag, step).program }),
  vectorize: (p, [loop]: readonly [Var], step) => ({ program: vectorize(p, loop, step).program }),
  unroll: (p, [loop]: readonly [Var], step) => ({ program: unroll(p, loop, step).program }),
  annotate: (p, [loop, annotations]: readonly [Var, Annotations], step) => ({
    program: annotateLoop(p, loop, annotations, step).program,
  }),
  cacheRead: (p, [block, buffer, scope]: readonly [string, number | string, Scope], step) =>
    cacheRead(p, block, buffer, scope, step),
  cacheWrite: (p, [block, buffer, scope]: readonly [string, number | string, Scope], step) =>
    cacheWrite(p, block, buffer, scope, step),
  computeAt: (p, [block, loop]: readonly [string, Var], step) => ({ program: computeAt(p, block, loop, step).program }),
  reverseComputeAt: (p, [block, loop]: readonly [string, Var], step) => ({
    program: reverseComputeAt(p, block, loop, step).program,
  }),
  blockize: (p, [loop]: readonly [Var], step) => blockize(p, loop, step),
  tensorize: (p, [at, name]: readonly [Var | string, string], step) => {
    const tile = typeof at === "string" ? { program: p, blocks: [at] } : blockize(p, at, step);
    const { description } = intrinsicOf(name, step.at);
    return tensorize(tile.program, tile.blocks[0] ?? "", name, description, step);
  },
  decomposeReduction: (p, [block, loop]: readonly [string, Var], step) => decomposeReduction(p, block, loop, step),
});

export type StepName = keyof typeof steps;
