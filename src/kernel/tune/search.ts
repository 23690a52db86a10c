/**
 * The search for the fastest of several configurations: what has no room is left out, what is wrong is found out, the rest is timed in turns. Schedules and
 * kernels are tuned by it. Nothing here knows what a configuration means.
 */

import { type Spans, WarpsmithError } from "../../base/diag/index.ts";
import { defaultTarget } from "../../base/target.ts";
import type { DeviceTensor } from "../../runtime/index.ts";
import { median } from "../bench.ts";
import { fail } from "../errors.ts";
import { Measurement, works } from "../measure.ts";
import type { Kernel } from "../types.ts";
import { difference, spoil } from "./compare.ts";
import { type KeptChoice, keepChoice, keptChoice } from "./kept.ts";
import { fullness, noRoom, spread } from "./space.ts";
import { configText, tableOf } from "./table.ts";
import type { SearchOptions, TuneResult, TuneTrial } from "./types.ts";

// biome-ignore lint/suspicious/noExplicitAny: a kernel of whatever parameters
type AnyKernel = Kernel<any[]>;
type Numbers = ArrayLike<number | bigint>;

/** A configuration that can be launched. */
export interface Ready {
  readonly kernel: AnyKernel;
  readonly launch: () => void;
  /** A digest of its PTX. */
  readonly ptx: string;
}

export interface Search<C> {
  readonly name: string;
  readonly configs: readonly C[];
  readonly options: SearchOptions<C>;
  /** Makes a configuration's kernel and compiles it. Throws why it cannot be used. */
  readonly ready: (config: C) => Ready;
  /** Launches what is right. */
  readonly reference: () => unknown;
  /** The tensors that are compared; those that are also read are put back before each launch. */
  readonly results: readonly DeviceTensor[];
  /** Those of them that nothing reads. */
  readonly written: readonly DeviceTensor[];
  /** Where the author called. */
  readonly at: Spans;
  /** Where the choice is kept; undefined where it is not. */
  readonly key: string | undefined;
}

const usualSeconds = 2;
/** Rounds in which everybody is timed, before the slow ones go; how much slower than the fastest they may be; and how many are left at most. */
const first = { least: 3, most: 3, microseconds: 0 } as const;
const near = 1.3;
const finalists = 8;
/** Rounds of those that are left. */
const last = { least: 5, most: 200 } as const;
/** A configuration that fills the multiprocessors less than half as well as the best one is left out. */
const leastFull = 0.5;

type Notes<C> = Map<C, TuneTrial<C>>;

const firstLine = (error: WarpsmithError): string => `${error.code} ${error.sentence.split("\n", 1)[0] ?? ""}`;

class Searching<C> {
  readonly #search: Search<C>;
  readonly #notes: Notes<C> = new Map();

  constructor(search: Search<C>) {
    this.#search = search;
  }

  async run(): Promise<TuneResult<C>> {
    const { options, results, key } = this.#search;
    const { device } = options;
    const known = key === undefined ? undefined : this.#kept(key);
    if (known) return known;
    const left = this.#worthwhile();
    const right: (Ready & { readonly config: C })[] = [];
    const measurement = new Measurement(device, options.stream, results);
    try {
      for (const tensor of this.#search.written) spoil(tensor);
      measurement.begin(results);
      const expected = await this.#expected(measurement);
      for (const config of left) {
        // What nobody measures needs no second one.
        if (device.kind === "emulator" && right.length > 0) this.#note(config, "not tried");
        else {
          const ready = await this.#tried(config, measurement, expected);
          if (ready) right.push({ ...ready, config });
        }
      }
      if (device.kind === "emulator") for (const { config } of right) this.#note(config, "chosen without measuring");
      else this.#time(right, measurement);
      // Not `finish()`, which asks until the stream has ended: the emulator works while others wait.
      measurement.reset();
      await device.sync();
    } finally {
      measurement.free();
    }
    return this.#settle(right);
  }

  #note(config: C, outcome: TuneTrial["outcome"], more: { time?: number; reason?: string; error?: WarpsmithError } = {}): void {
    const { time, reason, error } = more;
    this.#notes.set(config, { config, outcome, time, reason: reason ?? (error && firstLine(error)), error });
  }

  /** What a configuration says that cannot be used. Any other error goes on, and so does that of a lost device, and that of a maker which makes nothing. */
  #refuse(config: C, error: unknown): void {
    if (!(error instanceof WarpsmithError && error.code !== "W7544" && works(this.#search.options.device))) throw error;
    this.#note(config, "refused", { error });
  }

  /** The choice of an earlier search, where its kernel is the same as then. */
  #kept(key: string): TuneResult<C> | undefined {
    const { configs, ready, name, options } = this.#search;
    const choice = options.device.kind === "emulator" ? undefined : keptChoice(key);
    const config = choice && configs[choice.index];
    if (!choice || config === undefined || options.fits?.(config) === false) return undefined;
    try {
      const { kernel, ptx } = ready(config);
      if (ptx !== choice.ptx) return undefined;
      const table = () => `tune: ${name} on ${options.device.name}\n* ${configText(config)}  ${choice.time.toFixed(2)} us, kept`;
      return { config, kernel, time: choice.time, kept: true, trials: [], table };
    } catch (error) {
      if (error instanceof WarpsmithError) return undefined;
      throw error;
    }
  }

  /** Those that have room, and of them as many as the budget has room for. */
  #worthwhile(): readonly C[] {
    const { configs, options } = this.#search;
    const { fits, resources, device, budget = configs.length } = options;
    const fitting: { readonly config: C; readonly full: number | undefined }[] = [];
    for (const config of configs)
      try {
        if (fits && !fits(config)) {
          this.#note(config, "pruned", { reason: "fits() says no" });
          continue;
        }
        const needs = resources?.(config) ?? {};
        const why = noRoom(needs, defaultTarget.limits);
        if (why) this.#note(config, "pruned", { reason: why });
        else fitting.push({ config, full: fullness(needs, device.multiprocessors) });
      } catch (error) {
        this.#refuse(config, error);
      }
    const best = Math.max(0, ...fitting.flatMap(({ full }) => full ?? []));
    const filling = fitting.filter(({ config, full }) => {
      const idle = full !== undefined && full < leastFull * best;
      if (idle) this.#note(config, "pruned", { reason: `its blocks fill ${(100 * full).toFixed(0)} % of their waves` });
      return !idle;
    });
    const chosen = spread(
      filling.map(({ config }) => config),
      budget,
    );
    for (const { config } of filling) if (!chosen.includes(config)) this.#note(config, "pruned", { reason: "beyond the budget" });
    return chosen;
  }

  async #expected(measurement: Measurement): Promise<readonly Numbers[]> {
    measurement.reset();
    await this.#search.reference();
    return this.#read();
  }

  async #read(): Promise<readonly Numbers[]> {
    await this.#search.options.device.sync();
    const all: Numbers[] = [];
    for (const tensor of this.#search.results) all.push((await tensor.read()) as Numbers);
    return all;
  }

  /** Compiles, launches once, and compares. */
  async #tried(config: C, measurement: Measurement, expected: readonly Numbers[]): Promise<Ready | undefined> {
    const { ready, results, options } = this.#search;
    try {
      const made = ready(config);
      measurement.reset();
      made.launch();
      const actual = await this.#read();
      for (const [i, tensor] of results.entries()) {
        const reason = difference(tensor, actual[i] ?? [], expected[i] ?? [], options.tolerance);
        if (reason === undefined) continue;
        this.#note(config, "wrong", { reason });
        return undefined;
      }
      return made;
    } catch (error) {
      this.#refuse(config, error);
      return undefined;
    }
  }

  /** Everybody three times in turns, then those that are near the fastest for the time that is left. */
  #time(right: readonly (Ready & { readonly config: C })[], measurement: Measurement): void {
    const early = measurement.rounds(
      right.map(({ launch }) => launch),
      first,
    );
    const ranked = right.map((ready, i) => ({ ...ready, time: median(early[i] ?? []) })).toSorted((x, y) => x.time - y.time);
    const best = ranked[0]?.time ?? 0;
    // Of two, both: the first rounds also hold what the host takes when it launches something for the first time.
    const close = ranked.filter(({ time }, i) => ranked.length <= 2 || (i < finalists && time <= near * best));
    for (const { config, time } of ranked) this.#note(config, "measured", { time });
    if (close.length < 2) return;
    const microseconds = 1e6 * (this.#search.options.seconds ?? usualSeconds);
    const late = measurement.rounds(
      close.map(({ launch }) => launch),
      { ...last, microseconds },
    );
    // The others keep the times of the first rounds, which are longer than any of these.
    for (const [i, { config }] of close.entries()) this.#note(config, "measured", { time: median(late[i] ?? []) });
  }

  #settle(right: readonly (Ready & { readonly config: C })[]): TuneResult<C> {
    const { name, configs, options, key } = this.#search;
    const trials = configs.flatMap((config) => this.#notes.get(config) ?? []);
    const timeOf = (config: C): number => this.#notes.get(config)?.time ?? Number.POSITIVE_INFINITY;
    const [best] = options.device.kind === "emulator" ? right : right.toSorted((x, y) => timeOf(x.config) - timeOf(y.config));
    if (!best) {
      const reasons = trials.map(({ config, outcome, reason }) => `${configText(config)}: ${reason ?? outcome}`);
      return fail("W7545", { name, reasons }, this.#search.at);
    }
    const { config, kernel, ptx } = best;
    const time = this.#notes.get(config)?.time;
    if (options.device.kind === "emulator") sayNothingIsMeasured(name);
    else if (key !== undefined && time !== undefined)
      keepChoice(key, { index: configs.indexOf(config), ptx, time } satisfies KeptChoice);
    return { config, kernel, time, kept: false, trials, table: () => tableOf(name, options.device.name, trials, config) };
  }
}

let said = false;

/** Says once in a process that nothing is measured here. */
function sayNothingIsMeasured(name: string): void {
  if (said) return;
  said = true;
  console.error(
    `tune: the emulator has no time of a GPU: ${name} takes the first configuration that is right, and so does every other search`,
  );
}

/** Searches; the choice is read from disk where an earlier search has kept it. W7545. */
export const search = <C>(what: Search<C>): Promise<TuneResult<C>> => new Searching(what).run();
