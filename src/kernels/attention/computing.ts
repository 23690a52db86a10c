import type { Accumulator, ConsumerStage, Tensor } from "warpsmith";
import type { HalfType } from "./problem.ts";
import type { Scoring } from "./scores.ts";
import type { Softmax } from "./softmax.ts";
import type { Common, HeadsMap } from "./walk.ts";

/** What consumers need. */
export interface Computing extends Common {
  readonly out: HeadsMap;
  /** [batch, heads, queries], where it is asked for. */
  readonly sums: { readonly to?: Tensor<"f32", 3> };
  /** [queries of all sequences, heads, dv]: the output as threads store it, where sequences are packed. */
  readonly rows: Tensor<HalfType, 3> | undefined;
  readonly scoring: Scoring | undefined;
}

/** What a consumer carries from block to block of keys. */
export interface State {
  readonly O: Accumulator;
  /** Weights of the latest block. Where products overlap, its values are still to be weighed. */
  readonly P: Accumulator;
  readonly softmax: Softmax;
  readonly getK: ConsumerStage;
  readonly getV: ConsumerStage;
}
