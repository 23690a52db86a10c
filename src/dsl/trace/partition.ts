import type { Trace } from "./trace.ts";

/** The warpgroups that run the code that is being traced. */
export interface Running {
  readonly first: number;
  readonly count: number;
}

const partitions = {
  make: (): { running: Running | undefined; warp: boolean } => ({ running: undefined, warp: false }),
};

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

/** Traces `run` as code of those warpgroups. */
export function asPartition<T>(trace: Trace, running: Running, run: () => T): T {
  const state = trace.state(partitions);
  const outer = state.running;
  state.running = running;
  try {
    return run();
  } finally {
    state.running = outer;
  }
}

/** Traces `run` as code of single warps: each of those that run here has tiles of its own. */
export function asWarp<T>(trace: Trace, run: () => T): T {
  const state = trace.state(partitions);
  const outer = state.warp;
  state.warp = true;
  try {
    return run();
  } finally {
    state.warp = outer;
  }
}

/** Does the trace stand inside a partition? */
export const isPartitioned = (trace: Trace): boolean => trace.state(partitions).running !== undefined;
