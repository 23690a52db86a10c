/**
 * Clocks of multiprocessors as nanoseconds. Each warp reads both clocks when it begins and when it ends. `%globaltimer` is one for all, and
 * moves in steps; `%clock` counts cycles of its multiprocessor, and has 32 bits. Multiprocessors run at frequencies of their own, which differ by less than a
 * percent: where their pairs are far enough apart, these say how long a cycle is there, else all pairs together do.
 */

import { groupBy } from "./group-by.ts";

/** Both clocks at one moment. */
export interface Anchor {
  readonly multiprocessor: number;
  readonly clock: number;
  readonly time: bigint;
}

export interface Clocks {
  /** Nanoseconds from the first anchor on of a moment `cycles` behind an anchor. */
  at(anchor: Anchor, cycles: number): number;
  /** Nanoseconds of a cycle of a multiprocessor. */
  readonly cycle: (multiprocessor: number) => number;
  /** The most that an anchor is off, in nanoseconds. */
  readonly error: number;
}

const wrap = 2 ** 32;
/** Nanoseconds between the first and the last pair of a multiprocessor from which on they say how long its cycles are: the steps of `%globaltimer` are 32. */
const farEnough = 16_000;
/** Cycles of a nanosecond, near enough to count how often a clock has begun again. */
const about = 1.7;

interface Unwrapped {
  readonly anchor: Anchor;
  readonly clock: number;
  readonly time: number;
}

/** Cycles from the first anchor of a multiprocessor on. */
function unwrap(anchors: readonly Anchor[], start: bigint): readonly Unwrapped[] {
  let before: Unwrapped | undefined;
  return anchors
    .toSorted((a, b) => Number(a.time - b.time))
    .map((anchor) => {
      const time = Number(anchor.time - start);
      if (!before) before = { anchor, clock: 0, time };
      else {
        const least = (anchor.clock - before.anchor.clock) >>> 0;
        // Two that are read at the same step may be the wrong way round.
        const passed = least > wrap / 2 && time - before.time < wrap / 2 / about ? least - wrap : least;
        const turns = Math.max(0, Math.round(((time - before.time) * about - passed) / wrap));
        before = { anchor, clock: before.clock + passed + turns * wrap, time };
      }
      return before;
    });
}

const mean = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0) / numbers.length;

/** Nothing where there are no anchors. */
export function clocksOf(anchors: readonly Anchor[]): Clocks | undefined {
  const [first] = anchors;
  if (!first) return undefined;
  const start = anchors.reduce((least, { time }) => (time < least ? time : least), first.time);
  const byMultiprocessor = groupBy(anchors, ({ multiprocessor }) => multiprocessor);
  const all = [...byMultiprocessor.values()].map((own) => {
    const points = unwrap(own, start);
    return { points, clock: mean(points.map((p) => p.clock)), time: mean(points.map((p) => p.time)) };
  });
  const spread = all.map(({ points, clock, time }) => {
    let [both, square] = [0, 0];
    for (const point of points) {
      both += (point.clock - clock) * (point.time - time);
      square += (point.clock - clock) ** 2;
    }
    return { both, square, length: (points.at(-1)?.time ?? 0) - (points[0]?.time ?? 0) };
  });
  const total = spread.reduce((sum, { both, square }) => ({ both: sum.both + both, square: sum.square + square }), {
    both: 0,
    square: 0,
  });
  const cycleOf = ({ both, square }: typeof total): number => (square > 0 && both > 0 ? both / square : 1 / about);
  const cycle = cycleOf(total);
  const cycles = new Map<number, number>();
  const places = new Map<Anchor, number>();
  let error = 0;
  for (const [i, { points, clock, time }] of all.entries()) {
    const own = spread[i];
    const length = own && own.length >= farEnough ? cycleOf(own) : cycle;
    for (const point of points) {
      const at = time + (point.clock - clock) * length;
      places.set(point.anchor, at);
      cycles.set(point.anchor.multiprocessor, length);
      error = Math.max(error, Math.abs(at - point.time));
    }
  }
  const of = (multiprocessor: number): number => cycles.get(multiprocessor) ?? cycle;
  return { at: (anchor, count) => (places.get(anchor) ?? 0) + count * of(anchor.multiprocessor), cycle: of, error };
}
