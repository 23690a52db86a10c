/**
 * What a launch tells its monitor (the checks, the timeline), in the order in which it happens. A launch without checks or timeline has no
 * monitor, and its code is compiled without these calls.
 *
 * Whoever runs an instruction calls before the instruction takes effect, where nothing else is said. `warp.at` is its index.
 */
import type { Instruction } from "../../ptx/parse/index.ts";
import type { LaneAccesses } from "./lane-accesses.ts";
import type { Region } from "./memory.ts";
import type { AsyncGroups, MbarrierState, Transfer, WgmmaProduct } from "./units/index.ts";

/** Groups of a thread: of bulk stores, of `cp.async`. */
export type GroupKind = "bulk" | "copy";

/** A step that is about to run, as those who watch need it. */
export type Executed =
  | { readonly kind: "segment"; readonly instruction: Instruction; readonly instructions: readonly Instruction[] }
  | { readonly kind: "operation"; readonly instruction: Instruction; readonly converged: boolean }
  | { readonly kind: "branch" | "exit" | "jump"; readonly instruction: Instruction };

/** What a step runs. */
export const instructionsOf = (step: Executed): readonly Instruction[] =>
  step.kind === "segment" ? step.instructions : [step.instruction];

/** `Warp`, `Cluster` and `Warpgroup` are those of warp.ts, which has a launch, which has whom it tells. */
export interface Events<Warp, Cluster, Warpgroup> {
  clusterBegins(cluster: Cluster): void;
  /** All threads of the cluster have exited. */
  clusterEnds(cluster: Cluster): void;
  /** All clusters have ended, and everything under way has landed. */
  launchEnds(): void;
  /** Lanes that exit. */
  exits(warp: Warp, mask: number): void;
  /** A segment, a branch or an operation is about to run; an operation that was refused says so each time. */
  step(warp: Warp, mask: number, step: Executed): void;

  /** Lanes are refused an instruction that the whole warp has to run, because others are elsewhere. */
  parted(warp: Warp, mask: number, step: Executed): void;

  /** One lane's access by the generic proxy, `offset` bytes into the region; `at`: index of the instruction. */
  read(warp: Warp, lane: number, region: Region, offset: number, bytes: number, at: number): void;
  /** `st` and `stmatrix` call when they have taken effect. `changes`: some byte was another before, or nobody has looked. */
  write(warp: Warp, lane: number, region: Region, offset: number, bytes: number, at: number, changes: boolean): void;
  atomic(warp: Warp, lane: number, region: Region, offset: number, bytes: number, at: number): void;
  /**
   * The same of lanes that do it by one instruction, or by several loads that differ by constants: of `ld`, `st`, `atom` and `red`, when
   * lanes have run all of a segment. `changes`: a bit for each lane. Who listens to `read` alone hears of each access of each lane.
   * `accesses` is used again.
   */
  reads(warp: Warp, accesses: LaneAccesses): void;
  writes(warp: Warp, accesses: LaneAccesses, changes: number): void;
  atomics(warp: Warp, accesses: LaneAccesses): void;
  /**
   * A question: whether no lane of the warp holds anything undefined, and nothing that it reads is. Only then are loads told of together,
   * else instruction by instruction.
   */
  isDefined(warp: Warp, reads?: LaneAccesses): boolean;

  /** `griddepcontrol`: lanes wait for the launch before, or let the next one begin. */
  gridDependency(warp: Warp, mask: number, i: Instruction): void;
  /** `fence.*`, `membar.*`. */
  fence(warp: Warp, mask: number, i: Instruction): void;
  /** Lanes have met: `bar.warp.sync`, the other `.sync` instructions of a warp, and whatever is `.aligned`. */
  met(warp: Warp, mask: number, i: Instruction): void;

  /** Lanes give a mask of members that they are not in. Called each time they try. */
  outsideMask(warp: Warp, lanes: number, mask: number, i: Instruction): void;
  /** A shuffle has run: each lane of `mask` has taken the value of lane `from[lane]`, or kept its own where that is -1. `wanted`: those that take part. */
  shuffles(warp: Warp, mask: number, from: Int32Array, wanted: number, i: Instruction): void;

  /** Barriers of the block, by number; `meeting` is the same object for all who meet. */
  barrierArrives(warp: Warp, mask: number, meeting: object, i: Instruction, id: number): void;
  /** Called once it is open, for who has waited. */
  barrierLeaves(warp: Warp, mask: number, meeting: object, i: Instruction, id: number): void;
  clusterArrives(warp: Warp, mask: number, i: Instruction): void;
  /** Called once it is open. */
  clusterLeaves(warp: Warp, mask: number, i: Instruction): void;

  /** `mask`: those that have run this instruction for that barrier, all with this count: one initialisation. */
  mbarrierInits(warp: Warp, mask: number, address: number, count: number): void;
  mbarrierInvalidates(warp: Warp, lane: number, address: number): void;
  /** `expect_tx` by itself or with an arrival; `complete_tx` by a thread: negative. */
  mbarrierExpects(warp: Warp, lane: number, address: number, bytes: number): void;
  /** `phase`: the one that it arrives in. Called before it counts. */
  mbarrierArrives(warp: Warp, lane: number, address: number, phase: number, i: Instruction): void;
  /** `cp.async.mbarrier.arrive`: like an arrival, of the copies of the thread. */
  copiesArrive(warp: Warp, lane: number, address: number, phase: number, i: Instruction): void;
  /** A phase is over: the last arrival or byte has come. */
  mbarrierCompletes(cluster: Cluster, address: number, phase: number): void;
  /**
   * Lanes look at one barrier, whose current phase is given; `passed`: they are told that the phase that they ask for is over.
   * `asked`: its parity, or what arrivals in it give.
   */
  mbarrierWaits(
    warp: Warp,
    mask: number,
    address: number,
    phase: number,
    passed: boolean,
    i: Instruction,
    asked: MbarrierState,
  ): void;

  commits(warp: Warp, lane: number, groups: AsyncGroups, kind: GroupKind): void;
  /** Called once all but the newest `allowed` groups are through; `read`: their sources have been read. */
  waits(warp: Warp, lane: number, groups: AsyncGroups, kind: GroupKind, allowed: number, read: boolean): void;
  /** A copy of the asynchronous proxy, or `cp.async`, by one lane; one for each block that a multicast goes to. */
  transferIssues(warp: Warp, lane: number, transfer: Transfer): void;
  transferLands(transfer: Transfer): void;

  /** A lane copies by the tensor map whose 128 bytes lie there in global memory. Before the transfers that come of it. */
  mapUsed(warp: Warp, lane: number, address: number): void;

  wgmmaFence(warp: Warp): void;
  /** The whole warpgroup is there. `warp`: one of it. */
  wgmmaIssues(warp: Warp, group: Warpgroup, product: WgmmaProduct): void;
  wgmmaLands(group: Warpgroup, product: WgmmaProduct): void;
  wgmmaCommits(warp: Warp, group: Warpgroup): void;
  /** Called for each warp, once all but the newest `allowed` groups are through. */
  wgmmaWaits(warp: Warp, group: Warpgroup, allowed: number): void;
}
