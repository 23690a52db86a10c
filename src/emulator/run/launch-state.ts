import type { Launch } from "../machine/warp.ts";
import type { Program } from "../program/program.ts";
import type { Adversary } from "./adversary.ts";
import type { Reports } from "./reports.ts";

/** A launch with what it takes to run it. */
export interface LaunchState extends Launch {
  readonly program: Program;
  /** Instructions that warps may run while nothing happens that others could notice. */
  readonly stepBudget: number;
  readonly adversary?: Adversary | undefined;
  /** What its checks have found. */
  readonly reports?: Reports | undefined;
}
