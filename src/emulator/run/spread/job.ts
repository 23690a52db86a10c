/** What the thread of a device and its workers tell each other: data that structured clones carry. */
import { WarpsmithError } from "../../../base/diag/index.ts";
import type { SharedRegion } from "../../machine/memory.ts";
import type { LaunchState } from "../launch-state.ts";
import type { ModuleSource } from "../module.ts";
import type { Touched } from "../watcher.ts";
import type { Tally } from "./tally.ts";

/** The clusters of a launch that nobody has taken. */
export interface Job {
  readonly module: ModuleSource;
  /** All of global memory. */
  readonly regions: readonly SharedRegion[];
  /** Address of the parameters. */
  readonly params: number;
  readonly tally: SharedArrayBuffer;
  readonly launch: PlainLaunch;
  /** How it is watched, if it is. */
  readonly check: string | undefined;
}

/** What of a launch is data. */
export type PlainLaunch = Pick<
  LaunchState,
  | "id"
  | "grid"
  | "block"
  | "cluster"
  | "clusters"
  | "clustered"
  | "multiprocessors"
  | "workspace"
  | "stackLimit"
  | "stepBudget"
  | "sharedBytes"
  | "dynamicBytes"
  | "memories"
  | "textures"
>;

export function jobOf(
  launch: LaunchState,
  module: ModuleSource,
  regions: readonly SharedRegion[],
  tally: Tally,
  check: string | undefined,
): Job {
  const { id, grid, block, cluster, clusters, clustered, multiprocessors } = launch;
  const { workspace, stackLimit, stepBudget, sharedBytes, dynamicBytes, memories, textures } = launch;
  return {
    module,
    regions,
    params: launch.params.base,
    tally: tally.buffer,
    check,
    launch: {
      ...{ id, grid, block, cluster, clusters, clustered, multiprocessors },
      ...{ workspace, stackLimit, stepBudget, sharedBytes, dynamicBytes, memories, textures },
    },
  };
}

/** An error on its way from one thread to another. */
export type SentError =
  | Pick<WarpsmithError, "code" | "sentence" | "fix" | "spans">
  | { readonly code?: undefined; readonly message: string; readonly stack: string | undefined };

/**
 * What a worker says. `ready` once; of each job what clusters printed and which one failed; of one that is watched, where nothing was
 * found, what its clusters have touched; then `done`.
 */
export type Told =
  | { readonly kind: "ready" }
  | { readonly kind: "printed"; readonly cluster: number; readonly text: string }
  | { readonly kind: "failed"; readonly cluster: number; readonly error: SentError }
  | { readonly kind: "touched"; readonly touched: readonly Touched[] }
  | { readonly kind: "done" };

export function sendError(error: unknown): SentError {
  if (error instanceof WarpsmithError) {
    const { code, sentence, fix, spans } = error;
    return { code, sentence, fix, spans };
  }
  return error instanceof Error ? { message: error.message, stack: error.stack } : { message: String(error), stack: undefined };
}

/** The same error, with the source lines that this thread can read. */
export function receiveError(sent: SentError): Error {
  if (sent.code !== undefined) return new WarpsmithError(sent.code, sent.sentence, sent.fix, sent.spans);
  const error = new Error(sent.message);
  if (sent.stack !== undefined) error.stack = sent.stack;
  return error;
}
