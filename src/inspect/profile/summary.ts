/** What a profile comes to: how much of their time warps wait, by role; what is waited for, and where. */
import type { ProfileData, ProfileLane, ProfileSpan } from "./types.ts";

/** The warps of one role, all of them together. */
export interface RoleShare {
  /** As in `lanes`. */
  readonly role: string;
  /** How many warps have it. */
  readonly warps: number;
  /** From the beginning of each warp to its end, summed. */
  readonly time: number;
  /** Of that, in waits. */
  readonly waiting: number;
}

/** Waits for one thing at one line. */
export interface WaitShare {
  /** Of the warps that waited. */
  readonly role: string;
  /** What was waited for. */
  readonly on: string;
  /** Of a barrier in an array of them: which one. */
  readonly stage: number | undefined;
  /** Index in `places`. */
  readonly place: number | undefined;
  /** How many waits. */
  readonly count: number;
  /** All of them together. */
  readonly time: number;
  /** The longest. */
  readonly longest: number;
}

/** Copies or products of one kind that one line issued. */
export interface WorkShare {
  /** A load, a store or a product. */
  readonly kind: ProfileSpan["kind"];
  /** As in `spans`. */
  readonly name: string;
  /** Index in `places`. */
  readonly place: number | undefined;
  /** How many there were. */
  readonly count: number;
  /** What they moved together. */
  readonly bytes: number;
  /** The shortest, from issue to landing. */
  readonly shortest: number;
  /** The mean of these times. */
  readonly mean: number;
  /** The longest. */
  readonly longest: number;
}

/** What `summarize` gives; each list with what took longest first. */
export interface ProfileSummary {
  /** How many blocks it is of, and how many the launch had: of a large launch on a GPU the first ones are recorded. */
  readonly blocks: {
    /** Blocks that it is of. */
    readonly recorded: number;
    /** Blocks that the launch had. */
    readonly launched: number;
  };
  /** Who is idle. */
  readonly roles: readonly RoleShare[];
  /** What is waited for. */
  readonly waits: readonly WaitShare[];
  /** Copies and products. */
  readonly work: readonly WorkShare[];
  /** The longest waits one by one: indices in `spans`. */
  readonly longestWaits: readonly number[];
}

/** So many of the longest waits are told one by one. */
const longestCount = 20;

function grouped<T>(items: Iterable<T>, key: (item: T) => string): readonly (readonly [T, ...T[]])[] {
  const found = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const known = found.get(key(item));
    if (known) known.push(item);
    else found.set(key(item), [item]);
  }
  return [...found.values()];
}

const lengthOf = ({ begin, end }: ProfileSpan): number => end - begin;
const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
const most = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.max(a, b), 0);

function shareOfWaits(spans: readonly [ProfileSpan, ...ProfileSpan[]], role: string): WaitShare {
  const [{ on, name, stage, place }] = spans;
  const times = spans.map(lengthOf);
  return { role, on: on ?? name, stage, place, count: spans.length, time: sum(times), longest: most(times) };
}

function shareOfWork(spans: readonly [ProfileSpan, ...ProfileSpan[]]): WorkShare {
  const [{ kind, name, place }] = spans;
  const times = spans.map(lengthOf);
  return {
    ...{ kind, name, place, count: spans.length },
    bytes: sum(spans.map(({ bytes }) => bytes ?? 0)),
    shortest: times.reduce((a, b) => Math.min(a, b)),
    mean: sum(times) / spans.length,
    longest: most(times),
  };
}

/** By row, the time that lies in any of the spans: where lanes of a warp wait for several things at once, it counts once. In order of their beginnings. */
function timesIn(spans: readonly ProfileSpan[]): ReadonlyMap<number, number> {
  const times = new Map<number, number>();
  const ends = new Map<number, number>();
  for (const { lane, begin, end } of spans) {
    const from = Math.max(begin, ends.get(lane) ?? begin);
    if (end > from) times.set(lane, (times.get(lane) ?? 0) + end - from);
    ends.set(lane, Math.max(end, ends.get(lane) ?? end));
  }
  return times;
}

/** Sums up a profile. */
export function summarize({
  lanes,
  spans,
  blocks,
  grid,
}: Pick<ProfileData, "lanes" | "spans" | "blocks" | "grid">): ProfileSummary {
  const roleOf = ({ lane }: ProfileSpan): string => lanes[lane]?.role ?? "";
  const waits = spans.filter(({ kind }) => kind === "wait");
  const waiting = timesIn(waits);
  const warps = lanes.flatMap((lane, i): [ProfileLane, number][] => (lane.kind === "warp" ? [[lane, waiting.get(i) ?? 0]] : []));
  const roles = grouped(warps, ([{ role }]) => role).map((own): RoleShare => {
    const time = sum(own.map(([{ begin, end }]) => end - begin));
    return { role: own[0][0].role, warps: own.length, time, waiting: sum(own.map(([, wait]) => wait)) };
  });
  const work = spans.filter(({ kind }) => kind === "load" || kind === "store" || kind === "product");
  const order = waits.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, longestCount);
  return {
    blocks: { recorded: blocks.length, launched: grid.reduce((a, b) => a * b) },
    roles: roles.toSorted((a, b) => b.waiting - a.waiting),
    waits: grouped(waits, (w) => JSON.stringify([roleOf(w), w.on, w.place]))
      .map((own) => shareOfWaits(own, roleOf(own[0])))
      .toSorted((a, b) => b.time - a.time),
    work: grouped(work, (w) => JSON.stringify([w.kind, w.name, w.place]))
      .map(shareOfWork)
      .toSorted((a, b) => b.count * b.mean - a.count * a.mean),
    longestWaits: order.map((wait) => spans.indexOf(wait)),
  };
}
