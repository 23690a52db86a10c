import type { Choice, Schedule } from "./machine/choices.ts";
import type { Patience } from "./run/spread/shared-run.ts";
import type { WorkerThreads } from "./run/spread/team.ts";
import type { CheckMode } from "./watch/check/index.ts";
import type { TraceSink } from "./watch/timeline/index.ts";

export interface EmulatorOptions {
  /** What decides whatever the machine leaves open; without: `eager`. */
  readonly schedule?: Schedule;
  /** Told of each decision that a seed makes other than `eager` would. */
  readonly chose?: (choice: Choice) => void;
  /** Told why a launch has failed, whether the host asks or not. */
  readonly failed?: (error: unknown) => void;
  /** Which checks kernels run under. */
  readonly check?: CheckMode;
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
  /** Gets the timeline of each launch when it ends or fails. Kernels run slower. */
  readonly trace?: TraceSink;
  /** How to start worker threads. Without, or without `SharedArrayBuffer`, everything runs on the thread of the device. */
  readonly workers?: WorkerThreads;
  /** Worker threads that the clusters of a long launch are spread over; 1: none. Default: `workers.count`. */
  readonly threads?: number;
  /** When. Default: `usualPatience`. */
  readonly patience?: Patience;
}

/** What a device has that nobody has told. */
export const defaults = {
  schedule: "eager",
  check: "off",
  heapBytes: 8 * 2 ** 20,
  stepBudget: 2 ** 26,
  stackBytes: 512 * 1024,
} as const satisfies EmulatorOptions;
