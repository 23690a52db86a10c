/** One launch whose clusters workers take over when much of it is left. */
import { maySpread } from "../../program/traits.ts";
import type { GridRun } from "../grid-run.ts";
import { type Job, receiveError } from "./job.ts";
import { type Patience, Prospects, waiting } from "./prospects.ts";
import { createTally, type Tally } from "./tally.ts";
import type { Outcome, Team } from "./team.ts";

/** What is left of a launch, for workers. */
export type Leaving = (tally: Tally) => Job;

export class SharedRun {
  readonly #grid: GridRun;
  readonly #team: Team;
  readonly #prospects: Prospects;
  readonly #leave: Leaving;
  /** Milliseconds after which whoever waits for workers is to be called again. */
  readonly #interval: number | undefined;
  /** Set when the workers have begun. */
  #others: { readonly tally: Tally; readonly settled: Promise<void> } | undefined;
  #outcome: Outcome | undefined;
  #failure: { readonly error: unknown } | undefined;
  #finished = false;
  #settled = false;

  constructor(grid: GridRun, team: Team, patience: Patience, leave: Leaving, interval?: number) {
    this.#grid = grid;
    this.#team = team;
    this.#prospects = new Prospects(grid, team, patience, () => maySpread(grid.launch.program));
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
    if (this.#prospects.fromTheBeginning) return this.#beginWithOthers();
    const begin = performance.now();
    if (this.#grid.run(late)) return true;
    if (this.#prospects.pay(performance.now() - begin)) this.#handOver();
    return false;
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
      this.#prospects.stayAlone();
      return undefined;
    }
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
      return this.#finished ? waiting(settled, this.#interval) : false;
    }
    if (!this.#settled) return waiting(settled, this.#interval);
    if (this.#failure) throw this.#failure.error;
    const failure = this.#outcome?.failure;
    const last = failure?.cluster ?? Number.POSITIVE_INFINITY;
    const printed = [...(this.#outcome?.printed ?? [])].sort(([a], [b]) => a - b);
    for (const [cluster, text] of printed) if (cluster <= last) this.#grid.launch.console.write(text);
    if (failure) throw receiveError(failure.error);
    return true;
  }
}
