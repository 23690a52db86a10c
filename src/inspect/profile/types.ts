/**
 * What happened in a launch, by time: the same for every device. The emulator fills it from what its warps do, a GPU from records that
 * the kernel itself leaves; writers (a trace for Perfetto, a page, a drawing) know neither.
 */
import type { Span } from "../../base/diag/index.ts";
import type { Dim3 } from "../../base/types.ts";

/** What times are counted in. `ticks`: instructions of a warp on the emulator, an order of causes. `ns`: a clock of the GPU. */
export type ProfileUnit = "ticks" | "ns";

/**
 * What a span is. Of a warp: `code` on a line, a `wait`, a `mark` of `profile.begin`, a `tile` of `TileScheduler`. Under way while warps
 * go on: a `load` or a `store` from its issue to its landing, a `product` of wgmma, a `group` from its commit to the wait that covers it.
 * A `landing` is the moment in which a copy or product lands.
 */
export type SpanKind = "code" | "wait" | "mark" | "tile" | "load" | "store" | "product" | "group" | "landing";

/** A block of the launch. */
export interface ProfileBlock {
  /** Its `blockIdx`. */
  readonly index: Dim3;
  /** Of which multiprocessor, by `%smid`; undefined where nothing said so. */
  readonly multiprocessor: number | undefined;
}

/** A row of the timeline: a warp, or what a block has beside its warps. */
export interface ProfileLane {
  /** A warp; or where copies and products of a block land, or its mbarriers. */
  readonly kind: "warp" | "landings" | "barriers";
  /** Index in `blocks`. */
  readonly block: number;
  /** Number of the warp in its block; -1 for the other kinds. */
  readonly warp: number;
  /** What the warp is for: the partition of `warpgroup.specialize` that runs on it, else what it was seen to do. */
  readonly role: string;
  /** When the warp began and ended. */
  readonly begin: number;
  /** See `begin`. */
  readonly end: number;
}

/** Something that took time. */
export interface ProfileSpan {
  /** What it is. */
  readonly kind: SpanKind;
  /** In words: "full[2], phase 3" of a wait, "TMA load" of a copy, the line of code, the name of a mark. */
  readonly name: string;
  /** Index in `lanes`. Of a load, a store or a product: the warp that issued it. */
  readonly lane: number;
  /** When it began. */
  readonly begin: number;
  /** When it ended; where it has not, when the launch did. */
  readonly end: number;
  /** It had not ended when the launch did. */
  readonly open?: true;
  /** Index in `places`: where the author wrote it. */
  readonly place?: number;
  /** Bytes that a load or a store moves. */
  readonly bytes?: number;
  /** What is waited for: a barrier of shared memory by the author's name, or the instruction that waits. */
  readonly on?: string;
  /** Of a barrier in an array of them: which of these. Of a pipeline that is the stage. */
  readonly stage?: number;
  /** Which phase of an mbarrier. */
  readonly phase?: number;
  /** Whatever else is known of it. */
  readonly details?: Readonly<Record<string, string | number>>;
}

/** A time in a row. */
export interface ArrowEnd {
  /** Index in `lanes`. */
  readonly lane: number;
  /** When. */
  readonly at: number;
}

/** From what ended a wait to the wait: times within spans of two lanes. */
export interface ProfileArrow {
  /** In a span of what ended the wait. */
  readonly from: ArrowEnd;
  /** In the wait, at its end. */
  readonly to: ArrowEnd;
}

/** A moment: the end of an mbarrier's phase. */
export interface ProfileInstant {
  /** Index in `lanes`: of a block's mbarriers. */
  readonly lane: number;
  /** What happened. */
  readonly name: string;
  /** When. */
  readonly at: number;
}

/** A number that changes: arrivals that an mbarrier lacks, and its phase. */
export interface ProfileCount {
  /** Index in `lanes`: of a block's mbarriers. */
  readonly lane: number;
  /** The barrier. */
  readonly name: string;
  /** When it changed. */
  readonly at: number;
  /** What it is from then on: `pending` arrivals, and `phase`. */
  readonly values: Readonly<Record<string, number>>;
}

/** One launch. Times begin at 0 with the launch. Data alone: it can be kept as JSON. */
export interface ProfileData {
  /** The name of the kernel. */
  readonly kernel: string;
  /** The name of the device. */
  readonly device: string;
  /** Blocks of the launch. */
  readonly grid: Dim3;
  /** Threads of a block. */
  readonly block: Dim3;
  /** Blocks of a cluster. */
  readonly cluster: Dim3;
  /** What times are counted in. */
  readonly unit: ProfileUnit;
  /** When the last warp ended. */
  readonly duration: number;
  /** Its blocks, in the order in which they began. */
  readonly blocks: readonly ProfileBlock[];
  /** Its rows. */
  readonly lanes: readonly ProfileLane[];
  /** Where the author wrote what, each place once. */
  readonly places: readonly Span[];
  /** In order of their beginnings. */
  readonly spans: readonly ProfileSpan[];
  /** From what ended waits to these. */
  readonly arrows: readonly ProfileArrow[];
  /** Ends of phases of mbarriers. */
  readonly instants: readonly ProfileInstant[];
  /** What mbarriers lacked, each time it changed. */
  readonly counts: readonly ProfileCount[];
  /** What there was no room for: spans, arrows, moments. */
  readonly dropped: number;
  /** Ends of marks that nothing had begun. */
  readonly unpaired: number;
  /** What is not there, or not exact, in sentences. */
  readonly notes?: readonly string[];
  /** Where the device says how long launches take. */
  readonly launches?: {
    /** Nanoseconds of this launch, which has recorded all that. */
    readonly recorded: number;
    /** Of launches of the same kernel that have recorded nothing, the median; undefined where there were none. */
    readonly plain?: number;
    /** What recording costs, as a part of `plain`: medians of launches with and without, by turns. */
    readonly cost?: number;
    /** How many launches of each kind these are. */
    readonly turns?: number;
  };
}

/** A copy or a product that has been issued, as far as it is known by then. */
export type IssuedWork = Pick<ProfileSpan, "name" | "bytes" | "details"> & {
  /** A load, a store, or a product of wgmma. */
  readonly kind: "load" | "store" | "product";
  /** Where the author wrote it. */
  readonly place: Span | undefined;
};

/** How long copies and products take on a device whose clock leaves that open: ticks from issue to landing. */
export type Latency = (work: IssuedWork) => number;

/** Who takes the profiles of launches. */
export interface ProfileSink {
  /** Default: whatever is issued lands one tick later, or when the schedule lets it land. */
  readonly latency?: Latency | undefined;
  /** Spans, arrows and moments that it still has room for: asked before each launch. */
  room(): number;
  /** When the launch has ended, or failed. */
  take(profile: ProfileData): void;
}

/** What a mark in a kernel says: a span of the author's begins or ends, the warp has got a role, the warp has taken a tile. */
export type MarkKind = "begin" | "end" | "role" | "tile";

/** What one warp has recorded at one mark. */
export interface MarkRecord {
  readonly kind: MarkKind;
  /** Of the span or the role. */
  readonly name: string;
  /** As `%globaltimer` had it. */
  readonly time: bigint;
  readonly multiprocessor: number;
  /** The `blockIdx`. */
  readonly block: Dim3;
  /** In the block. */
  readonly warp: number;
  /** Of a tile: m, n, k, index. */
  readonly values: readonly number[];
  /** Where the author wrote it. */
  readonly place: Span | undefined;
}
