/**
 * The clocks of the warps. A warp's goes on by a tick for each instruction, and to the time of what it has waited for, where that
 * is later: an order of causes, not the time of a GPU.
 */

import { noSpans, type Spans } from "../../../base/diag/index.ts";
import type { ProfileSpan } from "../../../inspect/profile/index.ts";
import type { Executed } from "../../machine/monitor.ts";
import type { Block, Cluster, Warp } from "../../machine/warp.ts";
import type { Program } from "../../program/program.ts";
import { hasTrait } from "../../program/traits.ts";
import type { OpenSpan, Recorder } from "./recorder.ts";

/** Instructions that follow each other on one line. */
interface Run {
  readonly line: string;
  readonly place: number | undefined;
  readonly count: number;
}

/** Lanes that have been refused at an operation. */
interface Parked {
  readonly step: Executed;
  readonly mask: number;
}

export interface Track {
  readonly lane: number;
  clock: number;
  /** The line that it is on. */
  slice: OpenSpan | undefined;
  parked: readonly Parked[];
  /** A wait that has been refused. */
  refused: Refused | undefined;
}

/** What a wait is for, and what it is called. */
export interface Awaited extends Pick<ProfileSpan, "stage" | "phase"> {
  readonly name: string;
  readonly on: string;
}

interface Refused {
  readonly what: Awaited;
  /** How the track was when it was refused. */
  readonly clock: number;
  readonly slice: OpenSpan | undefined;
  readonly end: number;
  /** Where the wait is. */
  readonly place: number | undefined;
  /** Spans of lines since then. */
  readonly slices: OpenSpan[];
  /** Something has come of them. */
  noticed: boolean;
}

/** Instructions between two looks at a barrier that are nothing but the loop around the look. */
const loopLength = 16;

/** Where an arrow begins: `at` lies in a span. */
export interface Origin {
  readonly lane: number;
  readonly at: number;
}

/** Something that others may wait for, and by what it came about. */
export interface Moment {
  readonly time: number;
  readonly origin: Origin | undefined;
}
export const never: Moment = { time: 0, origin: undefined };
export const later = (a: Moment, b: Moment): Moment => (b.time > a.time ? b : a);

/** The first index at which a sorted list is above a value. */
function firstAbove(sorted: readonly number[], value: number): number {
  const index = sorted.findIndex((one) => one > value);
  return index < 0 ? sorted.length : index;
}

const baseName = (path: string): string => path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);

/** What a block has beside its warps. */
export interface Beside {
  readonly landings: number;
  readonly barriers: number;
}

export class Tracks {
  readonly #program: Program;
  readonly #recorder: Recorder;
  readonly #tracks = new Map<Warp, Track>();
  readonly #beside = new Map<Block, Beside>();
  readonly #hasSource: boolean;
  readonly #runs = new Map<Executed, readonly Run[]>();
  /** When each cluster that has begun and not ended has got where it is. */
  readonly #times = new Map<Cluster, { now: number }>();
  /** When the room of clusters that have ended became free, the earliest first. */
  readonly #free: number[];
  /** Steps so far, of all warps. */
  serial = 0;
  /** The latest time that any warp has come to. */
  now = 0;

  /** `resident`: clusters that have room at a time. */
  constructor(program: Program, recorder: Recorder, resident: number) {
    this.#program = program;
    this.#recorder = recorder;
    this.#free = Array.from({ length: resident }, () => 0);
    this.#hasSource = hasTrait(program, "namesLines");
  }

  /** Where the machine has room: at once, or when a cluster before it has ended. */
  beginCluster(cluster: Cluster): void {
    const now = this.#free.shift() ?? this.now;
    this.#times.set(cluster, { now });
    for (const block of cluster.blocks) this.#begin(block, now);
  }

  endCluster(cluster: Cluster): void {
    for (const block of cluster.blocks) this.#end(block);
    const now = this.nowIn(cluster);
    this.#free.splice(firstAbove(this.#free, now), 0, now);
    this.#times.delete(cluster);
  }

  /** The latest time that any warp of the cluster has come to. */
  nowIn(cluster: Cluster): number {
    return this.#times.get(cluster)?.now ?? this.now;
  }

  #comesTo(cluster: Cluster, time: number): void {
    const own = this.#times.get(cluster);
    if (own && time > own.now) own.now = time;
    if (time > this.now) this.now = time;
  }

  #begin(block: Block, now: number): void {
    const number = this.#recorder.block(block.index, block.sm);
    for (const warp of block.warps) {
      const lane = this.#recorder.lane("warp", number, warp.index, now);
      this.#tracks.set(warp, { lane, clock: now, slice: undefined, parked: [], refused: undefined });
    }
    this.#beside.set(block, {
      landings: this.#recorder.lane("landings", number, -1, now),
      barriers: this.#recorder.lane("barriers", number, -1, now),
    });
  }

  of(warp: Warp): Track {
    const track = this.#tracks.get(warp);
    if (!track) throw new Error("a warp of no cluster that has begun");
    return track;
  }

  beside(block: Block): Beside {
    const found = this.#beside.get(block);
    if (!found) throw new Error("a block of no cluster that has begun");
    return found;
  }

  get all(): Iterable<Track> {
    return this.#tracks.values();
  }

  #end(block: Block): void {
    for (const warp of block.warps) {
      this.#over(this.#tracks.get(warp));
      this.#tracks.delete(warp);
    }
    this.#beside.delete(block);
  }

  #over(track: Track | undefined): void {
    const lane = track && this.#recorder.lanes[track.lane];
    if (lane) lane.end = track.clock;
  }

  /** Of the warps that have not ended: the launch has failed. */
  endAll(): void {
    for (const track of this.all) this.#over(track);
  }

  step(warp: Warp, mask: number, step: Executed): void {
    const track = this.of(warp);
    this.serial += 1;
    if (track.parked.some((p) => p.step === step && p.mask === mask)) return;
    track.parked = track.parked.filter((p) => (p.mask & mask) === 0);
    if (step.kind === "operation") track.parked = [...track.parked, { step, mask }];
    for (const run of this.#runsOf(step)) this.#advance(track, run);
    this.#comesTo(warp.block.cluster, track.clock);
  }

  #advance(track: Track, { line, place, count }: Run): void {
    const { slice, clock, lane } = track;
    if (slice?.name === line && slice.end === clock) slice.end += count;
    else {
      const at = place === undefined ? {} : { place };
      track.slice = this.#recorder.span({ kind: "code", name: line, lane, begin: clock, end: clock + count, ...at });
      if (track.slice) track.refused?.slices.push(track.slice);
    }
    track.clock = clock + count;
  }

  /** Now, and the slice that the warp is in. */
  moment(warp: Warp): Moment {
    const track = this.of(warp);
    if (track.refused) track.refused.noticed = true;
    const { lane, clock } = track;
    return { time: clock, origin: { lane, at: clock - 1 } };
  }

  /** The warp must wait; where it looks again and again, that is one wait. */
  refuse(warp: Warp, what: Awaited): void {
    const track = this.of(warp);
    const { refused } = track;
    if (refused?.what.name === what.name && !refused.noticed && track.clock - refused.clock <= loopLength) {
      for (const slice of refused.slices) this.#recorder.forget(slice);
      refused.slices.length = 0;
      track.clock = refused.clock;
      track.slice = refused.slice;
      if (refused.slice) refused.slice.end = refused.end;
      return;
    }
    const { clock, slice } = track;
    const place = this.placeAt(warp.at);
    track.refused = { what, clock, slice, end: slice?.end ?? 0, place, slices: [], noticed: false };
  }

  /** The warp has waited for something. */
  join(warp: Warp, { time, origin }: Moment, what: Awaited): void {
    const track = this.of(warp);
    const place = track.refused?.place ?? this.placeAt(warp.at);
    track.refused = undefined;
    const { lane, clock } = track;
    if (time <= clock) return;
    this.#wait(lane, what, place, clock, time);
    if (origin && origin.lane !== lane) this.#recorder.arrow(origin, { lane, at: time - 0.5 });
    track.clock = time;
    track.slice = undefined;
    this.#comesTo(warp.block.cluster, time);
  }

  #wait(lane: number, what: Awaited, place: number | undefined, begin: number, end: number): OpenSpan | undefined {
    return this.#recorder.span({ kind: "wait", lane, begin, end, ...what, ...(place === undefined ? {} : { place }) });
  }

  /** Waits of warps that have not ended, until now. */
  stuck(): void {
    for (const { lane, clock, refused } of this.all) {
      const span = refused && this.#wait(lane, refused.what, refused.place, clock, Math.max(this.now, clock + 1));
      if (span) span.open = true;
    }
  }

  spansOf(place: number | undefined): Spans {
    const span = place === undefined ? undefined : this.#recorder.places.list[place];
    return span ? [span] : noSpans;
  }

  /** Where the author wrote an instruction; undefined where no line of the author stands for it, though there are some. */
  placeAt(at: number): number | undefined {
    if (this.#hasSource && !this.#program.instructions[at]?.loc) return undefined;
    return this.#recorder.places.of(this.#program.placeOf(at)[0]);
  }

  /** The author's; what no line of the author stands for goes by the name of the kernel, where others have one. */
  lineOf(at: number): string {
    const place = this.placeAt(at);
    const span = place === undefined ? undefined : this.#recorder.places.list[place];
    if (!span) return this.#program.name;
    return `${baseName(span.file)}:${span.line}`;
  }

  #runsOf(step: Executed): readonly Run[] {
    const known = this.#runs.get(step);
    if (known) return known;
    const instructions = step.kind === "segment" ? step.instructions : [step.instruction];
    const runs: (Run & { count: number })[] = [];
    for (const { index } of instructions) {
      const line = this.lineOf(index);
      const last = runs.at(-1);
      if (last?.line === line) last.count += 1;
      else runs.push({ line, place: this.placeAt(index), count: 1 });
    }
    this.#runs.set(step, runs);
    return runs;
  }
}
