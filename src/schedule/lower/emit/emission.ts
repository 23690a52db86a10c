/** What statements are recorded with. */

import type { Trace } from "../../../dsl/emit.ts";
import type { Launch } from "../../facts/launch.ts";
import type { Surroundings } from "../../intrinsics/registry.ts";
import type { ThreadTag } from "../../ir/types.ts";
import type { Memory } from "../storage/memory.ts";
import type { PipelineState } from "./pipeline-state.ts";

export interface Emission {
  readonly trace: Trace;
  readonly launch: Launch;
  readonly memory: Memory;
  /** What implementations of intrinsics are told. Default: to wait for their products. */
  readonly surroundings?: Surroundings;
  /** Of warpgroups with a role of their own. */
  readonly role?: Role;
}

/** What differs where the threads of a block are told apart: there are others beside those that run the statements. */
export interface Role {
  readonly stages: PipelineState;
  /** A thread's index among those of its role. */
  index(tag: ThreadTag): number;
  /** Lets the threads of the role meet. */
  meet(): void;
}
