/** The shared memory of a peer is there only while the peer runs. W9217. */

import { getOrMake } from "../../../../base/get-or-make.ts";
import type { LaneAccesses } from "../../../machine/lane-accesses.ts";
import type { Region } from "../../../machine/memory.ts";
import { sharedRank } from "../../../machine/memory.ts";
import type { Listener } from "../../../machine/monitor.ts";
import type { Transfer } from "../../../machine/units/index.ts";
import type { Block, Warp } from "../../../machine/warp.ts";
import type { CheckContext } from "../context.ts";
import { threadName } from "../names.ts";
import { placeOf } from "./accesses.ts";
import type { LaunchOrder } from "./launch-order.ts";
import { hasStarted } from "./synchronization.ts";

const allLanes = -1;

/** What an mbarrier of the peer tells its own threads: that a copy into it is there. */
type Landing = Pick<ReturnType<typeof placeOf>, "done" | "tick">;

/** Someone's use of a peer: it has to end before the peer does. */
interface Use {
  readonly slot: number;
  readonly tick: number;
  readonly lane: number;
  readonly at: number;
  /** Barriers of the cluster that it had arrived at. */
  readonly phase: number;
  readonly who: string;
  readonly does: string;
  /** Of a copy; who has waited for it need not have heard of its issuer. */
  readonly landing: Landing | undefined;
}

export function peers(c: CheckContext, order: LaunchOrder): Listener {
  /** Of each block, by instruction and slot: the last use. */
  const uses = new WeakMap<Block, Map<string, Use>>();
  /** Barriers of the cluster that a warp has left: who arrived there cannot use it any more from before, relaxed or not. */
  const left = new WeakMap<Warp, number>();
  const report = (who: string, does: string, when: string, at: number): void =>
    c.reports.add("W9217", { kernel: c.program.name, who, does, when }, at);

  const use = (warp: Warp, lane: number, rank: number, does: string, landing?: Landing): void => {
    const { block } = warp;
    const peer = block.cluster.blocks[rank];
    if (!peer || peer === block) return;
    const at = order.warp(warp);
    const known = at.of(lane);
    // A relaxed barrier of the cluster passes on no memory, but that all have started.
    const seen = [known.generic, known.inits];
    const started = peer.warps
      .map((each) => order.warp(each).slot)
      .some((slot) => seen.some((clock) => clock.covers(at.home, slot, hasStarted, allLanes)));
    if (!started) report(threadName(warp, lane), does, "before it is known to have started", warp.at);
    if (peer.warps.every((each) => each.live === 0)) report(threadName(warp, lane), does, "after it has exited", warp.at);
    const used = getOrMake(uses, peer, () => new Map());
    const entry: Use = {
      slot: at.slot,
      tick: at.tick,
      lane,
      at: warp.at,
      phase: warp.clusterPhase,
      who: threadName(warp, lane),
      does,
      landing,
    };
    used.set(`${at.slot} ${lane} ${warp.at}`, entry);
  };
  const access = (does: string) => (warp: Warp, lane: number, region: Region) => {
    if (region.space === "shared" && region !== warp.block.shared) use(warp, lane, sharedRank(region.base), does);
  };

  const useEach = (warp: Warp, of: LaneAccesses, does: string): void =>
    of.each((lane, _, at) => {
      warp.at = at;
      use(warp, lane, sharedRank(of.region.base), does);
    });
  const accesses = (does: string) => (warp: Warp, of: LaneAccesses) => {
    if (of.region.space === "shared" && of.region !== warp.block.shared) useEach(warp, of, does);
  };

  return {
    read: access("reads"),
    write: access("writes"),
    atomic: access("changes"),
    reads: accesses("reads"),
    writes: accesses("writes"),
    atomics: accesses("changes"),
    mbarrierArrives: (warp, lane, address) => use(warp, lane, sharedRank(address), "arrives at an mbarrier in"),
    mbarrierExpects: (warp, lane, address) => use(warp, lane, sharedRank(address), "expects bytes at an mbarrier in"),
    transferIssues(warp: Warp, lane: number, transfer: Transfer) {
      for (const range of transfer.writes) {
        if (range.space !== "shared" || range.rank === warp.block.rank) continue;
        use(warp, lane, range.rank, "copies into", placeOf(order.cluster(warp.block.cluster), transfer));
      }
    },
    clusterLeaves: (warp) => void left.set(warp, warp.clusterPhase),
    exits(warp: Warp, mask: number) {
      const { block } = warp;
      const last = block.warps.every((each) => (each === warp ? (each.live & ~mask) === 0 : each.live === 0));
      const open = uses.get(block);
      if (!last || !open) return;
      const at = order.warp(warp);
      const heard = at.fresh();
      for (const each of block.warps) order.warp(each).publish(each.live || allLanes, heard);
      const passed = Math.max(...block.warps.map((each) => left.get(each) ?? 0));
      for (const { slot, tick, lane, at: index, phase, who, does, landing } of open.values()) {
        if (passed > phase || (landing && heard.follows(at.home, landing.done, landing.tick, allLanes))) continue;
        if (!heard.follows(at.home, slot, tick, 1 << lane)) report(who, does, "which may have exited by then", index);
      }
    },
  };
}
