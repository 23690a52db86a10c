import type { WarpsmithError } from "../../base/diag/index.ts";
import type { Choice, Schedule } from "../machine/choices.ts";
import type { TellProgress } from "./launch-progress.ts";
import type { Patience } from "./spread/prospects.ts";

/** How launches run. */
export interface LaunchOptions {
  /** What decides whatever the machine leaves open; without: `eager`. */
  readonly schedule?: Schedule;
  /** Told of each decision that a seed makes other than `eager` would. */
  readonly chose?: (choice: Choice) => void;
  /** Told why a launch has failed, whether the host asks or not. */
  readonly failed?: (error: unknown) => void;
  /**
   * Gets, at the end of each launch, what its checks warn of: what the manual does not promise and today's hardware lets pass. Without, and without such a
   * listener of the launch, nothing warns.
   */
  readonly warned?: ((warning: WarpsmithError) => void) | undefined;
  /** Kernels of other compilers warn, too. */
  readonly warnsOfForeign?: boolean;
  /** Gets each line that kernels print with `vprintf`, when it ends or the launch does. Default: `console.log`. */
  readonly print?: (line: string) => void;
  /** Bytes that kernels may have allocated with `malloc` at a time. Default: 8 MiB, as a driver has it. */
  readonly heapBytes?: number;
  /** Bytes of local memory that a thread may have. Default: 512 KiB, the most that the hardware has. */
  readonly stackBytes?: number;
  /**
   * Instructions that warps may run, all of a launch together, while nothing happens that others could notice; then the launch fails
   * with W9004. What concerns more than one lane, and calls, count for 32. Default: 2 ** 26.
   */
  readonly stepBudget?: number;
  /** Told how far a launch has come that takes longer than two seconds, a few times a second; undefined: it is over. */
  readonly progress?: TellProgress;
  /** When worker threads take over. Default: `usualPatience`. */
  readonly patience?: Patience;
}

/** Where nobody has said otherwise. */
export const launchDefaults = {
  schedule: "eager",
  heapBytes: 8 * 2 ** 20,
  stepBudget: 2 ** 26,
  stackBytes: 512 * 1024,
} as const satisfies LaunchOptions;
