/** What all blocks of one launch share, as far as the machine needs it. */
import type { Spans } from "../../base/diag/index.ts";
import type { PtxFunction } from "../../ptx/parse/index.ts";
import type { NamedMemory } from "../../runtime/index.ts";
import type { KernelConsole } from "./console.ts";
import type { Events } from "./events.ts";
import type { DeviceHeap } from "./heap.ts";
import type { GlobalMemory, Region } from "./memory.ts";
import type { ClusterUnits, TextureObjects } from "./units/index.ts";

export type Triple = readonly [number, number, number];

/** What the machine has to know of the program that runs on it. */
export interface Kernel {
  readonly name: string;
  /** Another compiler made it: reports are in the words of PTX. */
  readonly foreign: boolean;
  /** It is of a program of loop nests: reports are in the words of those. */
  readonly ofLoops: boolean;
  /** Of the registers of all its functions, in 32-bit words. */
  readonly registerWords: number;
  /** Of a thread, without what calls take. */
  readonly localBytes: number;
  readonly staticSharedBytes: number;
  /** Where dynamic shared memory begins, from the beginning of the block's. */
  readonly dynamicSharedOffset: number;
  readonly directives: PtxFunction["directives"];
  /** It asks where the reserved part of shared memory lies. */
  readonly usesReserved: boolean;
  /** Where the author wrote an instruction; where the PTX does not say, its line there. */
  placeOf(index: number): Spans;
}

/** What instructions ask of the scheduler that a schedule controls: it decides what the machine leaves open. */
export interface SchedulerOf<Warp> {
  /** The lane that `elect.sync` elects: always the same of one mask in one warp. */
  leader(warp: Warp, mask: number): number;
  /** Whether a wait comes back without success, though it could go on or be parked. */
  givesUp(warp: Warp): boolean;
  /** A wait of this warp has passed. */
  passes(warp: Warp): void;
  /** A wait for this was refused. */
  awaits(what: object | undefined): void;
  /** `nanosleep`. */
  sleeps(warp: Warp): void;
}

/** `Warp`, `Cluster` and `Warpgroup` are those of warp.ts, each of which has its launch. */
export interface LaunchOf<Warp, Cluster, Warpgroup> {
  readonly id: number;
  readonly program: Kernel;
  readonly grid: Triple;
  readonly block: Triple;
  readonly cluster: Triple;
  /** Clusters in the grid, per dimension. */
  readonly clusters: Triple;
  readonly clustered: boolean;
  readonly multiprocessors: number;
  readonly global: GlobalMemory;
  readonly params: Region;
  /** By handle. */
  readonly textures: TextureObjects;
  /** Address of what a cooperative launch has for the barrier of its grid; 0 in others. */
  readonly workspace: number;
  /** Bytes that the stack of a thread may have. */
  readonly stackLimit: number;
  readonly console: Pick<KernelConsole, "write" | "end">;
  readonly heap: DeviceHeap;
  /** Static and dynamic. */
  readonly sharedBytes: number;
  readonly dynamicBytes: number;
  /** Data of the host that messages name. */
  readonly memories?: readonly NamedMemory[] | undefined;
  /** Cycles; goes up whenever it is read. */
  readonly clock: (warp: Warp) => number;
  readonly queue: ClusterUnits["queue"];
  /** There where a schedule was asked for. Without it, nothing surprises. */
  readonly scheduler?: SchedulerOf<Warp> | undefined;
  /** Blocks until all clusters before one are over. There if and only if the program was made `ordered`. */
  readonly awaitTurn?: ((cluster: Cluster) => void) | undefined;
  /** Who watches; there is one if and only if the program was made for it. */
  readonly monitor?: Events<Warp, Cluster, Warpgroup> | undefined;
}
