/** Who may watch launches: the floor above, checks and a timeline. What runs goes on without. */
import type { NamedMemory } from "../../runtime/backend.ts";
import type { Triple } from "../machine/launch.ts";
import type { Region } from "../machine/memory.ts";
import type { Monitor } from "../machine/monitor.ts";
import type { Program } from "../program/program.ts";
import type { Reports } from "./reports.ts";

/** A launch that begins. */
export interface WatchedLaunch {
  readonly program: Program;
  readonly grid: Triple;
  readonly memories?: readonly NamedMemory[] | undefined;
  /** What the watcher of the launch before it in the stream has left, if nothing has come between. */
  readonly before: object | undefined;
  /** It may begin before the one before it has ended: programmatic dependent launch. */
  readonly overlaps: boolean;
  /** Whether the memory has not been freed. */
  readonly isThere: (region: Region) => boolean;
}

/** Watches one launch. */
export interface Watcher {
  readonly monitor: Monitor;
  /** What is found wrong. */
  readonly reports: Reports | undefined;
  /** What the manual allows may happen, though the hardware does not do it. */
  readonly strict: boolean;
  /** For the watcher of the next launch. */
  readonly left: object | undefined;
  /** The launch is over, or has failed. */
  end(): void;
}

/** Gives each launch its watcher. */
export type Watch = (launch: WatchedLaunch) => Watcher;
