/** How far a long launch has come, to be shown to the user. */
import type { Span } from "../../base/diag/index.ts";
import type { Monitor } from "../machine/monitor.ts";
import type { LaunchState } from "./launch-state.ts";

export interface LaunchProgress {
  readonly kernel: string;
  /** Clusters that are over, of all. */
  readonly over: number;
  readonly total: number;
  readonly seconds: number;
  /** The part of the time that checks and timeline take, from 0 to 1; undefined without them. */
  readonly watching: number | undefined;
  /** Where one of its warps is. */
  readonly at: Span | undefined;
}

export type TellProgress = (progress: LaunchProgress | undefined) => void;

/** What is known while it runs. */
interface Standing {
  readonly over: number;
  readonly at: Span | undefined;
}

/** Milliseconds until the first word, and between two. */
const patience = 2000;
export const progressInterval = 250;
/** Words between two measurements of who watches. */
const measured = 16;

/** A monitor that counts the time of another. */
interface Stopwatch {
  readonly monitor: Monitor;
  time: number;
  calls: number;
}

function timed(monitor: Monitor): Stopwatch {
  const watch: Stopwatch = { monitor, time: 0, calls: 0 };
  const entries = Object.entries(monitor).map(([name, listener]: [string, (...args: unknown[]) => unknown]) => [
    name,
    (...args: unknown[]): unknown => {
      const begin = performance.now();
      const answer = listener(...args);
      watch.time += performance.now() - begin;
      watch.calls += 1;
      return answer;
    },
  ]);
  return Object.assign(watch, { monitor: Object.fromEntries(entries) as Monitor });
}

/** Milliseconds that it takes to look at the clock twice: the least of some tries, as others may come between. */
function looking(): number {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 10; attempt++) {
    const begin = performance.now();
    for (let i = 0; i < 100; i++) performance.now();
    least = Math.min(least, (performance.now() - begin) / 50);
  }
  return least;
}

/** Tells of one launch, between its slices. */
export class ProgressOf {
  readonly #tell: TellProgress;
  readonly #launch: LaunchState;
  readonly #total: number;
  readonly #standing: Standing;
  readonly #begin = performance.now();
  #next = this.#begin + patience;
  #words = 0;
  #watching: number | undefined;

  /** `total`: its clusters. */
  constructor(tell: TellProgress, launch: LaunchState, total: number, standing: Standing) {
    this.#tell = tell;
    this.#launch = launch;
    this.#total = total;
    this.#standing = standing;
  }

  /** One slice; now and then one under a stopwatch. */
  slice<T>(run: () => T): T {
    const { monitor } = this.#launch;
    const due = performance.now() >= this.#next;
    const result = due && monitor && this.#words++ % measured === 0 ? this.#timed(monitor, run) : run();
    if (due) this.#say();
    return result;
  }

  #timed<T>(monitor: Monitor, run: () => T): T {
    const watch = timed(monitor);
    const begin = performance.now();
    Object.assign(this.#launch, { monitor: watch.monitor });
    try {
      return run();
    } finally {
      Object.assign(this.#launch, { monitor });
      const clock = watch.calls * looking();
      const [inside, whole] = [watch.time - clock / 2, performance.now() - begin - clock];
      this.#watching = Math.min(1, Math.max(0, inside / Math.max(whole, 1e-3)));
    }
  }

  #say(): void {
    const now = performance.now();
    this.#next = now + progressInterval;
    const { over, at } = this.#standing;
    const seconds = (now - this.#begin) / 1000;
    const kernel = this.#launch.program.name;
    this.#tell({ kernel, over, total: this.#total, seconds, watching: this.#watching, at });
  }

  end(): void {
    if (this.#next > this.#begin + patience) this.#tell(undefined);
  }
}
