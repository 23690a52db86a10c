/** What Perfetto wants of a file in Chrome's Trace Event Format, as far as timelines use it: everything that is wrong in one. */
import type { TraceEvent, TraceFile } from "../../../src/inspect/profile/index.ts";

type Timed = Exclude<TraceEvent, { ph: "M" }>;
type Slice = Extract<TraceEvent, { ph: "X" }>;

const trackOf = (event: TraceEvent): string => `${event.pid}/${event.tid}`;

function groups<T>(items: readonly T[], key: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) found.set(key(item), [...(found.get(key(item)) ?? []), item]);
  return found;
}

/** Two slices of a track are apart, or one is in the other. */
function overlaps(slices: readonly Slice[]): string[] {
  const wrong: string[] = [];
  const open: Slice[] = [];
  for (const slice of slices) {
    while (open.length > 0 && (open.at(-1)?.ts ?? 0) + (open.at(-1)?.dur ?? 0) <= slice.ts) open.pop();
    const around = open.at(-1);
    if (around && around.ts + around.dur < slice.ts + slice.dur)
      wrong.push(`${slice.name} at ${slice.ts} crosses ${around.name}`);
    open.push(slice);
  }
  return wrong;
}

function pairs(timed: readonly Timed[], first: string, second: string): string[] {
  const ends = timed.filter((e) => e.ph === first || e.ph === second);
  return [...groups(ends, (e) => `${"cat" in e ? e.cat : ""}/${"id" in e ? e.id : ""}`)].flatMap(([key, [a, b, ...more]]) => {
    if (!a || !b || more.length > 0 || a.ph !== first || b.ph !== second) return [`${first} and ${second} of ${key} are no pair`];
    return a.ts > b.ts ? [`${key} ends before it begins`] : [];
  });
}

/** Empty where the file is as it should be. */
export function faultsOf(file: TraceFile): readonly string[] {
  const events = (JSON.parse(JSON.stringify(file)) as TraceFile).traceEvents;
  const timed = events.filter((e): e is Timed => e.ph !== "M");
  const slices = timed.filter((e): e is Slice => e.ph === "X");
  const bySlices = groups(slices, trackOf);
  const named = new Set(events.flatMap((e) => (e.ph === "M" ? [e.name === "process_name" ? String(e.pid) : trackOf(e)] : [])));
  const inSlice = (e: Timed): boolean => (bySlices.get(trackOf(e)) ?? []).some((s) => s.ts <= e.ts && e.ts <= s.ts + s.dur);
  return [
    ...timed.filter((e) => !(Number.isFinite(e.ts) && e.ts >= 0)).map((e) => `${e.name} has no time`),
    ...slices.filter((s) => !(s.dur > 0)).map((s) => `${s.name} at ${s.ts} has no length`),
    ...[...groups(timed, trackOf)].flatMap(([track, all]) =>
      all.some((e, i) => e.ts < (all[i - 1]?.ts ?? 0)) ? [`time goes back on ${track}`] : [],
    ),
    ...[...bySlices.values()].flatMap(overlaps),
    ...pairs(timed, "b", "e"),
    ...pairs(timed, "s", "f"),
    ...timed.filter((e) => (e.ph === "s" || e.ph === "f") && !inSlice(e)).map((e) => `${e.ph} at ${e.ts} lies in no slice`),
    ...timed.filter((e) => !named.has(String(e.pid))).map((e) => `process ${e.pid} has no name`),
    ...slices.filter((s) => !named.has(trackOf(s))).map((s) => `${trackOf(s)} has no name`),
  ];
}
