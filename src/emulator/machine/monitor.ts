/**
 * What a launch tells whoever watches it, in the order in which it happens: the checks, the timeline. A launch that nobody watches
 * has no monitor, and its code is compiled without a word about it.
 *
 * Whoever runs an instruction calls before the instruction takes effect, where nothing else is said. `warp.at` is its index.
 */
import type { Instruction } from "../../ptx/parse/tree.ts";
import type { OperationStep, Step } from "../program/step.ts";
import type { Region } from "./memory.ts";
import type { AsyncGroups, MbarrierState, Transfer, WgmmaProduct } from "./units/index.ts";
import type { Cluster, Warp, Warpgroup } from "./warp.ts";

/** Groups of a thread: of bulk stores, of `cp.async`. */
export type GroupKind = "bulk" | "copy";

export interface Monitor {
  clusterBegins(cluster: Cluster): void;
  /** All threads of the cluster have exited. */
  clusterEnds(cluster: Cluster): void;
  /** All clusters have ended, and everything under way has landed. */
  launchEnds(): void;
  /** Lanes that exit. */
  exits(warp: Warp, mask: number): void;
  /** A segment, a branch or an operation is about to run; an operation that was refused says so each time. */
  step(warp: Warp, mask: number, step: Step): void;

  /** Lanes are refused an instruction that the whole warp has to run, because others are elsewhere. */
  parted(warp: Warp, mask: number, step: OperationStep): void;

  /** One lane's access by the generic proxy, `offset` bytes into the region; `at`: index of the instruction. */
  read(warp: Warp, lane: number, region: Region, offset: number, bytes: number, at: number): void;
  write(warp: Warp, lane: number, region: Region, offset: number, bytes: number, at: number): void;
  atomic(warp: Warp, lane: number, region: Region, offset: number, bytes: number, at: number): void;

  /** `griddepcontrol`: lanes wait for the launch before, or let the next one begin. */
  gridDependency(warp: Warp, mask: number, i: Instruction): void;
  /** `fence.*`, `membar.*`. */
  fence(warp: Warp, mask: number, i: Instruction): void;
  /** Lanes have met: `bar.warp.sync`, the other `.sync` instructions of a warp, and whatever is `.aligned`. */
  met(warp: Warp, mask: number, i: Instruction): void;

  /** Barriers of the block, by number; `meeting` is the same object for all who meet. */
  barrierArrives(warp: Warp, mask: number, meeting: object, i: Instruction, id: number): void;
  /** Called once it is open, for who has waited. */
  barrierLeaves(warp: Warp, mask: number, meeting: object, i: Instruction, id: number): void;
  clusterArrives(warp: Warp, mask: number, i: Instruction): void;
  /** Called once it is open. */
  clusterLeaves(warp: Warp, mask: number, i: Instruction): void;

  mbarrierInits(warp: Warp, lane: number, address: number, count: number): void;
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

/** Some of the events: what one rule wants to know. */
export type Rule = Partial<Monitor>;

const events: Readonly<Record<keyof Monitor, true>> = {
  clusterBegins: true,
  clusterEnds: true,
  launchEnds: true,
  exits: true,
  step: true,
  parted: true,
  read: true,
  write: true,
  atomic: true,
  gridDependency: true,
  fence: true,
  met: true,
  barrierArrives: true,
  barrierLeaves: true,
  clusterArrives: true,
  clusterLeaves: true,
  mbarrierInits: true,
  mbarrierInvalidates: true,
  mbarrierExpects: true,
  mbarrierArrives: true,
  copiesArrive: true,
  mbarrierCompletes: true,
  mbarrierWaits: true,
  commits: true,
  waits: true,
  transferIssues: true,
  transferLands: true,
  mapUsed: true,
  wgmmaFence: true,
  wgmmaIssues: true,
  wgmmaLands: true,
  wgmmaCommits: true,
  wgmmaWaits: true,
};

type Listener = (...args: never[]) => void;

function joined(listeners: readonly Listener[]): Listener {
  const [first, second, third] = listeners;
  if (!first) return () => {};
  if (!second) return first;
  if (!third) {
    return (...args) => {
      first(...args);
      second(...args);
    };
  }
  return (...args) => {
    for (const listener of listeners) listener(...args);
  };
}

/** One monitor of several rules: each event goes to those that want it, in their order. */
export function monitorOf(rules: readonly Rule[]): Monitor {
  const names = Object.keys(events) as (keyof Monitor)[];
  const entries = names.map((name) => {
    const listeners = rules.flatMap((rule) => {
      const listener = rule[name] as Listener | undefined;
      return listener ? [listener.bind(rule) as Listener] : [];
    });
    return [name, joined(listeners)] as const;
  });
  return Object.fromEntries(entries) as unknown as Monitor;
}
