/** Who may follow whom: barriers, mbarriers, groups and fences pass on what their threads have done and know (PTX ISA 8, 9.7.13). */
import { getOrMake } from "../../../../base/get-or-make.ts";
import { type Instruction, traitsOf } from "../../../../ptx/parse/index.ts";
import type { Listener } from "../../../machine/monitor.ts";
import { Notes } from "../../../machine/notes.ts";
import type { AsyncGroups } from "../../../machine/units/index.ts";
import type { Cluster, Warp, Warpgroup } from "../../../machine/warp.ts";
import type { CheckContext } from "../context.ts";
import type { FencedSpace, Knowledge } from "./clock.ts";
import type { LaunchOrder } from "./launch-order.ts";
import type { WarpOrder } from "./threads.ts";

/** The tick of a warp that stands for its start. */
export const hasStarted = 1;

/** What those who meet have told each other. */
const meetings = new Notes<Knowledge>();

/** `bar`, `barrier.cluster`, `.sync` instructions of a warp. */
export function barriers({ tolerance }: CheckContext, order: LaunchOrder): Listener {
  const heard = (key: object, at: WarpOrder): Knowledge => {
    return getOrMake(meetings, key, () => at.fresh());
  };
  const clusterPhases = new WeakMap<Cluster, Map<number, Knowledge>>();
  const phaseOf = (warp: Warp, phase: number): Knowledge => {
    const { cluster } = warp.block;
    const phases = getOrMake(clusterPhases, cluster, () => new Map());
    let known = phases.get(phase);
    if (!known) {
      known = order.warp(warp).fresh();
      phases.set(phase, known);
      phases.delete(phase - 2);
    }
    return known;
  };
  return {
    met(warp: Warp, mask: number, i: Instruction) {
      // Only bar.warp.sync promises order of memory; practice takes it of all.
      const at = order.warp(warp);
      if (i.opcode.form === "bar.warp.sync" || tolerance === "ignore") at.meet(mask);
      else if (tolerance === "warn") at.assume(mask);
      at.fences.meet(mask);
    },
    barrierArrives(warp: Warp, mask: number, meeting: object) {
      const at = order.warp(warp);
      at.publish(mask, heard(meeting, at));
      at.fences.bring(mask, meeting);
    },
    barrierLeaves(warp: Warp, mask: number, meeting: object) {
      const at = order.warp(warp);
      at.acquire(mask, heard(meeting, at));
      at.meet(mask);
      at.fences.take(mask, meeting);
    },
    clusterArrives(warp: Warp, mask: number, i: Instruction) {
      const at = order.warp(warp);
      const phase = phaseOf(warp, warp.clusterPhase);
      phase.inits.set(at.slot, hasStarted);
      if (i.opcode.modifiers.order !== "relaxed") {
        at.publish(mask, phase);
        at.fences.bring(mask, phase);
      }
      // A fence before it passes on what it covers (PTX ISA 9.7.13.3 has that as its example).
      else
        for (let rest = mask; rest !== 0; rest &= rest - 1) {
          const lane = 31 - Math.clz32(rest & -rest);
          const passed = at.fences.get("passed", "cluster", lane, tolerance) ?? at.fences.get("passed", "all", lane, tolerance);
          if (passed) phase.join(passed);
        }
      // What fence.mbarrier_init has made visible needs no more than this.
      if (i.opcode.modifiers.order === "relaxed") phase.inits.join(at.of(31 - Math.clz32(mask & -mask)).inits);
    },
    clusterLeaves(warp: Warp, mask: number) {
      const [at, phase] = [order.warp(warp), phaseOf(warp, warp.clusterPhase - 1)];
      at.acquire(mask, phase);
      at.fences.take(mask, phase);
    },
  };
}

/** Fences between the generic and the asynchronous proxy, and of initialisations. */
export function proxyFences({ tolerance }: CheckContext, order: LaunchOrder): Listener {
  const strict = tolerance === "report";
  const fenced = (at: WarpOrder, mask: number, spaces: readonly FencedSpace[]): void => {
    // What its own cp.async have written, as far as they have been waited for.
    const copies = strict ? order.cluster(at.warp.block.cluster).copySlots(at.warp, mask) : [];
    at.teach(mask, (known) => {
      for (const space of spaces) {
        // By the manual a fence anywhere on the way will do; strictly, whoever has written calls it.
        if (!strict) {
          known[space].join(known.generic);
          known[space].join(known.assumed);
        }
        known[space].setLanes(at.slot, at.tick, mask);
        for (const slot of copies) known[space].set(slot, known.generic.tickOf(slot));
      }
      known.inits.setLanes(at.slot, at.tick, mask);
    });
    at.tick += 1;
  };
  return {
    fence(warp: Warp, mask: number, i: Instruction) {
      const at = order.warp(warp);
      const kind = traitsOf(i).fence;
      if (kind === "async") {
        const space = i.opcode.modifiers.space ?? "";
        fenced(at, mask, space === "" ? ["shared", "global"] : space === "global" ? ["global"] : ["shared"]);
      } else if (kind === "inits") fenced(at, mask, []);
      else if (kind === "maps") {
        at.teach(mask, (known) => {
          known.maps.join(known.generic);
          known.maps.join(known.assumed);
          known.maps.setLanes(at.slot, at.tick, mask);
        });
        at.tick += 1;
      }
    },
  };
}

/** Arrivals pass on, waits that pass hear. */
export function mbarriers(_: CheckContext, order: LaunchOrder): Listener {
  return {
    mbarrierInits(warp: Warp, lanes: number, address: number) {
      const at = order.warp(warp);
      order.cluster(warp.block.cluster).init(address, { slot: at.slot, tick: at.tick, lanes, at: warp.at, order: at });
    },
    mbarrierInvalidates(warp: Warp, _lane: number, address: number) {
      order.cluster(warp.block.cluster).mbarriers.delete(address);
    },
    mbarrierArrives(warp: Warp, lane: number, address: number, _phase: number, i: Instruction) {
      const bar = order.cluster(warp.block.cluster).mbarriers.get(address);
      if (!bar || i.opcode.modifiers.order === "relaxed") return;
      const at = order.warp(warp);
      at.publishOwn(1 << lane, bar.arriving);
      at.fences.bring(1 << lane, bar.arriving);
    },
    copiesArrive(warp: Warp, lane: number, address: number) {
      const cluster = order.cluster(warp.block.cluster);
      const groups = cluster.groups(warp.copyGroups(lane), "copy");
      cluster.mbarriers.get(address)?.arriving.generic.set(groups.done, groups.next);
      groups.next += 1;
    },
    mbarrierCompletes(cluster: Cluster, address: number, phase: number) {
      // Copies may land when their cluster has ended.
      order.running(cluster)?.completed(address, phase);
    },
    mbarrierWaits(warp: Warp, mask: number, address: number, phase: number, passed: boolean, i: Instruction) {
      const bar = order.cluster(warp.block.cluster).mbarriers.get(address);
      if (!passed || !bar || phase === 0 || i.opcode.modifiers.order === "relaxed") return;
      const { over } = bar;
      const at = order.warp(warp);
      at.teach(mask, (known) => {
        if (over) known.join(over);
        known.completed(bar.slot, bar.first + phase - 1);
      });
      if (over) at.fences.take(mask, over);
    },
  };
}

/** Waits for groups of copies and products. */
export function groups({ tolerance }: CheckContext, order: LaunchOrder): Listener {
  return {
    commits(warp: Warp, _lane: number, asyncGroups: AsyncGroups, kind: "bulk" | "copy") {
      const known = order.cluster(warp.block.cluster).groups(asyncGroups, kind);
      known.committed.push(known.next);
      known.next += 1;
    },
    waits(warp: Warp, lane: number, asyncGroups: AsyncGroups, kind: "bulk" | "copy", allowed: number, read: boolean) {
      const of = order.cluster(warp.block.cluster).groups(asyncGroups, kind);
      const tick = of.committed.at(-1 - allowed);
      if (tick === undefined) return;
      order.warp(warp).teach(1 << lane, (known) => {
        // cp.async belongs to the generic proxy: a fence is still to come.
        if (kind === "copy") known.generic.set(of.done, tick);
        else {
          known.completed(of.read, tick);
          if (!read) known.completed(of.done, tick);
        }
      });
    },
    wgmmaCommits(warp: Warp, group: Warpgroup) {
      const known = order.cluster(warp.block.cluster).products(group);
      known.committed.push(known.next);
      known.next += 1;
    },
    wgmmaWaits(warp: Warp, group: Warpgroup, allowed: number) {
      const of = order.cluster(warp.block.cluster).products(group);
      const tick = of.committed.at(-1 - allowed);
      if (tick === undefined) return;
      const lane = group.warps.indexOf(warp);
      order.warp(warp).teach(warp.live, (known) => {
        // Each warp waits for its own part; practice takes one for all.
        if (tolerance === "ignore") known.completed(of.slot, tick);
        else known.generic.setLanes(of.slot, tick, 1 << lane, group.warps.length);
        if (tolerance === "warn") known.assumed.set(of.slot, tick);
      });
    },
  };
}
