/** The table of steps: what `Schedule` applies and what a trace of a schedule names. A step is declared here once. */
import { intrinsicOf } from "../intrinsics/registry.ts";
import { blocksOf } from "../ir/walk.ts";
import { blockize } from "../primitives/blockize.ts";
import { packShared, setScope, storageAlign, storageSwizzle } from "../primitives/buffers.ts";
import { cacheRead, cacheWrite } from "../primitives/cache.ts";
import { computeAt, reverseComputeAt } from "../primitives/compute-at.ts";
import { dropLoop } from "../primitives/drop-loop.ts";
import { blockAt, loopsAround } from "../primitives/find.ts";
import { computeInline, reverseComputeInline } from "../primitives/inline.ts";
import { childBlocks, consumers, producers } from "../primitives/look.ts";
import { annotateBlock, annotateLoop, bind, fuse, reorder, split, unroll, vectorize } from "../primitives/loops.ts";
import { multiBuffer } from "../primitives/multi-buffer.ts";
import { pad } from "../primitives/pad.ts";
import { loopPartition, peel } from "../primitives/partition.ts";
import { persist } from "../primitives/persist.ts";
import { pipeline } from "../primitives/pipeline.ts";
import { decomposeReduction } from "../primitives/reduction.ts";
import { rfactor } from "../primitives/rfactor.ts";
import { swizzleBlocks, swizzleFused } from "../primitives/swizzle-blocks.ts";
import { tensorize } from "../primitives/tensorize.ts";
import { warpSpecialize } from "../primitives/warp-specialize.ts";
import { type DefinedStep, defineStep, defineStepOfMany } from "./define-step.ts";
import * as kinds from "./kinds.ts";
import { block, buffer, loop, loopOrBlock, name, number, optional, scope } from "./kinds.ts";

export const steps = {
  getBlock: defineStep([name], (p, [named], step) => ({ program: p, blocks: [blockAt(p, named, step).block.name] })),
  getLoops: defineStep([block], (p, [of], step) => ({
    program: p,
    loops: loopsAround(blockAt(p, of, step).around).map((l) => l.variable),
  })),
  split: defineStep([loop, kinds.factors], (p, [of, factors], step) => split(p, of, factors, step)),
  fuse: defineStepOfMany(loop, fuse),
  reorder: defineStepOfMany(loop, (p, loops, step) => ({ program: reorder(p, loops, step).program })),
  bind: defineStep([loop, kinds.thread], (p, [of, tag], step) => ({ program: bind(p, of, tag, step).program })),
  vectorize: defineStep([loop], (p, [of], step) => ({ program: vectorize(p, of, step).program })),
  unroll: defineStep([loop], (p, [of], step) => ({ program: unroll(p, of, step).program })),
  dropLoop: defineStep([loop], (p, [of], step) => ({ program: dropLoop(p, of, step) })),
  annotate: defineStep([loopOrBlock, kinds.annotations], (p, [at, annotations], step) => ({
    program: (typeof at === "string" ? annotateBlock(p, at, annotations, step) : annotateLoop(p, at, annotations, step)).program,
  })),
  getBlocks: defineStep([], (p) => ({ program: p, blocks: blocksOf(p).map((b) => b.name) })),
  getProducers: defineStep([block], (p, [of], step) => ({ program: p, blocks: producers(p, of, step) })),
  getConsumers: defineStep([block], (p, [of], step) => ({ program: p, blocks: consumers(p, of, step) })),
  getChildBlocks: defineStep([loopOrBlock], (p, [of], step) => ({ program: p, blocks: childBlocks(p, of, step) })),
  cacheRead: defineStep([block, buffer, scope], (p, [of, read, to], step) => cacheRead(p, of, read, to, step)),
  cacheWrite: defineStep([block, buffer, scope, optional(loop)], (p, [of, written, to, at], step) =>
    cacheWrite(p, of, written, to, step, at),
  ),
  computeAt: defineStep([block, loop], (p, [of, at], step) => ({ program: computeAt(p, of, at, step).program })),
  reverseComputeAt: defineStep([block, loop], (p, [of, at], step) => ({ program: reverseComputeAt(p, of, at, step).program })),
  blockize: defineStep([loop], (p, [of], step) => blockize(p, of, step)),
  tensorize: defineStep([loopOrBlock, name], (p, [at, intrinsic], step) => {
    const tile = typeof at === "string" ? { program: p, blocks: [at] } : blockize(p, at, step);
    const { description } = intrinsicOf(intrinsic, step.at);
    return tensorize(tile.program, tile.blocks[0] ?? "", intrinsic, description, step);
  }),
  decomposeReduction: defineStep([block, loop], (p, [of, at], step) => decomposeReduction(p, of, at, step)),
  computeInline: defineStep([block], (p, [of], step) => computeInline(p, of, step)),
  reverseComputeInline: defineStep([block], (p, [of], step) => reverseComputeInline(p, of, step)),
  rfactor: defineStep([loop, number], (p, [of, dimension], step) => rfactor(p, of, dimension, step)),
  pad: defineStep([block, kinds.numbers], (p, [of, factors], step) => pad(p, of, factors, step)),
  storageAlign: defineStep([name, number], (p, [of, padding], step) => ({ program: storageAlign(p, of, padding, step) })),
  storageSwizzle: defineStep([name, kinds.swizzle], (p, [of, swizzle], step) => ({
    program: storageSwizzle(p, of, swizzle, step),
  })),
  setScope: defineStep([name, scope], (p, [of, to], step) => ({ program: setScope(p, of, to, step) })),
  packShared: defineStep([], (p, _, step) => ({ program: packShared(p, step) })),
  multiBuffer: defineStep([name, loop, number], (p, [of, at, depth], step) => ({
    program: multiBuffer(p, of, at, depth, step).program,
  })),
  loopPartition: defineStep([loop, kinds.factors], (p, [of, parts], step) => loopPartition(p, of, parts, step)),
  peel: defineStep([loop, number, number], (p, [of, first, last], step) => peel(p, of, first, last, step)),
  pipeline: defineStep([loop, kinds.overlap], (p, [of, options], step) => pipeline(p, of, options, step)),
  warpSpecialize: defineStep([loop, kinds.specialization], (p, [of, options], step) => ({
    program: warpSpecialize(p, of, options, step),
  })),
  persist: defineStep([loop, number], (p, [of, blocks], step) => persist(p, of, blocks, step)),
  swizzleBlocks: defineStep([loop, kinds.loopOrNumber, number], (p, [rows, columns, width], step) => ({
    program:
      typeof columns === "number" ? swizzleFused(p, rows, columns, width, step) : swizzleBlocks(p, rows, columns, width, step),
  })),
};

export type StepName = keyof typeof steps;
/** What an author gives to a step. */
export type ArgumentsOf<N extends StepName> = (typeof steps)[N] extends DefinedStep<infer Given> ? Given : never;
