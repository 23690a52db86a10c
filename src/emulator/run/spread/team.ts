/** The workers of a device, seen from its own thread. */
import { makeError } from "../../errors/index.ts";
import type { Touched } from "../watcher.ts";
import type { Job, Told } from "./job.ts";

/** One worker thread, as the platform has it. */
export interface WorkerThread {
  post(message: unknown): void;
  /** Whether the process is to stay alive for it. Nothing where processes do not end by themselves. */
  hold(busy: boolean): void;
  end(): void;
}

/** How the platform starts workers: threads that call `createWorker`, and hand on messages. */
export interface WorkerThreads {
  /** How many may run at a time. */
  readonly count: number;
  /** `told` gets what the worker says, `lost` why it has ended by itself. It is not held. */
  start(told: (message: unknown) => void, lost: (reason: unknown) => void): WorkerThread;
}

/** What came of a job. */
export interface Outcome {
  /** By cluster. */
  readonly printed: ReadonlyMap<number, string>;
  /** By each worker, of a launch that is watched. */
  readonly touched: readonly (readonly Touched[])[];
  /** Of the lowest cluster that failed. */
  readonly failure: Extract<Told, { kind: "failed" }> | undefined;
}

interface Pending {
  left: number;
  readonly printed: Map<number, string>;
  readonly touched: (readonly Touched[])[];
  failure: Outcome["failure"];
  readonly done: (outcome: Outcome) => void;
  readonly lost: (reason: unknown) => void;
}

export class Team {
  readonly #platform: WorkerThreads;
  /** Milliseconds for which one thread has run what workers, had there been any, would have taken over. */
  missed = 0;
  #workers: readonly WorkerThread[] = [];
  #ready = 0;
  #lost = false;
  #pending: Pending | undefined;
  #awaiting: (() => void)[] = [];

  constructor(platform: WorkerThreads) {
    this.#platform = platform;
  }

  /** Starts the workers, if they have not been; gives whether all of them can take a job. */
  start(): boolean {
    if (this.#lost) return false;
    if (this.#workers.length === 0) {
      const told = (message: unknown): void => this.#told(message as Told);
      const lost = (reason: unknown): void => this.#endWith(reason);
      this.#workers = Array.from({ length: this.#platform.count }, () => this.#platform.start(told, lost));
    }
    return this.#ready === this.#workers.length;
  }

  /** Whether there are workers, or may be. */
  get able(): boolean {
    return !this.#lost;
  }

  get started(): boolean {
    return this.#workers.length > 0;
  }

  /** Resolves when all can take a job, or one is lost. */
  ready(): Promise<void> {
    if (this.#lost || this.start()) return Promise.resolve();
    return new Promise((tell) => {
      for (const worker of this.#workers) worker.hold(true);
      this.#awaiting.push(() => {
        for (const worker of this.#workers) worker.hold(false);
        tell();
      });
    });
  }

  /** Gives a job to all of them. One at a time. */
  run(job: Job): Promise<Outcome> {
    return new Promise((done, lost) => {
      this.#pending = { left: this.#workers.length, printed: new Map(), touched: [], failure: undefined, done, lost };
      for (const worker of this.#workers) {
        worker.hold(true);
        worker.post(job);
      }
    });
  }

  end(): void {
    for (const worker of this.#workers) worker.end();
    this.#workers = [];
    this.#lost = true;
    this.#pending = undefined;
    this.#tellReady();
  }

  #begin(): void {
    this.#ready += 1;
    if (this.#ready === this.#workers.length) this.#tellReady();
  }

  #tellReady(): void {
    const awaiting = this.#awaiting;
    this.#awaiting = [];
    for (const tell of awaiting) tell();
  }

  #told(what: Told): void {
    const pending = this.#pending;
    if (what.kind === "ready") this.#begin();
    else if (!pending) return;
    else if (what.kind === "printed") pending.printed.set(what.cluster, what.text);
    else if (what.kind === "touched") pending.touched.push(what.touched);
    else if (what.kind === "failed") {
      if (!pending.failure || what.cluster < pending.failure.cluster) pending.failure = what;
    } else if (--pending.left === 0) {
      for (const worker of this.#workers) worker.hold(false);
      this.#pending = undefined;
      pending.done(pending);
    }
  }

  /** Without one of them, all are given up: from now on the device runs on one thread. */
  #endWith(reason: unknown): void {
    const pending = this.#pending;
    this.end();
    pending?.lost(makeError("W9006", { reason: reason instanceof Error ? reason.message : String(reason) }));
  }
}

/** Undefined where one thread is wanted, or threads cannot share memory: in a page without cross-origin isolation. */
export function teamOf(workers: WorkerThreads | undefined, threads: number | undefined): Team | undefined {
  const count = threads ?? workers?.count ?? 1;
  return workers && count > 1 && typeof SharedArrayBuffer === "function" ? new Team({ ...workers, count }) : undefined;
}
