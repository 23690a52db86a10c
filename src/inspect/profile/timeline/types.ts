import type { Span } from "../../../base/diag/index.ts";
import type { ProfileData } from "../types.ts";

/** What a kernel records at one place of its text. */
export interface TimelineSite {
  /**
   * `wait`: from its beginning to its end. `more`: further values of the record before. `landing`: a phase of a barrier that copies complete on is over. `left`: a
   * branch of which one side is not recorded.
   */
  readonly what: "wait" | "load" | "store" | "commit" | "mark" | "more" | "landing" | "left";
  /** What is waited for, issued or committed; of a mark its kind and its name. */
  readonly name: string;
  /** Groups that it is part of, commits or waits for. */
  readonly group: "" | "wgmma" | "bulk" | "cp.async";
  /** Of a load or a store: the parameter that is its tensor map. */
  readonly map?: string | undefined;
  /** Of a wait for groups: how many may be unfinished. */
  readonly pending?: number | undefined;
  /** Of a wait for groups: a group is committed right before it, which is called that. */
  readonly commits?: string | undefined;
  /** Who records it: every warp, or of each warpgroup the first one for all four, which go through it together. */
  readonly by: "warp" | "warpgroup";
  /** It says which barrier. */
  readonly barrier: boolean;
  readonly place: Span | undefined;
}

/** A buffer of shared memory, by the author's name. */
interface Buffer {
  readonly name: string;
  readonly offset?: number;
  readonly bytes: number;
}

/** What a launch has left, and what is known of it. */
export interface RecordedLaunch extends Pick<ProfileData, "kernel" | "device" | "grid" | "block" | "cluster"> {
  /** Slices of warps, one after the other: src/base/timeline-layout.ts. */
  readonly words: Uint32Array;
  /** Words of a slice. */
  readonly sliceWords: number;
  /** Blocks that have slices. */
  readonly slicedBlocks: number;
  readonly sites: readonly TimelineSite[];
  readonly buffers: readonly Buffer[];
  /** Bytes of the box of a tensor map, by the name of the parameter. */
  readonly boxBytes: ReadonlyMap<string, number>;
  /** Spans, arrows and moments that are kept: whole blocks, the first ones. */
  readonly limit: number;
  /** Cycles within which a wait is none: as long as it takes to look. */
  readonly atOnce: number;
}

/** One record. */
export interface TimelineRecord {
  readonly site: TimelineSite;
  /** Of a barrier: bytes from the beginning of shared memory; undefined where it names none. */
  readonly barrier: number | undefined;
  readonly parity: number;
  /** In nanoseconds from the beginning of the launch. */
  readonly at: number;
  /** Of a wait: when it ended. */
  readonly end: number;
  /** Cycles of the wait. */
  readonly cycles: number;
  readonly values: readonly [number, number];
  /** The warp that has recorded it, where another one did for its warpgroup. */
  readonly recorder?: number;
  /** Of a barrier of the block: its number. */
  readonly id: number;
}

/** What one warp has left. */
export interface RecordedWarp {
  /** Linear index of the block. */
  readonly block: number;
  readonly warp: number;
  readonly multiprocessor: number;
  readonly begin: number;
  /** Where it has not ended: of its last record. */
  readonly end: number;
  readonly ended: boolean;
  readonly records: readonly TimelineRecord[];
  /** Records that there was no room for. */
  readonly dropped: number;
}
