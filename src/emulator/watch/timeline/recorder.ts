/** The profile of a launch as it grows, as much of it as there is room for. */
import { Places } from "../../../base/diag/index.ts";
import type { Dim3 } from "../../../base/types.ts";
import {
  type Deed,
  type ProfileArrow,
  type ProfileBlock,
  type ProfileCount,
  type ProfileData,
  type ProfileInstant,
  type ProfileLane,
  type ProfileSpan,
  roleAfter,
} from "../../../inspect/profile/index.ts";

type Changing<T> = { -readonly [K in keyof T]: T[K] };
/** A span whose end may still change. */
export type OpenSpan = Changing<ProfileSpan>;
export type OpenLane = Changing<ProfileLane>;

/** All that is recorded of a launch. */
export type Recorded = Pick<ProfileData, "blocks" | "lanes" | "places" | "spans" | "arrows" | "instants" | "counts">;

export class Recorder {
  readonly blocks: ProfileBlock[] = [];
  readonly lanes: OpenLane[] = [];
  readonly places = new Places();
  readonly #spans: OpenSpan[] = [];
  readonly #arrows: ProfileArrow[] = [];
  readonly #instants: ProfileInstant[] = [];
  readonly #counts: ProfileCount[] = [];
  readonly #deeds = new Map<number, Set<Deed>>();
  /** What has begun and not ended. */
  readonly #open = new Set<OpenSpan>();
  #room: number;
  dropped = 0;

  constructor(room: number) {
    this.#room = room;
  }

  /** There was no room for something. */
  drop(): void {
    this.dropped += 1;
  }

  #takes(): boolean {
    if (this.#room < 1) {
      this.drop();
      return false;
    }
    this.#room -= 1;
    return true;
  }

  block(index: Dim3, multiprocessor: number): number {
    return this.blocks.push({ index, multiprocessor }) - 1;
  }

  lane(kind: ProfileLane["kind"], block: number, warp: number, begin: number): number {
    return this.lanes.push({ kind, block, warp, role: "", begin, end: begin }) - 1;
  }

  /** What a warp is for, as its kernel says. */
  play(lane: number, role: string): void {
    const own = this.lanes[lane];
    if (own) own.role = role;
  }

  did(lane: number, deed: Deed): void {
    const deeds = this.#deeds.get(lane) ?? new Set<Deed>();
    this.#deeds.set(lane, deeds.add(deed));
  }

  /** Its end may still change. */
  span(span: ProfileSpan): OpenSpan | undefined {
    if (!this.#takes()) return undefined;
    const kept: OpenSpan = { ...span };
    this.#spans.push(kept);
    return kept;
  }

  /** Gives what ends it. */
  begin(span: Omit<ProfileSpan, "end">): ((end: number) => void) | undefined {
    const begun = this.span({ ...span, end: span.begin });
    if (!begun) return undefined;
    this.#open.add(begun);
    return (end) => {
      if (this.#open.delete(begun)) begun.end = Math.max(end, begun.begin);
    };
  }

  instant(lane: number, name: string, at: number): void {
    if (this.#takes()) this.#instants.push({ lane, name, at });
  }

  count(lane: number, name: string, at: number, values: ProfileCount["values"]): void {
    if (this.#takes()) this.#counts.push({ lane, name, at, values });
  }

  arrow(from: ProfileArrow["from"], to: ProfileArrow["to"]): void {
    if (this.#takes()) this.#arrows.push({ from, to });
  }

  /** It is no span any more, though it has taken the room of one. */
  forget(span: OpenSpan): void {
    span.end = span.begin;
  }

  #roleOf(lane: number): string {
    return roleAfter((deed) => this.#deeds.get(lane)?.has(deed) === true);
  }

  /** All of it; what has not ended ends now. */
  finish(now: number): Recorded {
    for (const span of this.#open) Object.assign(span, { end: Math.max(now, span.begin), open: true });
    for (const [i, lane] of this.lanes.entries()) if (lane.kind === "warp" && lane.role === "") lane.role = this.#roleOf(i);
    return {
      blocks: this.blocks,
      lanes: this.lanes,
      places: this.places.list,
      spans: this.#spans.filter((s) => s.end > s.begin || s.open).toSorted((a, b) => a.begin - b.begin),
      arrows: this.#arrows,
      instants: this.#instants.toSorted((a, b) => a.at - b.at),
      counts: this.#counts.toSorted((a, b) => a.at - b.at),
    };
  }
}
