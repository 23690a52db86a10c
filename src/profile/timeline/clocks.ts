/**
 * Clocks of multiprocessors as nanoseconds. Each warp reads both clocks when it begins and when it ends. `%globaltimer` is one for all, and
 * moves in steps; `%clock` counts cycles of its multiprocessor, and has 32 bits. All multiprocessors run at one frequency, so all pairs together
 * give the length of a cycle, and those of a multiprocessor its beginning.
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
  /** Nanoseconds of a cycle. */
  readonly cycle: number;
  /** The most that an anchor is off, in nanoseconds. */
  readonly error: number;
}

const wrap = 2 ** 32;
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
  let [both, square] = [0, 0];
  for (const { points, clock, time } of all)
    for (const point of points) {
      both += (point.clock - clock) * (point.time - time);
      square += (point.clock - clock) ** 2;
    }
  const cycle = square > 0 && both > 0 ? both / square : 1 / about;
  const places = new Map<Anchor, number>();
  let error = 0;
  for (const { points, clock, time } of all)
    for (const point of points) {
      const at = time + (point.clock - clock) * cycle;
      places.set(point.anchor, at);
      error = Math.max(error, Math.abs(at - point.time));
    }
  return { at: (anchor, cycles) => (places.get(anchor) ?? 0) + cycles * cycle, cycle, error };
}
