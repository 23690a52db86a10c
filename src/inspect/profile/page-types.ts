import type { ProfileSummary } from "./summary.ts";
import type { ProfileBlock, ProfileData, ProfileLane } from "./types.ts";

/** Spans by columns. `name`, `place` and `known` are indices in lists of the page; -1 where there is nothing. */
export interface PageSpans {
  /** Index in `kinds` of lanes.js. */
  readonly kind: readonly number[];
  readonly name: readonly number[];
  readonly lane: readonly number[];
  readonly begin: readonly number[];
  readonly end: readonly number[];
  readonly place: readonly number[];
  readonly known: readonly number[];
}

/** A launch as the page has it. */
export interface PageLaunch
  extends Pick<ProfileData, "kernel" | "device" | "grid" | "block" | "cluster" | "unit" | "duration" | "dropped" | "unpaired"> {
  readonly blocks: readonly ProfileBlock[];
  readonly lanes: readonly ProfileLane[];
  readonly spans: PageSpans;
  /** Four numbers each: lane and time where it begins, lane and time where it ends. */
  readonly arrows: readonly number[];
  readonly summary: ProfileSummary;
  /** What is not there, or not exact: how many blocks of how many were recorded. */
  readonly notes: readonly string[];
}

/** What the page shows: src/inspect/profile/page/page.js reads it. */
export interface PageData {
  readonly launches: readonly PageLaunch[];
  readonly names: readonly string[];
  /** File, line, column, length. */
  readonly places: readonly (readonly [file: number, line: number, column: number, length: number])[];
  /** Of each file its lines that something comes from, by number. */
  readonly files: readonly { readonly name: string; readonly lines: Readonly<Record<number, string>> }[];
  /** What else is known of spans: labels and values. */
  readonly known: readonly Readonly<Record<string, string | number>>[];
}
