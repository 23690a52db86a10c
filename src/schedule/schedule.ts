/** What an author rewrites a program with. */

import { checkOptions, exactMethods, optionsOf, placeOnStack, refuseMore, type Spans } from "../base/diag/index.ts";
import { fail } from "./errors/index.ts";
import { touchedByBlock } from "./facts/touches.ts";
import { type PrintOptions, printWith } from "./ir/print.ts";
import type { Annotations, Program, Scope, ThreadTag } from "./ir/types.ts";
import { checkProgram } from "./ir/verify.ts";
import { type ProgramKernelOptions, programKernel } from "./lower/kernel/program-kernel.ts";
import { resultPicture } from "./pictures/index.ts";
import type { Step } from "./primitives/find.ts";
import { type PipelineOptions, pipelineOptions } from "./primitives/pipeline.ts";
import { type WarpSpecializeOptions, warpSpecializeOptions } from "./primitives/warp-specialize.ts";
import { diffOf, pageOf, type ScheduleStage, stagesOf } from "./program-stages.ts";
import { argText, BlockRef, LoopRef, Refs, type TraceStep } from "./refs.ts";
import { checkIsProgram } from "./steps/given.ts";
import { type ArgumentsOf, type StepName, steps } from "./steps/table.ts";

export type { BlockRef, LoopRef } from "./refs.ts";

/** What `rfactor` gives. */
export interface PartialSums {
  /** The block of the partial sums. */
  readonly partial: BlockRef;
  /** The block that sums them up. */
  readonly final: BlockRef;
  /** The loops around that block, the outermost first. */
  readonly loops: readonly LoopRef[];
}

/** What `peel` takes. */
export interface PeelOptions {
  /** Iterations that are split off at the beginning. Default: 0. */
  readonly first?: number;
  /** Iterations that are split off at the end. Default: 0. */
  readonly last?: number;
}
const peelOptions = optionsOf<PeelOptions>("peel()", { first: true, last: true });

const isStep = (name: string): name is StepName => Object.hasOwn(steps, name);

/** A step that has been applied. */
export interface AppliedStep {
  /** The name of the method. */
  readonly name: StepName;
  /** The step as it was called: `split(i, [null, 16])`. */
  readonly call: string;
  /** Where the author wrote it, the innermost place first. */
  readonly at: Spans;
  /** The program after it. */
  readonly program: Program;
}

/**
 * A program and the steps that rewrite it. Each step checks that the program goes on computing the same, and makes a new program; one that
 * a dependence, an extent or a scope forbids is refused at its line and changes nothing. W5520 to W5544. TVM `tir.Schedule`.
 */
export class Schedule {
  readonly #original: Program;
  readonly #applied: AppliedStep[] = [];
  readonly #trace: TraceStep[] = [];
  readonly #refs = new Refs();

  constructor(program: Program) {
    refuseMore(Schedule, arguments);
    checkIsProgram(program, placeOnStack);
    this.#original = program;
  }

  /** The program as it is now. */
  get program(): Program {
    return this.#applied.at(-1)?.program ?? this.#original;
  }
  /** The program that the schedule began with. */
  get original(): Program {
    return this.#original;
  }
  /** The steps so far, those that only look included. */
  get applied(): readonly AppliedStep[] {
    return this.#applied;
  }

  /** The block of that name. W5520. */
  getBlock(name: string): BlockRef {
    return this.#block("getBlock", [name]);
  }
  /** The loops around a block, the outermost first, up to the block around them. */
  getLoops(block: BlockRef): LoopRef[] {
    return this.#loops("getLoops", [block]);
  }
  /**
   * One loop in another for each factor, the outermost first; `null` is what the others leave. Where they do not divide the extent, what
   * stands inside is guarded. W5525, W5527.
   */
  split(loop: LoopRef, factors: readonly (number | null)[]): LoopRef[] {
    return this.#loops("split", [loop, factors]);
  }
  /** One loop of two or more that stand directly inside one another, given from the outside in. W5523, W5525, W5527. */
  fuse(...loops: LoopRef[]): LoopRef {
    const [fused] = this.#loops("fuse", loops);
    return fused ?? fail("W5521", { step: "fuse(…)", what: "loops" }, placeOnStack());
  }
  /** Puts loops of one nest into this order, from the outside in; others of the nest keep their places. W5523, W5524, W5525. */
  reorder(...loops: LoopRef[]): void {
    this.#loops("reorder", loops);
  }
  /** Runs each iteration on another block or thread of the launch. W5524, W5527. */
  bind(loop: LoopRef, thread: ThreadTag): void {
    this.#loops("bind", [loop, thread]);
  }
  /** Makes one access of the iterations' neighbours: of 2, 4, 8 or 16 elements. W5524, W5525, W5527. */
  vectorize(loop: LoopRef): void {
    this.#loops("vectorize", [loop]);
  }
  /** Writes the iterations out one after the other. W5525, W5527. */
  unroll(loop: LoopRef): void {
    this.#loops("unroll", [loop]);
  }
  /** Takes away a loop of one iteration. W5525. */
  dropLoop(loop: LoopRef): void {
    this.#apply("dropLoop", [loop]);
  }
  /**
   * Writes something down at a loop or a block, for later passes and for the reader. At a block that copies, `{ async: true }` lets the
   * hardware copy while the threads go on.
   */
  annotate(at: LoopRef | BlockRef, annotations: Annotations): void {
    this.#loops("annotate", [at, annotations]);
  }

  /** All blocks, in the order of the program; a block in another one behind it. */
  getBlocks(): BlockRef[] {
    return this.#blocks("getBlocks", []);
  }
  /** The blocks that write something the block reads. */
  getProducers(block: BlockRef): BlockRef[] {
    return this.#blocks("getProducers", [block]);
  }
  /** The blocks that read something the block writes. */
  getConsumers(block: BlockRef): BlockRef[] {
    return this.#blocks("getConsumers", [block]);
  }
  /** The outermost blocks in a block or a loop. */
  getChildBlocks(of: BlockRef | LoopRef): BlockRef[] {
    return this.#blocks("getChildBlocks", [of]);
  }

  /**
   * Lets a block read a copy of a buffer in another scope; gives the block that copies. `buffer`: its name, or its number among those
   * that the block reads. W5520, W5526.
   */
  cacheRead(block: BlockRef, buffer: number | string, scope: Scope): BlockRef {
    return this.#block("cacheRead", [block, buffer, scope]);
  }
  /**
   * Lets a block write into another scope; gives the block that copies from there to the buffer. What the block adds to without an init is
   * copied in before, by a block of that name with `_in` behind it. The copies stand around all loops of the block, or in the loop `at`, anew in
   * each of its iterations. W5520, W5523, W5524, W5526.
   */
  cacheWrite(block: BlockRef, buffer: number | string, scope: Scope, at?: LoopRef): BlockRef {
    return this.#block("cacheWrite", [block, buffer, scope, at]);
  }
  /** Moves a block under a loop of those that read what it makes; there it makes what one iteration needs. W5523, W5524. */
  computeAt(block: BlockRef, loop: LoopRef): void {
    this.#apply("computeAt", [block, loop]);
  }
  /** Moves a block under a loop of those that make what it reads; there it takes what one iteration makes. W5523, W5524. */
  reverseComputeAt(block: BlockRef, loop: LoopRef): void {
    this.#apply("reverseComputeAt", [block, loop]);
  }
  /** Makes one block of a loop and the nest in it, around one block. W5523, W5525, W5527. */
  blockize(loop: LoopRef): BlockRef {
    return this.#block("blockize", [loop]);
  }
  /** Puts the init of a reduction before a loop; gives the block that sets the start and the one that adds. W5523, W5524. */
  decomposeReduction(block: BlockRef, loop: LoopRef): readonly [init: BlockRef, update: BlockRef] {
    const [init, update] = this.#apply("decomposeReduction", [block, loop]).filter((r) => r instanceof BlockRef);
    return init && update ? [init, update] : fail("W5521", { step: "decomposeReduction(…)", what: "a block" }, placeOnStack());
  }

  /**
   * Puts a tensor intrinsic in the place of a block's loops, or of a loop and the nest in it, which it makes a block of first. They have to
   * compute what the intrinsic's description says. W5523, W5525, W5528, W5592.
   */
  tensorize(at: LoopRef | BlockRef, intrinsic: string): BlockRef {
    return this.#block("tensorize", [at, intrinsic]);
  }

  /** The program as TypeScript, which makes the same program again. */
  print(options: PrintOptions = {}): string {
    return printWith(this.program, options, touchedByBlock);
  }
  /** The kernel that runs the program. */
  kernel(options: ProgramKernelOptions = {}): ReturnType<typeof programKernel> {
    return programKernel(this.program, options);
  }
  /**
   * Computes what a block makes where it is read, and takes the block and its buffer out. It has to be one store of a buffer that the program
   * allocates, at the place of its axes. W5524, W5540.
   */
  computeInline(block: BlockRef): void {
    this.#apply("computeInline", [block]);
  }
  /** Puts a block that takes each element of a buffer once into the one block that makes them, and takes the buffer out. W5524, W5540. */
  reverseComputeInline(block: BlockRef): void {
    this.#apply("reverseComputeInline", [block]);
  }
  /**
   * Takes a reduction apart: each iteration of a loop of it sums up its own part, in a buffer with that loop as dimension `dimension`, and the
   * block itself then sums up the parts. Gives the block of the partial sums, the block itself, and the loops around that one. W5541.
   */
  rfactor(loop: LoopRef, dimension = 0): PartialSums {
    const all = this.#apply("rfactor", [loop, dimension]);
    const [partial, final] = all.filter((r) => r instanceof BlockRef);
    const loops = all.filter((r) => r instanceof LoopRef);
    return partial && final ? { partial, final, loops } : fail("W5521", { step: "rfactor(…)", what: "a block" }, placeOnStack());
  }
  /**
   * Gives each axis of a block that adds up products, or computes each element by itself, an extent that is a multiple of its factor: buffers are copied
   * into larger ones with zeros, and what is computed is copied back where it belongs. Gives the blocks that copy. Before the block's loops are changed.
   * W5525, W5542.
   */
  pad(block: BlockRef, factors: readonly number[]): BlockRef[] {
    return this.#blocks("pad", [block, factors]);
  }
  /** Puts `padding` elements in after each row of a buffer in shared memory, against bank conflicts. `buffer`: its name. W5520, W5526. */
  storageAlign(buffer: string, padding: number): void {
    this.#apply("storageAlign", [buffer, padding]);
  }
  /**
   * Permutes the 16-byte units of a buffer's rows in shared memory, against bank conflicts; "128B" is what TMA and wgmma share. `buffer`: its
   * name. W5520, W5526.
   */
  storageSwizzle(buffer: string, swizzle: "xor" | "32B" | "64B" | "128B"): void {
    this.#apply("storageSwizzle", [buffer, swizzle]);
  }
  /** Lets a buffer that the program allocates live in another scope. `buffer`: its name. W5520, W5526. */
  setScope(buffer: string, scope: Scope): void {
    this.#apply("setScope", [buffer, scope]);
  }
  /** Lets buffers in shared memory whose lives do not meet lie in the same place. W5526. */
  packShared(): void {
    this.#apply("packShared", []);
  }
  /**
   * Keeps of a buffer what one iteration of a loop fills and uses, `depth` times: iteration i takes number `i % depth`, so that as many may be in
   * flight. `buffer`: its name. W5520, W5543.
   */
  multiBuffer(buffer: string, loop: LoopRef, depth: number): void {
    this.#apply("multiBuffer", [buffer, loop, depth]);
  }
  /**
   * Makes several loops of one, behind one another, with so many iterations each; `null` is what the others leave. Gives the loops. The one with
   * the most iterations keeps the names of its blocks. W5525, W5527.
   */
  loopPartition(loop: LoopRef, parts: readonly (number | null)[]): LoopRef[] {
    return this.#loops("loopPartition", [loop, parts]);
  }
  /** Splits off the first and the last iterations of a loop. Gives the loops that come of it, in order. W5525, W5527. */
  peel(loop: LoopRef, options: PeelOptions): LoopRef[] {
    checkOptions(options, peelOptions);
    const { first = 0, last = 0 } = options;
    return this.#loops("peel", [loop, first, last]);
  }
  /**
   * Overlaps the iterations of a loop: statement s of iteration i runs at time i + stages[s]. What comes before the loop's first whole time and
   * after its last one is written out. Buffers that several iterations in flight need are versioned (`multiBuffer`). Groups of asynchronous
   * copies, blocks annotated `{ async: true }`, are committed each time and awaited where they are used. W5524, W5527, W5544.
   */
  pipeline(loop: LoopRef, options: PipelineOptions): void {
    checkOptions(options, pipelineOptions);
    this.#apply("pipeline", [loop, options]);
  }
  /**
   * Lets a warpgroup of its own make the copies of a loop, by TMA, ahead of the warpgroups that compute: `stages` iterations of them are in shared
   * memory at a time. The loop's statements are copies, `tma_load_…` intrinsics into shared memory, and others; the meaning of the program stays the same. W5575.
   */
  warpSpecialize(loop: LoopRef, options: WarpSpecializeOptions): void {
    checkOptions(options, warpSpecializeOptions);
    this.#apply("warpSpecialize", [loop, options]);
  }
  /**
   * Lets `blocks` blocks of the launch run a loop that is bound to a block index: block b runs iterations b, b + blocks, b + 2 · blocks, … Gives
   * the loop over blocks and the one over what each of them runs; where there are no more iterations than blocks, the loop as it is. W5525, W5527.
   */
  persist(loop: LoopRef, blocks: number): LoopRef[] {
    return this.#loops("persist", [loop, blocks]);
  }
  /**
   * Lets neighbouring blocks of the launch take tiles of the same rows: `width` rows of tiles at a time, column by column. Of a loop over rows of
   * tiles and one over columns, directly inside one another; or of one loop over all tiles, row by row, and the number of columns. What the
   * tiles' places depend on is no plain sum afterwards, so it is the last step. W5523, W5524, W5525.
   */
  swizzleBlocks(rows: LoopRef, columns: LoopRef | number, width: number): void {
    this.#apply("swizzleBlocks", [rows, columns, width]);
  }

  /** The program at first and after each step that changed it: as text, with the author's line of the step. */
  stages(): readonly ScheduleStage[] {
    return stagesOf(this.#original, this.#changes());
  }
  /** The steps that changed the program. */
  #changes(): readonly AppliedStep[] {
    return this.#applied.filter(({ program }, i) => program !== (this.#applied[i - 1]?.program ?? this.#original));
  }
  /** The program at first, and what each step changed in it, as text. */
  diff(): string {
    return diffOf(this.stages());
  }
  /**
   * One HTML page that goes through the steps beside the author's lines, with a picture of who writes the result, as `drawBuffer` draws it, where that is
   * soon seen. It holds all it needs: write it to a file and open it.
   */
  html(): string {
    const pictures = [this.#original, ...this.#changes().map(({ program }) => program)].map(resultPicture);
    return pageOf(this.#original.name, this.stages(), pictures);
  }

  /** The steps as JSON: `Schedule.replay` applies them to a program again. */
  trace(): readonly TraceStep[] {
    return structuredClone(this.#trace);
  }
  /** A schedule of that program with the steps that `trace` gave. W5521 where they do not fit. */
  static replay(program: Program, trace: readonly TraceStep[]): Schedule {
    const schedule = new Schedule(program);
    for (const { step, args } of trace) {
      if (!isStep(step)) return fail("W5520", { what: "step", name: step, nearest: undefined }, placeOnStack());
      const given = args.map((a) => schedule.#refs.decode(a));
      schedule.#apply(step, given);
    }
    return schedule;
  }

  #loops<N extends StepName>(name: N, args: ArgumentsOf<N>): LoopRef[] {
    return this.#apply(name, args).filter((r) => r instanceof LoopRef);
  }
  #blocks<N extends StepName>(name: N, args: ArgumentsOf<N>): BlockRef[] {
    return this.#apply(name, args).filter((r) => r instanceof BlockRef);
  }
  #block<N extends StepName>(name: N, args: ArgumentsOf<N>): BlockRef {
    const [made] = this.#blocks(name, args);
    return made ?? fail("W5521", { step: `${name}(…)`, what: "a block" }, placeOnStack());
  }

  /** `args`: checked by the step, since they may come out of JavaScript or of a trace. */
  #apply(name: StepName, args: readonly unknown[]): readonly (LoopRef | BlockRef)[] {
    const step: Step = { name: `${name}(…)`, at: placeOnStack() };
    const result = steps[name].apply(this.program, args, this.#refs, step);
    checkProgram(result.program);
    // An argument that may be left out is the last one.
    const told = args.at(-1) === undefined ? args.slice(0, -1) : args;
    const encoded = told.map((a) => this.#refs.encode(a));
    const refs = this.#refs.add(result.blocks ?? [], result.loops ?? []);
    const call = `${name}(${told.map(argText).join(", ")})`;
    this.#applied.push({ name, call, at: step.at, program: result.program });
    this.#trace.push({ step: name, args: encoded, gives: refs.length });
    return refs;
  }
}
exactMethods(Schedule);
