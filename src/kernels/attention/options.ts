import type { DeviceTensor } from "warpsmith";
import type { Tensors } from "../common/tensors.ts";
import type { AttentionMask } from "./mask/mask.ts";
import type { Plan } from "./plan.ts";
import type { HalfType } from "./problem.ts";
import type { Score } from "./scores.ts";

type Heads = DeviceTensor<HalfType, 4>;

/** What the author asks for. */
export interface Options {
  readonly out?: Heads;
  readonly causal?: boolean;
  readonly window?: number;
  readonly scale?: number;
  readonly score?: Score;
  readonly data?: Tensors;
  readonly mask?: AttentionMask;
  readonly logSumExp?: DeviceTensor<"f32", 3>;
  readonly plan?: Plan;
  readonly overlapPrevious?: boolean;
}

/** What a launch was made for, the queries aside. */
export interface Asked extends Options {
  readonly k: Heads;
  readonly v: Heads;
}
