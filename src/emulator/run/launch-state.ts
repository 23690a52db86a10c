import type { NamedMemory } from "../../runtime/backend.ts";
import type { KernelConsole } from "../machine/console.ts";
import type { DeviceHeap } from "../machine/heap.ts";
import type { GlobalMemory, Region } from "../machine/memory.ts";
import type { Monitor } from "../machine/monitor.ts";
import type { ClusterUnits, TextureObjects } from "../machine/units/index.ts";
import type { Cluster } from "../machine/warp.ts";
import type { Program } from "../program/program.ts";
import type { Adversary } from "./adversary.ts";
import type { Reports } from "./reports.ts";

export type Triple = readonly [number, number, number];

/** What all blocks of one launch share. */
export interface LaunchState {
  readonly id: number;
  readonly program: Program;
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
  /** Bytes that the stack of a thread may have. */
  readonly stackLimit: number;
  /** Instructions that warps may run while nothing happens that others could notice. */
  readonly stepBudget: number;
  readonly console: Pick<KernelConsole, "write" | "end">;
  readonly heap: DeviceHeap;
  /** Static and dynamic. */
  readonly sharedBytes: number;
  readonly dynamicBytes: number;
  /** Data of the host that messages name. */
  readonly memories?: readonly NamedMemory[] | undefined;
  /** Cycles; goes up whenever it is read. */
  readonly clock: () => number;
  readonly queue: ClusterUnits["queue"];
  /** Who decides what the machine leaves open; without, nothing surprises. */
  readonly adversary?: Adversary | undefined;
  /** Blocks until all clusters before one are over. There if and only if the program was made `ordered`. */
  readonly awaitTurn?: ((cluster: Cluster) => void) | undefined;
  /** Who watches; there is one if and only if the program was made for it. */
  readonly monitor?: Monitor | undefined;
  /** What its checks have found. */
  readonly reports?: Reports | undefined;
}
