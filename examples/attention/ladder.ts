import { type Compiled, type DeviceTensor, type LaunchConfig, type Timing, tensorSpec } from "warpsmith";
import type { Heads } from "./heads.ts";
import * as oneWarpgroup from "./01-one-warpgroup.ts";
import * as specialized from "./02-specialized.ts";
import * as twoConsumers from "./03-two-consumers.ts";
import * as oneInstruction from "./04-one-instruction.ts";
import * as overlap from "./05-overlap.ts";
import * as turns from "./06-turns.ts";
import * as lazyScale from "./07-lazy-scale.ts";
import * as wideBlock from "./08-wide-block.ts";

type Cube = DeviceTensor<"f16", 3>;

/** A step's kernel. q, k, v and o are [heads, length, 128], the length a multiple of 128. */
export interface Step {
  /** "05-overlap", as its file. */
  readonly name: string;
  /** In one sentence. */
  readonly idea: string;
  launch(q: Cube, k: Cube, v: Cube, o: Cube, config?: LaunchConfig): void;
  /** Times it, on a GPU, with nothing of the tensors in the L2 cache. */
  bench(q: Cube, k: Cube, v: Cube, o: Cube): Promise<Timing>;
  /** Needs no GPU. */
  compile(heads: number, length: number): Compiled;
}

/** What a step's file exports: a kernel, and what it takes. */
interface StepModule<Args extends readonly unknown[]> {
  readonly attention: {
    launch(config: LaunchConfig, ...args: Args): void;
    bench(config: LaunchConfig, ...args: Args): Promise<Timing>;
    compile(...args: Args): Compiled;
  };
  args(q: Heads, k: Heads, v: Heads, o: Heads): Args;
}

function step<Args extends readonly unknown[]>(name: string, { attention, args }: StepModule<Args>, idea: string): Step {
  return {
    name,
    idea,
    launch: (q, k, v, o, config = {}) => attention.launch(config, ...args(q, k, v, o)),
    bench: (q, k, v, o) => attention.bench({}, ...args(q, k, v, o)),
    compile: (heads, length) => {
      const x = tensorSpec("f16", [heads, length, 128]);
      return attention.compile(...args(x, x, x, x));
    },
  };
}

/** From one warpgroup that does everything to the shape of `attention` in `warpsmith/kernels`. */
export const ladder: readonly Step[] = [
  step("01-one-warpgroup", oneWarpgroup, "One warpgroup with 64 queries loads a block of keys and values, waits for it, and goes through it."),
  step("02-specialized", specialized, "A warpgroup of its own loads, up to two blocks ahead."),
  step("03-two-consumers", twoConsumers, "Two warpgroups compute 64 queries each, over the same keys and values."),
  step("04-one-instruction", oneInstruction, "A weight takes one fma and one exp2; sums of a row stay apart for each thread until the end."),
  step("05-overlap", overlap, "The next scores are multiplied beside the values; while these run on, the weights are computed."),
  step("06-turns", turns, "The two take turns at their products: one multiplies while the other computes its weights."),
  step("07-lazy-scale", lazyScale, "The output is scaled only where the largest score has grown by more than 2^8: almost never."),
  step("08-wide-block", wideBlock, "Blocks of 176 keys, as many as the registers hold."),
];
