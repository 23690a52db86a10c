import type { MaskBlock } from "./mask/list.ts";
import type { Plan } from "./plan.ts";
import type { Problem } from "./problem.ts";

/** What a plan depends on. */
export interface Asked extends Pick<Problem, "d" | "dv" | "causal" | "window" | "share"> {
  readonly keys: number;
  /** Whether the author has a function of scores, which takes registers. */
  readonly score: boolean;
  /** Whether it looks at tensors, whose addresses and elements take more of them. */
  readonly data: boolean;
  /** Blocks of the mask, where there is one. */
  readonly block: MaskBlock | undefined;
}

/** Of the level 2 cache, what keys and values that are computed side by side may take. */
const cached = 32 * 2 ** 20;

/**
 * Heads side by side where tiles differ in length: as many as have their keys and values in the level 2 cache. The long tiles of all of them go before the short ones, which fill
 * the end.
 */
const groupOf = ({ d, dv, keys, share }: Asked): number => Math.max(1, Math.floor(cached / (2 * keys * (d + dv)))) * share;

/** Where a function of scores looks at tensors: the most keys that did not spill with a slope for each head and with a table of biases. They have not been timed. */
function shapeWithData(d: number): Pick<Plan, "consumers" | "keys"> {
  if (d === 256) return { consumers: 2, keys: 64 };
  return d === 64 ? { consumers: 3, keys: 64 } : { consumers: 2, keys: 96 };
}

/**
 * Keys of a block, and consumers, by the size of a head: the fastest of up to 23 plans, or one that could not be told from it, timed in turns on an H200, the level 2 cache flushed before each launch. Heads of
 * 96 and of 192 have not been timed. Of heads of 64, blocks of 128 keys were 2 % faster in full attention, but leave registers nothing to spare: they spill.
 */
function shapeOf({ d, keys, causal, window, score, data, block }: Asked): Pick<Plan, "consumers" | "keys"> {
  if (block) return { consumers: block.queries === 64 ? 1 : 2, keys: d === 256 || data ? 64 : Math.min(128, block.keys) };
  if (data) return shapeWithData(d);
  if (d === 64) return { consumers: 3, keys: score ? 96 : 112 };
  if (d === 96) return { consumers: 2, keys: 128 };
  if (d === 256) return { consumers: 2, keys: score ? 64 : 80 };
  const long = d === 128 && keys >= 8192 && !causal && window === undefined && !score;
  return { consumers: 2, keys: long ? 176 : 128 };
}

export function choosePlan(asked: Asked): Plan {
  const { causal, window, d, block } = asked;
  const even = !causal && window === undefined && block === undefined;
  const shape = shapeOf(asked);
  // In heads of 64, what a window or a function of scores needs is the registers that slack takes. In heads of 128 slack was 1.6 to 1.9 % slower in full attention, and 8 % in causal attention with a bias; in full
  // attention with a bias it was 4 % faster, and in causal attention without one 1 %.
  const slack = (d === 64 && (window !== undefined || asked.score)) || (d === 128 && even !== asked.score) ? 0 : 8;
  // Where tiles differ in length, or blocks are so long that a start is nothing, the machine hands out tiles better than turns fixed before.
  const persistent = even && shape.keys < 176;
  return {
    ...shape,
    stages: 2,
    turns: shape.consumers > 1 && (d !== 256 || even),
    overlap: true,
    slack,
    persistent,
    group: even ? 1 : groupOf(asked),
  };
}
