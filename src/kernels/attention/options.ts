import type { DeviceTensor } from "warpsmith";
import { areSame, noTensors, type Tensors } from "../common/tensors.ts";
import type { AttentionMask } from "./mask/mask.ts";
import type { Plan } from "./plan.ts";
import type { HalfType } from "./problem.ts";
import type { Score } from "./scores.ts";

type Heads = DeviceTensor<HalfType, 4>;

/** What the author asks for, of sequences that are packed or not. */
export interface ScoreOptions {
  readonly out?: DeviceTensor<HalfType>;
  readonly causal?: boolean;
  readonly window?: number;
  readonly scale?: number;
  readonly score?: Score;
  readonly data?: Tensors;
  readonly mask?: AttentionMask;
  readonly logSumExp?: DeviceTensor<"f32">;
  readonly plan?: Plan;
  readonly overlapPrevious?: boolean;
}

/** What the author asks of `attention`. */
export interface Options extends ScoreOptions {
  readonly out?: Heads;
  readonly logSumExp?: DeviceTensor<"f32", 3>;
}

/** What a launch was made for, the queries aside. */
export interface Asked extends Options {
  readonly k: Heads;
  readonly v: Heads;
}

/** Whether they ask for the same. Nothing is allocated here: it runs at every call. */
export const sameScores = (before: ScoreOptions, options: ScoreOptions): boolean =>
  before.out === options.out &&
  before.causal === options.causal &&
  before.window === options.window &&
  before.scale === options.scale &&
  before.score === options.score &&
  before.mask === options.mask &&
  areSame(before.data ?? noTensors, options.data ?? noTensors) &&
  before.logSumExp === options.logSumExp &&
  before.plan === options.plan &&
  before.overlapPrevious === options.overlapPrevious;
