import type { Told } from "./run/spread/job.ts";
import { createWorker as createWorkerOf } from "./run/spread/run-job.ts";
import type { CheckMode } from "./watch/check/index.ts";
import { createWatch } from "./watch/watch.ts";

/** What a worker of the emulator does with a message; `tell` answers. */
export const createWorker = (tell: (what: Told) => void): ((message: unknown) => void) =>
  createWorkerOf(tell, (check) => createWatch(check as CheckMode, undefined));
