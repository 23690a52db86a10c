/** Warps, blocks and clusters: what there is of a kernel while it runs. */

import { type Activation, kernelActivation } from "./activation.ts";
import { firstLanes, lanes } from "./lanes.ts";
import type { LaunchOf, Triple } from "./launch.ts";
import { Region, resolveGeneric, SharedMemory } from "./memory.ts";
import { Stack } from "./stack.ts";
import {
  type AsyncGroups,
  type ClusterUnits,
  createAsyncGroups,
  createMbarrierTable,
  type MbarrierTable,
} from "./units/index.ts";

export { lanes };

export type Launch = LaunchOf<Warp, Cluster, Warpgroup>;

/** Something that a split waits for, once it has done its part. */
export interface Token {
  open: boolean;
  /** What a barrier with a reduction has found. */
  result: number;
}

/** Lanes of a warp that are at one place. */
export interface Split {
  /** Index of a step. */
  pc: number;
  mask: number;
  /** Has been refused in this turn. */
  waiting: boolean;
  /** Has used up its turn: others go first. */
  tired: boolean;
  token: Token | undefined;
  /** How it came here. */
  activation: Activation;
}

export const newSplit = (pc: number, mask: number, activation: Activation): Split => ({
  pc,
  mask,
  waiting: false,
  tired: false,
  token: undefined,
  activation,
});

/** Lanes at `bar.warp.sync` with one mask, while some of the mask are missing. */
export interface WarpGathering {
  arrived: number;
  readonly token: Token;
}

export class Warp {
  readonly block: Block;
  readonly index: number;
  readonly i32: Int32Array;
  readonly f32: Float32Array;
  readonly f64: Float64Array;
  /** x of all lanes, then y, then z. */
  readonly tid = new Int32Array(3 * lanes);
  readonly carry = new Int32Array(lanes);
  /** Lanes that have not exited. */
  live: number;
  splits: Split[];
  /** Of each choice of the segment that ran last (choices.ts): the lanes whose predicate was true. Of a launch that is watched. */
  readonly choices: number[] = [];
  /** Index of the instruction that runs, for the place of an error. */
  at = 0;
  /** Address of the last access through `local` or `generic`, in the space of the region given. */
  found = 0;
  /** The lane whose access was last looked up. */
  lane = 0;
  /** An atomic operation has changed something since the flag was taken back. */
  noticed = false;
  /** Cluster barriers that it has arrived at. */
  clusterPhase = 0;
  /** By the mask. */
  readonly gatherings = new Map<number, WarpGathering>();
  #stack: Stack | undefined;
  readonly #bulk: AsyncGroups[] = [];
  readonly #copies: AsyncGroups[] = [];

  constructor(block: Block, index: number, threads: number) {
    this.block = block;
    this.index = index;
    const { program } = block.launch;
    const buffer = new ArrayBuffer(program.registerWords * 4);
    this.i32 = new Int32Array(buffer);
    this.f32 = new Float32Array(buffer);
    this.f64 = new Float64Array(buffer);
    const count = Math.min(lanes, threads - index * lanes);
    this.live = firstLanes(count);
    this.splits = [newSplit(0, this.live, kernelActivation(this.live))];
    const [x, y] = block.launch.block;
    for (let lane = 0; lane < lanes; lane++) {
      const thread = index * lanes + lane;
      this.tid[lane] = thread % x;
      this.tid[lanes + lane] = Math.floor(thread / x) % y;
      this.tid[2 * lanes + lane] = Math.floor(thread / (x * y));
    }
  }

  /** Local memory. Most kernels have none. */
  get stack(): Stack {
    this.#stack ??= this.#emptyStack();
    return this.#stack;
  }

  #emptyStack(): Stack {
    const { program, stackLimit } = this.block.launch;
    return new Stack(program.localBytes, stackLimit);
  }

  /** Bulk copies of a thread that no wait has covered. */
  bulkGroups(lane: number): AsyncGroups {
    this.#bulk[lane] ??= createAsyncGroups();
    return this.#bulk[lane];
  }
  /** `cp.async` of a thread. */
  copyGroups(lane: number): AsyncGroups {
    this.#copies[lane] ??= createAsyncGroups();
    return this.#copies[lane];
  }

  local(lane: number, address: number, bytes: number): Region {
    const { stack } = this;
    stack.check(lane, address, bytes);
    this.found = stack.offset(lane, address);
    return stack.region;
  }

  /** The region of an access of an instruction, which has that index. */
  global(lane: number, address: number, bytes: number, at: number): Region {
    this.at = at;
    this.lane = lane;
    const { global } = this.block.launch;
    const region = global.access(address, bytes);
    global.recent[at] = region;
    return region;
  }

  shared(lane: number, address: number, bytes: number, at: number): Region {
    this.at = at;
    this.lane = lane;
    return this.block.cluster.shared.access(address, bytes);
  }

  /** `found` becomes the address in the space of the region. */
  generic(lane: number, given: number, bytes: number, at = this.at): Region {
    this.at = at;
    this.lane = lane;
    const { space, address } = resolveGeneric(given);
    if (space === "local") return this.local(lane, address, bytes);
    this.found = address;
    return space === "shared" ? this.shared(lane, address, bytes, at) : this.global(lane, address, bytes, at);
  }
}

/** The lanes of a mask as a split of their own, at the same place; the split itself where these are all it has. */
export function partOf(warp: Warp, split: Split, mask: number): Split {
  if (mask === split.mask) return split;
  const part = newSplit(split.pc, mask, split.activation);
  split.mask &= ~mask;
  warp.splits.push(part);
  return part;
}

/** Four warps that issue wgmma together. */
export interface Warpgroup {
  readonly warps: Warp[];
  readonly groups: AsyncGroups;
  /** Where its warps gather, while some are missing. */
  meeting: { readonly at: number; arrived: number; readonly token: Token } | undefined;
}

/** A named barrier while some of its threads are missing. */
export interface Gathering {
  arrived: number;
  /** Undefined: all threads of the block. */
  readonly count: number | undefined;
  readonly token: Token;
  sum: number;
  threads: number;
}

export class Block {
  readonly launch: Launch;
  readonly cluster: Cluster;
  readonly rank: number;
  readonly index: Triple;
  /** In its cluster. */
  readonly place: Triple;
  readonly sm: number;
  readonly shared: Region;
  readonly warps: readonly Warp[];
  readonly warpgroups: readonly Warpgroup[];
  readonly barriers = new Map<number, Gathering>();

  constructor(cluster: Cluster, rank: number) {
    const { launch } = cluster;
    this.launch = launch;
    this.cluster = cluster;
    this.rank = rank;
    const [cx, cy] = launch.cluster;
    this.place = [rank % cx, Math.floor(rank / cx) % cy, Math.floor(rank / (cx * cy))];
    const along = (axis: 0 | 1 | 2) => cluster.index[axis] * launch.cluster[axis] + this.place[axis];
    this.index = [along(0), along(1), along(2)];
    this.sm = (cluster.number * cluster.size + rank) % launch.multiprocessors;
    this.shared = cluster.shared.blocks[rank] ?? new Region("shared", 0, 0);
    const threads = launch.block[0] * launch.block[1] * launch.block[2];
    this.warps = Array.from({ length: Math.ceil(threads / lanes) }, (_, i) => new Warp(this, i, threads));
    this.warpgroups = Array.from({ length: Math.ceil(this.warps.length / 4) }, (_, i) => ({
      warps: this.warps.slice(4 * i, 4 * i + 4),
      groups: createAsyncGroups(),
      meeting: undefined,
    }));
  }
}

export class Cluster {
  readonly launch: Launch;
  readonly number: number;
  readonly index: Triple;
  readonly size: number;
  readonly shared: SharedMemory;
  readonly barriers: MbarrierTable;
  readonly units: ClusterUnits;
  readonly blocks: readonly Block[];
  readonly warps: readonly Warp[];
  /** Nothing else can go on: waits that may be refused are refused. */
  impatient = false;
  /** Barriers of the whole cluster that are over. */
  phase = 0;

  constructor(launch: Launch, number: number) {
    this.launch = launch;
    this.number = number;
    const [x, y] = launch.clusters;
    this.index = [number % x, Math.floor(number / x) % y, Math.floor(number / (x * y))];
    this.size = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
    this.shared = new SharedMemory(this.size, launch.sharedBytes, launch.program.usesReserved);
    const { monitor } = launch;
    this.barriers = createMbarrierTable(
      monitor && ((address, phase) => monitor.mbarrierCompletes(this, address, phase)),
      this.size,
    );
    this.units = { shared: this.shared.blocks, barriers: this.barriers, global: launch.global, queue: launch.queue };
    this.blocks = Array.from({ length: this.size }, (_, rank) => new Block(this, rank));
    this.warps = this.blocks.flatMap((block) => block.warps);
    monitor?.clusterBegins(this);
  }

  get done(): boolean {
    return this.warps.every((warp) => warp.live === 0);
  }
}
