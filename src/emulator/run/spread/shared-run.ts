/** One launch whose clusters workers take over when much of it is left. */
import type { GridRun } from "../grid-run.ts";
import { type Job, receiveError } from "./job.ts";
import { maySpread } from "./may-spread.ts";
import { createTally, type Tally } from "./tally.ts";
import type { Outcome, Team } from "./team.ts";

/** When workers take a launch over. */
export interface Patience {
  /** Milliseconds that it runs on one thread before anybody asks how long the rest will take, and asks again; 0: workers run all of it. */
  readonly trial: number;
  /** Milliseconds that the rest must take, on one thread, for workers that are there. */
  readonly rest: number;
  /** For workers that have yet to be started; what they have missed so far counts, too. */
  readonly start: number;
}

/** A new worker takes about a second of CPU time until all of the emulator is loaded and compiled there. */
export const usualPatience: Patience = { trial: 50, rest: 100, start: 1500 };

/** What is left of a launch, for workers. */
type Leaving = (tally: Tally) => Job;

export class SharedRun {
  readonly #grid: GridRun;
  readonly #team: Team;
  readonly #patience: Patience;
  readonly #leave: Leaving;
  /** Milliseconds after which whoever waits for workers is to be called again. */
  readonly #interval: number | undefined;
  /** Milliseconds of this thread since `#rest` was last known, and clusters that had begun by then. */
  #spent = 0;
  #before = 0;
  /** Milliseconds that clusters which nobody has begun would take on this thread, as far as anybody can know. */
  #rest = 0;
  #estimates = 0;
  /** Set when the workers have begun. */
  #others: { readonly tally: Tally; readonly settled: Promise<void> } | undefined;
  #outcome: Outcome | undefined;
  #failure: { readonly error: unknown } | undefined;
  #finished = false;
  #settled = false;
  /** Never with others. */
  #alone = false;

  constructor(grid: GridRun, team: Team, patience: Patience, leave: Leaving, interval?: number) {
    this.#grid = grid;
    this.#team = team;
    this.#patience = patience;
    this.#leave = leave;
    this.#interval = interval;
  }

  get over(): number {
    return this.#others?.tally.over ?? this.#grid.over;
  }

  get at(): GridRun["at"] {
    return this.#grid.at;
  }

  /** As `Task.run`. Throws what the first cluster that failed did wrong. */
  run(late: () => boolean): boolean | Promise<void> {
    if (this.#others) return this.#end(late, this.#others);
    const { trial, rest, start } = this.#patience;
    if (trial === 0 && this.#grid.begun === 0 && this.#may()) return this.#beginWithOthers();
    const begin = performance.now();
    if (this.#grid.run(late)) return true;
    this.#estimate(performance.now() - begin);
    const team = this.#team;
    // What is known first is of code that has yet to be compiled.
    const pays = team.started || (this.#estimates > 1 && this.#rest + team.missed >= start);
    if (pays && this.#rest > 0 && this.#rest >= rest && this.#may() && team.start()) this.#handOver();
    return false;
  }

  /** By the clusters of the last while: the first ones take longer. */
  #estimate(milliseconds: number): void {
    this.#spent += milliseconds;
    const { begun, total } = this.#grid;
    if (this.#estimates > 0 && !this.#alone) this.#team.missed += milliseconds;
    if (begun === total) this.#rest = 0;
    else if (this.#spent >= this.#patience.trial && begun > this.#before) {
      this.#rest = (this.#spent / (begun - this.#before)) * (total - begun);
      this.#estimates += 1;
      this.#spent = 0;
      this.#before = begun;
    }
  }

  /** Not asked of launches that are short. */
  #may(): boolean {
    this.#alone ||= !this.#team.able || !maySpread(this.#grid.launch.program);
    return !this.#alone;
  }

  #beginWithOthers(): boolean | Promise<void> {
    if (!this.#team.start()) return this.#team.ready();
    this.#handOver();
    return false;
  }

  #handOver(): void {
    const made = this.#prepare();
    if (!made) return;
    const { tally, job } = made;
    this.#grid.handOver((number) => tally.end(number));
    const settled = this.#team.run(job).then(
      (outcome) => {
        this.#outcome = outcome;
        this.#settled = true;
      },
      (error: unknown) => {
        this.#failure ??= { error };
        this.#settled = true;
      },
    );
    this.#others = { tally, settled };
  }

  /** Undefined where there is no room to make the memory shared. */
  #prepare(): { readonly tally: Tally; readonly job: Job } | undefined {
    try {
      const tally = createTally(this.#grid.total, this.#grid.begun);
      return { tally, job: this.#leave(tally) };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#alone = true;
      return undefined;
    }
  }

  /** Until the workers are done; or so long that somebody wants to know how far they are. */
  #waiting(settled: Promise<void>): Promise<void> {
    if (this.#interval === undefined) return settled;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#interval);
      void settled.then(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** What this thread had begun, then what the others have left to say. */
  #end(
    late: () => boolean,
    { tally, settled }: { readonly tally: Tally; readonly settled: Promise<void> },
  ): boolean | Promise<void> {
    if (!this.#finished) {
      try {
        this.#finished = this.#grid.run(late);
      } catch (error) {
        this.#finished = true;
        this.#failure = { error };
        tally.fail(-1);
      }
      return this.#finished ? this.#waiting(settled) : false;
    }
    if (!this.#settled) return this.#waiting(settled);
    if (this.#failure) throw this.#failure.error;
    const failure = this.#outcome?.failure;
    const last = failure?.cluster ?? Number.POSITIVE_INFINITY;
    const printed = [...(this.#outcome?.printed ?? [])].sort(([a], [b]) => a - b);
    for (const [cluster, text] of printed) if (cluster <= last) this.#grid.launch.console.write(text);
    if (failure) throw receiveError(failure.error);
    return true;
  }
}
