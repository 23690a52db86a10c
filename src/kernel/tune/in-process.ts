/**
 * Candidates in the process of the program: a function of the author's makes their kernels, which no other process has. A kernel that hangs or ruins the device ends
 * the search with it.
 */
import { WarpsmithError } from "../../base/diag/index.ts";
import { cacheKey } from "../../base/disk-cache.ts";
import type { Searched } from "../../base/tuned-choices.ts";
import type { DeviceTensor } from "../../runtime/index.ts";
import { median } from "../bench.ts";
import type { Kernel } from "../types.ts";
import { difference, spoil } from "./compare.ts";
import { Measurement, type Turns, works } from "./measure.ts";
import { type Note, type Outcome, type Round, type Steps, search, type Trial, type Verdict, wait } from "./search.ts";
import { worthwhile } from "./space.ts";
import { firstLine } from "./table.ts";
import type { SearchOptions, TuneTrial } from "./types.ts";

type Numbers = ArrayLike<number | bigint>;

/** None hangs or faults: that ends the process. */
type Here = Exclude<Outcome, "hangs" | "faults">;

/** A candidate whose kernel is compiled. */
export interface Ready {
  // biome-ignore lint/suspicious/noExplicitAny: a kernel of whatever parameters
  readonly kernel: Kernel<any[]>;
  readonly launch: () => void;
  /** Left out where the choice is not kept. */
  readonly ptx?: string;
}

/** A digest of its PTX: another compiler makes another kernel. */
export const digestOf = ({ ptx = "" }: Ready): string => cacheKey([ptx]);

export interface InProcess<C> {
  readonly candidates: readonly C[];
  readonly options: Omit<SearchOptions<C>, "reference" | "results" | "keep">;
  /** Whether a candidate is left out when its turn comes, without a reason. */
  readonly skips?: (candidate: C) => boolean;
  /** Makes a candidate's kernel and compiles it. Throws why it cannot be used. */
  readonly ready: (candidate: C) => Ready;
  /** Tensors that each launch finds as they are now: the results, where they are compared. */
  readonly restored: () => readonly DeviceTensor[];
  /** What launches the reference, and the results that nothing reads. Without it each is timed by itself, nothing is launched before, and nothing is waited for. */
  readonly compared?: { readonly reference: () => unknown; readonly written: readonly DeviceTensor[] };
  /** What the choice is kept for: the place of a candidate among all, and its kernel. Undefined where it is not. */
  readonly searched?: Searched | undefined;
}

export interface Found<C> {
  readonly best: { readonly config: C; readonly ready: Ready; readonly time: number | undefined } | undefined;
  /** In the order of the candidates. */
  readonly trials: readonly TuneTrial<C>[];
}

/** Each by itself: 3 to 20 launches, of 20 ms together. */
const alone = { least: 3, most: 20, microseconds: 20_000 } as const;
/** In turns: how often all are timed, before the slow ones are left out; how much slower than the fastest they may be; and how many are left at most. */
const early = { least: 3, most: 3, microseconds: 0 } as const;
const near = 1.3;
const finalists = 8;
const usualSeconds = 2;
/** How often those are timed that are left. */
const late = { least: 5, most: 200 } as const;

/** Those that are near the fastest. The first turns also hold what the host takes when it launches something for the first time: of two, both. */
function close<C>(ranked: readonly Trial<C, Here>[]): readonly C[] {
  const timed = ranked.filter(({ time }) => time !== undefined);
  const best = timed[0]?.time ?? 0;
  const left = timed.filter(({ time = 0 }, i) => timed.length <= 2 || (i < finalists && time <= near * best));
  return left.length < 2 ? [] : left.map(({ candidate }) => candidate);
}

class Bench<C> {
  readonly #how: InProcess<C>;
  /** Those that can be launched. */
  readonly ready = new Map<C, Ready>();
  #measurement: Measurement | undefined;
  #restored: readonly DeviceTensor[] = [];
  /** What the reference gave. */
  #expected: readonly Numbers[] | undefined;

  constructor(how: InProcess<C>) {
    this.#how = how;
  }

  /** On the emulator, which has no time, only until one is right. */
  *try(candidates: readonly C[], note: Note<C, Here>): Steps<void> {
    const { options, skips, compared } = this.#how;
    if (compared) this.#expected ??= yield* this.#results(compared.reference);
    for (const candidate of candidates) {
      if (options.device.kind === "emulator" && this.ready.size > 0) note(candidate, { outcome: "not tried" });
      else if (skips?.(candidate)) note(candidate, { outcome: "pruned" });
      else
        try {
          note(candidate, yield* this.#tried(candidate));
        } catch (error) {
          note(candidate, this.refusal(error));
        }
    }
  }

  *#tried(candidate: C): Steps<Verdict<"right" | "wrong">> {
    const made = this.#how.ready(candidate);
    const reason = this.#expected && this.#wrong(yield* this.#results(made.launch), this.#expected);
    if (reason !== undefined) return { outcome: "wrong", reason };
    this.ready.set(candidate, made);
    return { outcome: "right" };
  }

  /** A single one is not timed, as there is nothing to compare it with. Each is launched once before. */
  oneByOne(candidates: readonly C[], note: Note<C, Here>): readonly (number | null)[] {
    if (candidates.length < 2) return [];
    const measurement = this.#begin();
    return candidates.map((candidate) => {
      try {
        measurement.restore();
        this.ready.get(candidate)?.launch();
        return this.inTurns([candidate], alone)[0] ?? null;
      } catch (error) {
        note(candidate, this.refusal(error));
        this.ready.delete(candidate);
        return null;
      }
    });
  }

  inTurns(candidates: readonly C[], turns: Turns): readonly number[] {
    const launches = candidates.flatMap((candidate) => this.ready.get(candidate)?.launch ?? []);
    return this.#begin().turns(launches, turns).map(median);
  }

  /** What a candidate says that cannot be used. Any other error goes on, and so does that of a lost device, and that of a maker which makes nothing. */
  refusal(error: unknown): Verdict<"refused"> {
    if (!(error instanceof WarpsmithError && error.code !== "W7544" && works(this.#how.options.device))) throw error;
    return { outcome: "refused", reason: firstLine(error), error };
  }

  /** Puts back what the launches changed. */
  *finish(): Steps<void> {
    this.#measurement?.restore();
    // The emulator works while others wait: it is not asked again and again.
    if (this.#how.compared) yield* wait(this.#how.options.device.sync());
    else this.#measurement?.wait();
  }

  free(): void {
    this.#measurement?.free();
  }

  #begin(): Measurement {
    if (this.#measurement) return this.#measurement;
    const { options, restored, compared } = this.#how;
    this.#restored = restored();
    this.#measurement = new Measurement(options.device, options.stream, this.#restored);
    for (const tensor of compared?.written ?? []) spoil(tensor);
    this.#measurement.begin();
    return this.#measurement;
  }

  /** What a launch writes. */
  *#results(launch: () => unknown): Steps<readonly Numbers[]> {
    this.#begin().restore();
    yield* wait(launch());
    yield* wait(this.#how.options.device.sync());
    const all: Numbers[] = [];
    for (const tensor of this.#restored) all.push((yield* wait(tensor.read())) as Numbers);
    return all;
  }

  #wrong(actual: readonly Numbers[], expected: readonly Numbers[]): string | undefined {
    const { tolerance } = this.#how.options;
    const reasons = this.#restored.map((tensor, i) => difference(tensor, actual[i] ?? [], expected[i] ?? [], tolerance));
    return reasons.find((reason) => reason !== undefined);
  }
}

/** Searches in this process. */
export function* searchHere<C>(how: InProcess<C>): Steps<Found<C>> {
  const { candidates, options, compared, searched } = how;
  const bench = new Bench(how);
  const tried: Round<C, Here>["try"] = (fresh, note) => bench.try(fresh, note);
  const worth: Round<C, Here>["candidates"] = (_, note) => worthwhile(candidates, options, note, (error) => bench.refusal(error));
  const turns = { ...late, microseconds: 1e6 * (options.seconds ?? usualSeconds) };
  const timed: readonly Round<C, Here>[] = compared
    ? [
        { candidates: worth, try: tried, time: (right) => bench.inTurns(right, early) },
        { candidates: close, try: tried, time: (right) => bench.inTurns(right, turns) },
      ]
    : [{ candidates: worth, try: tried, time: (right, note) => bench.oneByOne(right, note) }];
  const rounds = options.device.kind === "emulator" ? [{ candidates: worth, try: tried }] : timed;
  const as = (config: C) => {
    const made = bench.ready.get(config);
    return made && { candidate: candidates.indexOf(config), ptx: digestOf(made) };
  };
  let ranked: readonly Trial<C, Here>[];
  try {
    ranked = yield* search(rounds, searched && { searched, as });
    yield* bench.finish();
  } finally {
    bench.free();
  }
  const byCandidate = new Map(ranked.map((trial) => [trial.candidate, trial]));
  const trials = candidates.map((config): TuneTrial<C> => {
    const { outcome = "not tried", time, reason, error } = byCandidate.get(config) ?? {};
    const right = time === undefined ? "chosen without measuring" : "measured";
    return { config, outcome: outcome === "right" ? right : outcome, time, reason, error };
  });
  const best = ranked.find(({ candidate }) => bench.ready.has(candidate));
  const ready = best && bench.ready.get(best.candidate);
  return { best: ready && { config: best.candidate, ready, time: best.time }, trials };
}
