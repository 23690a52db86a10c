import type { ProfileSink } from "../inspect/profile/index.ts";
import type { LaunchOptions } from "./run/launch-options.ts";
import type { WorkerThreads } from "./run/spread/team.ts";
import type { Watch } from "./run/watcher.ts";
import type { CheckMode } from "./watch/check/index.ts";

export interface EmulatorOptions extends LaunchOptions {
  /** Which checks kernels run under. Default: `off`. */
  readonly check?: CheckMode;
  /** Gets the profile of each launch when it ends or fails. Kernels run slower. */
  readonly profiles?: ProfileSink;
  /** What looks at every launch, in place of checks and profiles. */
  readonly watch?: Watch;
  /** How to start worker threads. Without, or without `SharedArrayBuffer`, everything runs on the thread of the device. */
  readonly workers?: WorkerThreads;
  /** Worker threads that the clusters of a long launch are spread over; 1: none. Default: `workers.count`. */
  readonly threads?: number;
}
