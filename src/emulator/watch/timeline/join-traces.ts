import type { LaunchTrace, TraceEvent } from "./events.ts";

/** A file that Perfetto and chrome://tracing open. */
export interface TraceFile {
  readonly displayTimeUnit: "ns";
  readonly otherData: Readonly<Record<string, string | number>>;
  readonly traceEvents: readonly TraceEvent[];
}

const clockNote =
  "One microsecond here is one tick of the emulator: an instruction of a warp. It is an order of events, not the time of a GPU.";

/** Between two launches. */
const gap = 10;

const largest = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.max(a, b), 0);

/** Launches one after the other, each with processes of its own. */
export function joinTraces(launches: readonly LaunchTrace[]): TraceFile {
  let [time, pids, ids] = [0, 0, 0];
  const shifted = (event: TraceEvent): TraceEvent => {
    const pid = event.pid + pids;
    if (event.ph === "M") return { ...event, pid };
    const ts = event.ts + time;
    return "id" in event ? { ...event, pid, ts, id: String(Number(event.id) + ids) } : { ...event, pid, ts };
  };
  const traceEvents: TraceEvent[] = [];
  for (const { events, ticks } of launches) {
    for (const event of events) traceEvents.push(shifted(event));
    time += ticks + gap;
    pids += largest(events.map((event) => event.pid));
    ids += largest(events.map((event) => ("id" in event ? Number(event.id) : 0)));
  }
  const dropped = launches.reduce((n, launch) => n + launch.dropped, 0);
  return { displayTimeUnit: "ns", otherData: { clock: clockNote, launches: launches.length, dropped }, traceEvents };
}
