/** Whether it will pay to let workers take over what is left of a launch. */
import type { GridRun } from "../grid-run.ts";
import type { Team } from "./team.ts";

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

export class Prospects {
  readonly #grid: GridRun;
  readonly #team: Team;
  readonly #patience: Patience;
  readonly #may: () => boolean;
  /** Milliseconds of this thread since `#rest` was last known, and clusters that had begun by then. */
  #spent = 0;
  #before = 0;
  /** Milliseconds that clusters which nobody has begun would take on this thread, as far as anybody can know. */
  #rest = 0;
  #estimates = 0;
  /** Never with others. */
  #alone = false;

  /** `may`: whether the launch may be spread. Not asked of launches that are short. */
  constructor(grid: GridRun, team: Team, patience: Patience, may: () => boolean) {
    this.#grid = grid;
    this.#team = team;
    this.#patience = patience;
    this.#may = may;
  }

  /** Workers are to run all of it. */
  get fromTheBeginning(): boolean {
    return this.#patience.trial === 0 && this.#grid.begun === 0 && this.#allowed();
  }

  /** From now on it is this thread's alone. */
  stayAlone(): void {
    this.#alone = true;
  }

  /** This thread has run it for so many milliseconds. Gives whether workers are to take over now; they are there then. */
  pay(milliseconds: number): boolean {
    this.#estimate(milliseconds);
    const { rest, start } = this.#patience;
    const team = this.#team;
    // Code that has yet to be compiled is several times slower: who believes it starts workers for what is over before they run.
    const compiled = this.#estimates > 1 && team.missed >= start / 3;
    const pays = team.started || (compiled && this.#rest + team.missed >= start);
    return pays && this.#rest > 0 && this.#rest >= rest && this.#allowed() && team.start();
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

  #allowed(): boolean {
    this.#alone ||= !this.#team.able || !this.#may();
    return !this.#alone;
  }
}

/** Until workers are done; or, with an interval, so long that somebody wants to know how far they are. */
export function waiting(settled: Promise<void>, interval: number | undefined): Promise<void> {
  if (interval === undefined) return settled;
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, interval);
    void settled.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
