/** Profiles in the Trace Event Format of Chrome, as Perfetto reads it. */
import type { ProfileData, ProfileLane, ProfileSpan, ProfileUnit } from "./types.ts";

interface EventBase {
  readonly name: string;
  /** A block. */
  readonly pid: number;
  /** A warp, or one of `besideTracks`. */
  readonly tid: number;
  /** Microseconds; of the emulator ticks. */
  readonly ts: number;
  readonly args?: Readonly<Record<string, string | number>>;
}
interface Slice extends EventBase {
  readonly ph: "X";
  readonly dur: number;
}
interface Instant extends EventBase {
  readonly ph: "i";
  readonly s: "t";
}
interface Counter extends EventBase {
  readonly ph: "C";
}
/** What has a beginning and an end on a track of its own. */
interface AsyncEvent extends EventBase {
  readonly ph: "b" | "e";
  readonly cat: ProfileSpan["kind"];
  readonly id: string;
}
/** The two ends of an arrow; each lies in a slice. */
interface FlowEvent extends EventBase {
  readonly ph: "s" | "f";
  readonly cat: "flow";
  readonly id: string;
  readonly bp?: "e";
}
interface Metadata {
  readonly ph: "M";
  readonly name: "process_name" | "thread_name";
  readonly pid: number;
  readonly tid: number;
  readonly args: { readonly name: string };
}
type TimedEvent = Slice | Instant | Counter | AsyncEvent | FlowEvent;
/** An event of a trace. */
export type TraceEvent = TimedEvent | Metadata;

/** A file that Perfetto and chrome://tracing open. */
export interface TraceFile {
  readonly displayTimeUnit: "ns";
  readonly otherData: Readonly<Record<string, string | number>>;
  readonly traceEvents: readonly TraceEvent[];
}

const clockNotes: Readonly<Record<ProfileUnit, string>> = {
  ticks:
    "One microsecond here is one tick of the emulator: an instruction of a warp. It is an order of events, not the time of a GPU.",
  ns: "Nanoseconds of the GPU's global timer, from the beginning of the launch.",
};

/** What a block has beside its warps, of which there are at most 32. */
const besideTracks = { landings: 100, barriers: 101 } as const;

/** Between two launches. */
const gap = 10;

/** These are slices of their track; the others overlap, and get tracks of their own. */
const isSlice = ({ kind }: ProfileSpan): boolean => kind === "code" || kind === "wait" || kind === "landing";

const baseName = (path: string): string => path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);

class Writer {
  readonly timed: TimedEvent[] = [];
  readonly metadata: Metadata[] = [];
  #ids = 0;
  #pids = 0;
  #time = 0;

  #track(lane: ProfileLane | undefined): { readonly pid: number; readonly tid: number } {
    if (!lane) return { pid: this.#pids, tid: 0 };
    return { pid: this.#pids + 1 + lane.block, tid: lane.kind === "warp" ? lane.warp : besideTracks[lane.kind] };
  }

  #names({ kernel, blocks, lanes }: ProfileData): void {
    for (const [i, { index }] of blocks.entries()) {
      const name = `${kernel} block (${index.join(", ")})`;
      this.metadata.push({ ph: "M", name: "process_name", pid: this.#pids + 1 + i, tid: 0, args: { name } });
    }
    for (const lane of lanes) {
      const called = { warp: `warp ${lane.warp}`, landings: "landings", barriers: "mbarriers" }[lane.kind];
      const name = lane.role === "" ? called : `${called}: ${lane.role}`;
      this.metadata.push({ ph: "M", name: "thread_name", ...this.#track(lane), args: { name } });
    }
  }

  #span(span: ProfileSpan, profile: ProfileData, at: (time: number) => number, scale: number): void {
    const { kind, bytes, details, open } = span;
    const place = span.place === undefined ? undefined : profile.places[span.place];
    const known = {
      ...(bytes !== undefined && { bytes }),
      ...details,
      ...(place && { line: `${baseName(place.file)}:${place.line}` }),
    };
    const args = kind === "code" || Object.keys(known).length === 0 ? {} : { args: known };
    const track = this.#track(profile.lanes[span.lane]);
    const name = kind === "wait" ? `waits: ${span.name}${open ? " (in vain)" : ""}` : span.name;
    if (isSlice(span)) {
      this.timed.push({ ph: "X", name, ...track, ts: at(span.begin), dur: (span.end - span.begin) / scale, ...args });
      return;
    }
    const id = String(++this.#ids);
    this.timed.push({ ph: "b", name, cat: kind, id, ...track, ts: at(span.begin), ...args });
    this.timed.push({ ph: "e", name, cat: kind, id, ...track, ts: at(span.end) });
  }

  launch(profile: ProfileData): void {
    const scale = profile.unit === "ns" ? 1000 : 1;
    const at = (time: number): number => this.#time + time / scale;
    this.#names(profile);
    const track = (lane: number) => this.#track(profile.lanes[lane]);
    for (const span of profile.spans) this.#span(span, profile, at, scale);
    for (const { lane, name, at: time } of profile.instants)
      this.timed.push({ ph: "i", name, ...track(lane), ts: at(time), s: "t" });
    for (const { lane, name, at: time, values } of profile.counts)
      this.timed.push({ ph: "C", name, ...track(lane), ts: at(time), args: values });
    for (const { from, to } of profile.arrows) {
      const head = { name: "ends the wait", cat: "flow", id: String(++this.#ids) } as const;
      this.timed.push({ ph: "s", ...head, ...track(from.lane), ts: at(from.at) });
      this.timed.push({ ph: "f", ...head, bp: "e", ...track(to.lane), ts: at(to.at) });
    }
    this.#time = at(profile.duration) + gap;
    this.#pids += profile.blocks.length;
  }
}

/** Launches one after the other, each with processes of its own. */
export function chromeTrace(profiles: readonly ProfileData[]): TraceFile {
  const writer = new Writer();
  for (const profile of profiles) writer.launch(profile);
  const clock = [...new Set(profiles.map(({ unit }) => clockNotes[unit]))].join(" ");
  const dropped = profiles.reduce((n, profile) => n + profile.dropped, 0);
  const notes = profiles.flatMap((profile, i) => (profile.notes ?? []).map((note) => `${i + 1}. ${profile.kernel}: ${note}`));
  const traceEvents = [...writer.metadata, ...writer.timed.toSorted((a, b) => a.ts - b.ts)];
  return {
    displayTimeUnit: "ns",
    otherData: { clock, launches: profiles.length, dropped, ...(notes.length > 0 && { notes: notes.join("; ") }) },
    traceEvents,
  };
}
