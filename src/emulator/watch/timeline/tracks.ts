/**
 * The clocks of the warps. A warp's goes on by a tick for each instruction, and to the time of what it has waited for, where that
 * is later: an order of causes, not the time of a GPU.
 */

import type { Executed } from "../../machine/monitor.ts";
import type { Block, Warp } from "../../machine/warp.ts";
import type { Program } from "../../program/program.ts";
import { barrierTrack, type EventList, landingTrack, type Origin, type Slice } from "./events.ts";

/** Instructions that follow each other on one line. */
interface Run {
  readonly line: string;
  readonly count: number;
}

/** Lanes that have been refused at an operation. */
interface Parked {
  readonly step: Executed;
  readonly mask: number;
}

export interface Track {
  readonly pid: number;
  readonly tid: number;
  clock: number;
  /** The line that it is on. */
  slice: Slice | undefined;
  parked: readonly Parked[];
  /** A wait that has been refused. */
  refused: Refused | undefined;
}

interface Refused {
  readonly what: string;
  /** How the track was when it was refused. */
  readonly clock: number;
  readonly slice: Slice | undefined;
  readonly length: number;
  /** Slices since then. */
  readonly slices: Slice[];
  /** Something has come of them. */
  noticed: boolean;
}

/** Instructions between two looks at a barrier that are nothing but the loop around the look. */
const loopLength = 16;

/** Something that others may wait for, and by what it came about. */
export interface Moment {
  readonly time: number;
  readonly origin: Origin | undefined;
}
export const never: Moment = { time: 0, origin: undefined };
export const later = (a: Moment, b: Moment): Moment => (b.time > a.time ? b : a);

const baseName = (path: string): string => path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);

export class Tracks {
  readonly #program: Program;
  readonly #events: EventList;
  readonly #tracks = new Map<Warp, Track>();
  readonly #hasSource: boolean;
  readonly #runs = new Map<Executed, readonly Run[]>();
  /** Steps so far, of all warps. */
  serial = 0;
  /** The latest time that any warp has come to. */
  now = 0;

  constructor(program: Program, events: EventList) {
    this.#program = program;
    this.#events = events;
    this.#hasSource = program.instructions.some((i) => i.loc !== undefined);
  }

  begin(block: Block, pid: number, launch: string): void {
    this.#events.nameTrack("process", pid, 0, `${launch} block (${block.index.join(", ")})`);
    this.#events.nameTrack("thread", pid, landingTrack, "landings");
    this.#events.nameTrack("thread", pid, barrierTrack, "mbarriers");
    const { now } = this;
    for (const warp of block.warps) {
      this.#events.nameTrack("thread", pid, warp.index, `warp ${warp.index}`);
      this.#tracks.set(warp, { pid, tid: warp.index, clock: now, slice: undefined, parked: [], refused: undefined });
    }
  }

  of(warp: Warp): Track {
    const track = this.#tracks.get(warp);
    if (!track) throw new Error("a warp of no cluster that has begun");
    return track;
  }

  get all(): Iterable<Track> {
    return this.#tracks.values();
  }

  end(block: Block): void {
    for (const warp of block.warps) this.#tracks.delete(warp);
  }

  step(warp: Warp, mask: number, step: Executed): void {
    const track = this.of(warp);
    this.serial += 1;
    if (track.parked.some((p) => p.step === step && p.mask === mask)) return;
    track.parked = track.parked.filter((p) => (p.mask & mask) === 0);
    if (step.kind === "operation") track.parked = [...track.parked, { step, mask }];
    for (const { line, count } of this.#runsOf(step)) this.#advance(track, line, count);
  }

  #advance(track: Track, line: string, count: number): void {
    const { slice, clock } = track;
    if (slice?.name === line && slice.ts + slice.dur === clock) slice.dur += count;
    else {
      track.slice = this.#events.slice(track.pid, track.tid, line, clock, count);
      if (track.slice) track.refused?.slices.push(track.slice);
    }
    track.clock = clock + count;
    if (track.clock > this.now) this.now = track.clock;
  }

  /** Now, and the slice that the warp is in. */
  moment(warp: Warp): Moment {
    const track = this.of(warp);
    if (track.refused) track.refused.noticed = true;
    const { pid, tid, clock } = track;
    return { time: clock, origin: { pid, tid, ts: clock - 1 } };
  }

  /** The warp must wait; where it looks again and again, that is one wait. */
  refuse(warp: Warp, what: string): void {
    const track = this.of(warp);
    const { refused } = track;
    if (refused?.what === what && !refused.noticed && track.clock - refused.clock <= loopLength) {
      for (const slice of refused.slices) this.#events.forget(slice);
      refused.slices.length = 0;
      track.clock = refused.clock;
      track.slice = refused.slice;
      if (refused.slice) refused.slice.dur = refused.length;
      return;
    }
    const { clock, slice } = track;
    track.refused = { what, clock, slice, length: slice?.dur ?? 0, slices: [], noticed: false };
  }

  /** The warp has waited for something. */
  join(warp: Warp, { time, origin }: Moment, what: string): void {
    const track = this.of(warp);
    track.refused = undefined;
    const { pid, tid, clock } = track;
    if (time <= clock) return;
    this.#events.slice(pid, tid, what, clock, time - clock);
    if (origin && (origin.pid !== pid || origin.tid !== tid))
      this.#events.arrow("ends the wait", origin, { pid, tid, ts: time - 0.5 });
    track.clock = time;
    track.slice = undefined;
    if (time > this.now) this.now = time;
  }

  /** The author's; what no line of the author stands for goes by the name of the kernel, where others have one. */
  lineOf(at: number): string {
    const { name, instructions } = this.#program;
    const [span] = this.#program.placeOf(at);
    if (!span || (this.#hasSource && !instructions[at]?.loc)) return name;
    return `${baseName(span.file)}:${span.line}`;
  }

  #runsOf(step: Executed): readonly Run[] {
    const known = this.#runs.get(step);
    if (known) return known;
    const instructions = step.kind === "segment" ? step.instructions : [step.instruction];
    const runs: { line: string; count: number }[] = [];
    for (const { index } of instructions) {
      const line = this.lineOf(index);
      const last = runs.at(-1);
      if (last?.line === line) last.count += 1;
      else runs.push({ line, count: 1 });
    }
    this.#runs.set(step, runs);
    return runs;
  }
}
