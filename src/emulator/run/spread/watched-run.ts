/**
 * A launch under checks whose clusters workers take over when much of it is left. Each worker checks the clusters that it runs. What the
 * workers did counts only if they found nothing. If one of them has a report, or wrote what another thread touched, memory is restored and
 * this thread runs the rest alone: so the reports are the same with and without workers.
 */
import type { GlobalMemory } from "../../machine/memory.ts";
import { maySpread } from "../../program/traits.ts";
import type { GridRun } from "../grid-run.ts";
import type { Apart } from "../watcher.ts";
import { type Patience, Prospects, waiting } from "./prospects.ts";
import type { Leaving } from "./shared-run.ts";
import { createTally, type Tally } from "./tally.ts";
import type { Outcome, Team } from "./team.ts";

/** Bytes of memory that are kept at most, to be put back. */
const mostKept = 2 ** 30;

export class WatchedRun {
  readonly #grid: GridRun;
  readonly #team: Team;
  readonly #apart: Apart;
  readonly #memory: GlobalMemory;
  readonly #leave: Leaving;
  readonly #interval: number | undefined;
  readonly #prospects: Prospects;
  /** `holding`: what has begun here comes to its end. `last`: this thread runs what is left, if anything. */
  #phase: "alone" | "holding" | "others" | "last" = "alone";
  /** Set when the workers have begun. */
  #others: { readonly tally: Tally; readonly restore: () => void; readonly settled: Promise<void> } | undefined;
  #settled = false;
  /** Undefined, too, where a worker was lost. */
  #outcome: Outcome | undefined;

  constructor(
    grid: GridRun,
    team: Team,
    patience: Patience,
    apart: Apart,
    memory: GlobalMemory,
    leave: Leaving,
    interval: number | undefined,
  ) {
    this.#grid = grid;
    this.#team = team;
    this.#apart = apart;
    this.#memory = memory;
    this.#leave = leave;
    this.#interval = interval;
    const may = (): boolean => maySpread(grid.launch.program) && memory.size <= mostKept;
    this.#prospects = new Prospects(grid, team, patience, may);
  }

  get over(): number {
    return this.#phase === "others" ? (this.#others?.tally.over ?? 0) : this.#grid.over;
  }

  get at(): GridRun["at"] {
    return this.#grid.at;
  }

  /** As `Task.run`. */
  run(late: () => boolean): boolean | Promise<void> {
    if (this.#phase === "alone") return this.#runAlone(late);
    if (this.#phase === "holding") return this.#grid.settle(late) && this.#handOver();
    return this.#phase === "others" ? this.#join() : this.#grid.run(late);
  }

  #runAlone(late: () => boolean): boolean | Promise<void> {
    if (this.#prospects.fromTheBeginning) {
      if (!this.#team.start()) return this.#team.ready();
      this.#hold();
      return false;
    }
    const begin = performance.now();
    if (this.#grid.run(late)) return true;
    if (this.#prospects.pay(performance.now() - begin)) this.#hold();
    return false;
  }

  #hold(): void {
    this.#grid.hold();
    this.#phase = "holding";
  }

  /** Not where there is no room to keep the memory. */
  #handOver(): boolean | Promise<void> {
    try {
      const restore = this.#memory.keep();
      const tally = createTally(this.#grid.total, this.#grid.begun);
      for (let number = 0; number < this.#grid.begun; number++) tally.end(number);
      const settled = this.#team.run(this.#leave(tally)).then(
        (outcome) => {
          this.#outcome = outcome;
          this.#settled = true;
        },
        () => {
          this.#settled = true;
        },
      );
      this.#others = { tally, restore, settled };
      this.#phase = "others";
      return waiting(settled, this.#interval);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#grid.goOn();
      this.#phase = "last";
      return false;
    }
  }

  #join(): boolean | Promise<void> {
    const others = this.#others;
    if (others && !this.#settled) return waiting(others.settled, this.#interval);
    this.#phase = "last";
    const outcome = this.#outcome;
    if (outcome && !outcome.failure && this.#apart.join(outcome.touched)) {
      for (const [, text] of [...outcome.printed].sort(([a], [b]) => a - b)) this.#grid.launch.console.write(text);
      this.#grid.goOn(this.#grid.total);
    } else {
      others?.restore();
      this.#grid.goOn();
    }
    return false;
  }
}
