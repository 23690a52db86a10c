/** The table of steps: what `Schedule` applies and what a trace of a schedule names. A step is declared here once. */
import { intrinsicOf } from "../intrinsics/registry.ts";
import type { Annotations, Buffer, Program, Scope, ThreadTag, Var } from "../ir/types.ts";
import { blocksOf } from "../ir/walk.ts";
import { blockize } from "./blockize.ts";
import { packShared, setScope, setSwizzle, storageAlign } from "./buffers.ts";
import { cacheRead, cacheWrite } from "./cache.ts";
import { computeAt, reverseComputeAt } from "./compute-at.ts";
import { dropLoop } from "./drop-loop.ts";
import { blockAt, loopsAround, type Step } from "./find.ts";
import { computeInline, reverseComputeInline } from "./inline.ts";
import { childBlocks, consumers, producers } from "./look.ts";
import { annotateBlock, annotateLoop, bind, fuse, reorder, split, unroll, vectorize } from "./loops.ts";
import { multiBuffer } from "./multi-buffer.ts";
import { pad } from "./pad.ts";
import { loopPartition, peel } from "./partition.ts";
import { type PipelineOptions, pipeline } from "./pipeline.ts";
import { decomposeReduction } from "./reduction.ts";
import { rfactor } from "./rfactor.ts";
import { swizzleBlocks, swizzleFused } from "./swizzle-blocks.ts";
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
  dropLoop: (p, [loop]: readonly [Var], step) => ({ program: dropLoop(p, loop, step) }),
  annotate: (p, [at, annotations]: readonly [Var | string, Annotations], step) => ({
    program: (typeof at === "string" ? annotateBlock(p, at, annotations, step) : annotateLoop(p, at, annotations, step)).program,
  }),
  getBlocks: (program) => ({ program, blocks: blocksOf(program).map((b) => b.name) }),
  getProducers: (program, [block]: readonly [string], step) => ({ program, blocks: producers(program, block, step) }),
  getConsumers: (program, [block]: readonly [string], step) => ({ program, blocks: consumers(program, block, step) }),
  getChildBlocks: (program, [of]: readonly [string | Var], step) => ({ program, blocks: childBlocks(program, of, step) }),
  cacheRead: (p, [block, buffer, scope]: readonly [string, number | string, Scope], step) =>
    cacheRead(p, block, buffer, scope, step),
  cacheWrite: (p, [block, buffer, scope, loop]: readonly [string, number | string, Scope, Var?], step) =>
    cacheWrite(p, block, buffer, scope, step, loop),
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
  computeInline: (p, [block]: readonly [string], step) => computeInline(p, block, step),
  reverseComputeInline: (p, [block]: readonly [string], step) => reverseComputeInline(p, block, step),
  rfactor: (p, [loop, dimension]: readonly [Var, number], step) => rfactor(p, loop, dimension, step),
  pad: (p, [block, factors]: readonly [string, readonly number[]], step) => pad(p, block, factors, step),
  storageAlign: (p, [buffer, padding]: readonly [string, number], step) => ({ program: storageAlign(p, buffer, padding, step) }),
  setSwizzle: (p, [buffer, swizzle]: readonly [string, NonNullable<Buffer["swizzle"]>], step) => ({
    program: setSwizzle(p, buffer, swizzle, step),
  }),
  setScope: (p, [buffer, scope]: readonly [string, Scope], step) => ({ program: setScope(p, buffer, scope, step) }),
  packShared: (p, _: readonly [], step) => ({ program: packShared(p, step) }),
  multiBuffer: (p, [buffer, loop, depth]: readonly [string, Var, number], step) => ({
    program: multiBuffer(p, buffer, loop, depth, step).program,
  }),
  loopPartition: (p, [loop, parts]: readonly [Var, readonly (number | null)[]], step) => loopPartition(p, loop, parts, step),
  peel: (p, [loop, first, last]: readonly [Var, number, number], step) => peel(p, loop, first, last, step),
  pipeline: (p, [loop, options]: readonly [Var, PipelineOptions], step) => pipeline(p, loop, options, step),
  swizzleBlocks: (p, [rows, columns, width]: readonly [Var, Var | number, number], step) => ({
    program:
      typeof columns === "number" ? swizzleFused(p, rows, columns, width, step) : swizzleBlocks(p, rows, columns, width, step),
  }),
});

export type StepName = keyof typeof steps;
