import type { Monitor, Reading } from "./power.ts";
import { type Figure, figureOf, round } from "./stats.ts";
import type { Batch, Mark, Timer } from "./timer.ts";

/** Something that can be launched again and again, all of it in the timer's stream. */
export interface Contender {
  readonly name: string;
  launch(): void;
}

/** By contender's name. */
export type Figures = Readonly<Record<string, Figure>>;

export interface Sustained extends Partial<Reading> {
  /** Microseconds per launch. */
  readonly us: number;
}

/** So much work in front of the first mark of a series that the host is ahead of the device from then on. */
const headStart = 4;
/** Pairs of marks in flight at most. */
const inFlight = 256;

/** The order of a round: everybody has been first, and after everybody else, in turn. */
export function orderOf<T>(items: readonly T[], iteration: number): readonly T[] {
  const start = iteration % items.length;
  const rotated = [...items.slice(start), ...items.slice(0, start)];
  return Math.floor(iteration / items.length) % 2 === 0 ? rotated : rotated.toReversed();
}

/** Launches one by one, the L2 cache flushed before each, each alone between two marks; `rounds` for every contender, in turns. */
export function flushedRounds(
  timer: Timer,
  contenders: readonly Contender[],
  rounds: number,
  flushes = 1,
): Map<string, number[]> {
  const samples = new Map(contenders.map(({ name }): [string, number[]] => [name, []]));
  let pending: { readonly name: string; readonly from: Mark; readonly to: Mark }[] = [];
  const collect = (): void => {
    timer.wait();
    for (const { name, from, to } of pending) {
      samples.get(name)?.push(timer.between(from, to));
      timer.release(from);
      timer.release(to);
    }
    pending = [];
  };
  for (let iteration = 0; iteration < rounds; iteration++) {
    if (pending.length === 0) for (let i = 0; i < headStart; i++) timer.flush();
    for (const { name, launch } of orderOf(contenders, iteration)) {
      for (let i = 0; i < flushes; i++) timer.flush();
      const from = timer.mark();
      launch();
      pending.push({ name, from, to: timer.mark() });
    }
    if (pending.length >= inFlight) collect();
  }
  collect();
  return samples;
}

/** Rounds that fill the time, by how long one takes. */
function roundsFor(
  timer: Timer,
  contenders: readonly Contender[],
  { seconds, least, most, flushes }: { seconds: number; least: number; most: number; flushes: number },
): number {
  flushedRounds(timer, contenders, 1, flushes);
  const [from, rounds] = [timer.mark(), 2];
  flushedRounds(timer, contenders, rounds, flushes);
  const to = timer.mark();
  timer.wait();
  const each = timer.between(from, to) / rounds;
  timer.release(from);
  timer.release(to);
  return Math.max(least, Math.min(most, Math.round((seconds * 1e6) / each)));
}

/**
 * Medians with a cold L2 cache, within about `seconds` for all together. `flushes`: overwrites of the cache before each launch. More of them
 * leave the device cooler: who is compared must have had as many.
 */
export function flushed(
  timer: Timer,
  contenders: readonly Contender[],
  seconds: number,
  { least = 15, flushes = 1 }: { readonly least?: number; readonly flushes?: number } = {},
): Figures {
  const rounds = roundsFor(timer, contenders, { seconds, least, most: 1500, flushes });
  const samples = flushedRounds(timer, contenders, rounds, flushes);
  return Object.fromEntries([...samples].map(([name, all]) => [name, figureOf(all)]));
}

/** Microseconds of one launch, roughly, back to back. */
function roughly(timer: Timer, launch: () => void): number {
  const launches = 4;
  launch();
  const from = timer.mark();
  for (let i = 0; i < launches; i++) launch();
  const to = timer.mark();
  timer.wait();
  const each = timer.between(from, to) / launches;
  timer.release(from);
  timer.release(to);
  return Math.max(each, 1);
}

/** As many launches as take about `us`. */
const batchOf = (timer: Timer, { launch }: Contender, us: number): Batch =>
  timer.batch(launch, Math.max(2, Math.min(4000, Math.round(us / roughly(timer, launch)))));

/** Microseconds per launch of one replay. */
function timeReplay(timer: Timer, batch: Batch): number {
  const from = timer.mark();
  batch.replay();
  const to = timer.mark();
  timer.wait();
  const each = timer.between(from, to) / batch.launches;
  timer.release(from);
  timer.release(to);
  return each;
}

/** Medians back to back with a warm L2 cache: batches of about a millisecond, in turns. */
export function warm(timer: Timer, contenders: readonly Contender[], seconds: number): Figures {
  const batches = contenders.map((contender) => ({
    name: contender.name,
    batch: batchOf(timer, contender, 1000),
    us: [] as number[],
  }));
  try {
    const each = batches.reduce((sum, { batch }) => sum + timeReplay(timer, batch) * batch.launches, 0);
    const rounds = Math.max(5, Math.min(200, Math.round((seconds * 1e6) / each)));
    for (let iteration = 0; iteration < rounds; iteration++)
      for (const { batch, us } of orderOf(batches, iteration)) us.push(timeReplay(timer, batch));
    return Object.fromEntries(batches.map(({ name, us }) => [name, figureOf(us)]));
  } finally {
    for (const { batch } of batches) batch.free();
  }
}

interface Run {
  readonly us: number;
  readonly launches: number;
}

/** Back to back for at least `seconds`; the monitor reads while the device works. */
function runFor(timer: Timer, batch: Batch, seconds: number, monitor: Monitor): Run {
  const marks = [timer.mark()];
  const [first] = marks;
  let [launches, elapsed] = [0, 0];
  monitor.start();
  while (elapsed < seconds * 1e6 || marks.length < 4) {
    batch.replay();
    launches += batch.launches;
    marks.push(timer.mark());
    const before = marks.at(-2);
    if (before === undefined || before === first) continue;
    timer.reach(before);
    monitor.sample();
    elapsed = timer.between(first, before);
  }
  timer.wait();
  monitor.stop();
  const us = timer.between(first, marks.at(-1) ?? first);
  for (const mark of marks) timer.release(mark);
  return { us, launches };
}

/** Back to back for at least `seconds` each, in two halves: in the order given, and in the opposite one. */
export function sustained(
  timer: Timer,
  contenders: readonly Contender[],
  seconds: number,
  monitorOf: () => Monitor,
): Readonly<Record<string, Sustained>> {
  const entries = contenders.map((contender) => ({
    name: contender.name,
    batch: batchOf(timer, contender, 20_000),
    monitor: monitorOf(),
    runs: [] as Run[],
  }));
  try {
    for (const half of [entries, entries.toReversed()])
      for (const { batch, monitor, runs } of half) runs.push(runFor(timer, batch, seconds / 2, monitor));
  } finally {
    for (const { batch } of entries) batch.free();
  }
  return Object.fromEntries(
    entries.map(({ name, runs, monitor }) => {
      const [us, launches] = [runs.reduce((sum, run) => sum + run.us, 0), runs.reduce((sum, run) => sum + run.launches, 0)];
      return [name, { us: round(us / launches, 5), ...monitor.reading() }];
    }),
  );
}
