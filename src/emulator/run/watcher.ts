/** Who may watch launches: the floor above, checks and a timeline. What runs goes on without. */
import type { MarkRecord, ProfileSink } from "../../inspect/profile/index.ts";
import type { NamedMemory } from "../../runtime/index.ts";
import type { Triple } from "../machine/launch.ts";
import type { Region } from "../machine/memory.ts";
import type { Monitor } from "../machine/monitor.ts";
import type { Warp } from "../machine/warp.ts";
import type { Program } from "../program/program.ts";
import type { Reports } from "./reports.ts";

/** A launch that begins. */
export interface WatchedLaunch {
  readonly program: Program;
  readonly grid: Triple;
  readonly block: Triple;
  readonly cluster: Triple;
  readonly memories?: readonly NamedMemory[] | undefined;
  /** Clusters that have room on the machine at a time. */
  readonly resident: number;
  /** Who takes its profile, beside whoever takes those of all launches. */
  readonly profile?: ProfileSink | undefined;
  /** What its own marks have recorded, once it has ended. */
  readonly marks?: (() => readonly MarkRecord[]) | undefined;
  /** What the watcher of the launch before it in the stream has left, if nothing has come between. */
  readonly before: object | undefined;
  /** It may begin before the one before it has ended: programmatic dependent launch. */
  readonly overlaps: boolean;
  /** Whether the memory has not been freed. */
  readonly isThere: (region: Region) => boolean;
  /** The memory that begins at an address. */
  readonly regionAt: (base: number) => Region | undefined;
}

/** So many words of `Touched` stand for one entry. */
export const touchedWords = 7;

/**
 * What clusters have done to a region of global memory. Entries of seven words: the number of a line of 128 bytes, a bit for each of its
 * bytes, the index of an instruction, and 1 where it writes.
 */
export interface Touched {
  readonly base: number;
  readonly entries: Int32Array;
}

/** Of a launch whose clusters have nothing to say to each other: each may have been watched by somebody else. */
export interface Apart {
  /** What others are told, so that they watch the same. */
  readonly check: string;
  /** What those have done that were watched here. */
  touched(): readonly Touched[];
  /**
   * Others have watched some of the clusters, and found nothing wrong. Gives false, and does nothing, where one of them has written what
   * another one has touched.
   */
  join(others: readonly (readonly Touched[])[]): boolean;
}

/** Watches one launch. */
export interface Watcher {
  readonly monitor: Monitor;
  /** What is found wrong. */
  readonly reports: Reports | undefined;
  /** What the manual allows may happen, though the hardware does not do it. */
  readonly strict: boolean;
  /** Where its clusters may be watched apart. */
  readonly apart: Apart | undefined;
  /** For the watcher of the next launch. */
  readonly left: object | undefined;
  /** A thread of the warp has read the clock, and found this. */
  clockRead?(warp: Warp, value: number): void;
  /** The launch is over, or has failed. */
  end(): void;
}

/** Gives each launch its watcher; undefined where nobody wants to watch it. */
export type Watch = (launch: WatchedLaunch) => Watcher | undefined;
