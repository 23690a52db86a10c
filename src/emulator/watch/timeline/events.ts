/** The Trace Event Format of Chrome, as Perfetto reads it: the kinds of events that a timeline has. */

interface EventBase {
  readonly name: string;
  /** A block. */
  readonly pid: number;
  /** A warp, or one of `landingTrack` and `barrierTrack`. */
  readonly tid: number;
  /** Ticks, written as microseconds. */
  readonly ts: number;
  readonly args?: Readonly<Record<string, string | number>>;
}
export interface Slice extends EventBase {
  readonly ph: "X";
  dur: number;
}
export interface Instant extends EventBase {
  readonly ph: "i";
  readonly s: "t";
}
export interface Counter extends EventBase {
  readonly ph: "C";
  readonly args: Readonly<Record<string, number>>;
}
/** What has a beginning and an end on a track of its own. */
export interface AsyncEvent extends EventBase {
  readonly ph: "b" | "e";
  readonly cat: "copy" | "wgmma" | "group";
  readonly id: string;
}
/** The two ends of an arrow; each lies in a slice. */
export interface FlowEvent extends EventBase {
  readonly ph: "s" | "f";
  readonly cat: "flow";
  readonly id: string;
  readonly bp?: "e";
}
export interface Metadata {
  readonly ph: "M";
  readonly name: "process_name" | "thread_name";
  readonly pid: number;
  readonly tid: number;
  readonly args: { readonly name: string };
}
export type TimedEvent = Slice | Instant | Counter | AsyncEvent | FlowEvent;
export type TraceEvent = TimedEvent | Metadata;

/** What a block has beside its warps, of which there are at most 32. */
export const landingTrack = 100;
export const barrierTrack = 101;

/** One launch. */
export interface LaunchTrace {
  readonly kernel: string;
  /** In order of time, metadata first. */
  readonly events: readonly TraceEvent[];
  /** When the last warp ended. */
  readonly ticks: number;
  /** Events that there was no room for. */
  readonly dropped: number;
}

/** Who takes the timelines of launches. */
export interface TraceSink {
  /** Events that it still has room for: asked before each launch. */
  room(): number;
  take(trace: LaunchTrace): void;
}

/** Where an arrow begins: `ts` lies in a slice. */
export interface Origin {
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
}

/** Events as they happen, as many as there is room for. */
export class EventList {
  readonly #events: TimedEvent[] = [];
  readonly #metadata: Metadata[] = [];
  #room: number;
  #ids = 0;
  /** What has begun and not ended. */
  readonly #open = new Set<AsyncEvent>();
  dropped = 0;

  constructor(room: number) {
    this.#room = room;
  }

  #takes(count: number): boolean {
    if (this.#room < count) {
      this.dropped += count;
      return false;
    }
    this.#room -= count;
    return true;
  }

  nameTrack(kind: "process" | "thread", pid: number, tid: number, name: string): void {
    if (this.#takes(1)) this.#metadata.push({ ph: "M", name: `${kind}_name`, pid, tid, args: { name } });
  }

  /** Its length may still grow. */
  slice(pid: number, tid: number, name: string, ts: number, dur: number): Slice | undefined {
    if (!this.#takes(1)) return undefined;
    const slice: Slice = { ph: "X", name, pid, tid, ts, dur };
    this.#events.push(slice);
    return slice;
  }

  instant(pid: number, tid: number, name: string, ts: number): void {
    if (this.#takes(1)) this.#events.push({ ph: "i", name, pid, tid, ts, s: "t" });
  }

  counter(pid: number, name: string, ts: number, args: Counter["args"]): void {
    if (this.#takes(1)) this.#events.push({ ph: "C", name, pid, tid: barrierTrack, ts, args });
  }

  /** Gives what ends it; there is always room for that. */
  begin(head: Omit<AsyncEvent, "ph" | "id">): ((ts: number) => void) | undefined {
    if (!this.#takes(2)) return undefined;
    const begun: AsyncEvent = { ph: "b", id: String(++this.#ids), ...head };
    this.#events.push(begun);
    this.#open.add(begun);
    return (ts) => this.#end(begun, ts);
  }

  #end(begun: AsyncEvent, ts: number): void {
    const { name, pid, tid, cat, id } = begun;
    if (this.#open.delete(begun)) this.#events.push({ ph: "e", name, pid, tid, cat, id, ts: Math.max(ts, begun.ts) });
  }

  arrow(name: string, from: Origin, to: Origin): void {
    if (!this.#takes(2)) return;
    const id = String(++this.#ids);
    this.#events.push({ ph: "s", name, cat: "flow", id, ...from });
    this.#events.push({ ph: "f", name, cat: "flow", id, bp: "e", ...to });
  }

  /** It is no event any more, though it has taken the room of one. */
  forget(slice: Slice): void {
    slice.dur = 0;
  }

  /** All of them; what has not ended ends now. */
  finish(now: number): readonly TraceEvent[] {
    for (const begun of this.#open) this.#end(begun, now);
    return [...this.#metadata, ...this.#events.filter((e) => e.ph !== "X" || e.dur > 0).toSorted((a, b) => a.ts - b.ts)];
  }
}
