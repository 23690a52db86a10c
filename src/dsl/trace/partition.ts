import type { Trace } from "./trace.ts";

/** The warpgroups that run the code that is being traced. */
export interface Running {
  readonly first: number;
  readonly count: number;
}

interface Partition {
  running: Running | undefined;
  warp: boolean;
}
const partitions = { make: (): Partition => ({ running: undefined, warp: false }) };

/** Threads of the block. */
export const threadsOf = (trace: Trace): number => trace.options.launch.block.reduce((n, extent) => n * extent, 1);

/** All warpgroups of the block, or within `specialize` those of the partition. */
export const runningHere = (trace: Trace): Running =>
  trace.state(partitions).running ?? { first: 0, count: Math.floor(threadsOf(trace) / 128) };

/** Warps that share a tile here. */
export function warpsHere(trace: Trace): number {
  if (trace.state(partitions).warp) return 1;
  const { first: from, count } = runningHere(trace);
  return from === 0 && count === Math.floor(threadsOf(trace) / 128) ? Math.ceil(threadsOf(trace) / 32) : 4 * count;
}

function during<T>(trace: Trace, change: Partial<Partition>, run: () => T): T {
  const state = trace.state(partitions);
  const outer = { ...state };
  Object.assign(state, change);
  try {
    return run();
  } finally {
    Object.assign(state, outer);
  }
}

/** Traces `run` as code of those warpgroups. */
export const asPartition = <T>(trace: Trace, running: Running, run: () => T): T => during(trace, { running }, run);

/** Traces `run` as code of single warps: each of those that run here has tiles of its own. */
export const asWarp = <T>(trace: Trace, run: () => T): T => during(trace, { warp: true }, run);

/** Does the trace stand inside a partition? */
export const isPartitioned = (trace: Trace): boolean => trace.state(partitions).running !== undefined;
