import type { Launch } from "../machine/warp.ts";
import type { Program } from "../program/program.ts";
import type { ControlledScheduler } from "./controlled-scheduler.ts";
import type { Reports } from "./reports.ts";

/** A launch with what it takes to run it. */
export interface LaunchState extends Launch {
  readonly program: Program;
  /** Instructions that warps may run while nothing happens that others could notice. */
  readonly stepBudget: number;
  readonly scheduler?: ControlledScheduler | undefined;
  /** What its checks have found. */
  readonly reports?: Reports | undefined;
}
