/** Whoever uses an mbarrier must see that it was initialised. W9212. */
import type { Listener } from "../../../machine/monitor.ts";
import type { Transfer } from "../../../machine/units/index.ts";
import type { Warp } from "../../../machine/warp.ts";
import type { CheckContext } from "../context.ts";
import { barrierName, threadName } from "../names.ts";
import type { LaunchOrder, MbarrierOrder } from "./launch-order.ts";

export function mbarrierVisibility(c: CheckContext, order: LaunchOrder): Listener {
  const reportOf = (warp: Warp, lane: number, address: number, bar: MbarrierOrder, why: string) => {
    const args = { kernel: c.program.name, who: threadName(warp, lane), barrier: barrierName(address, c), why };
    return ["W9212", args, warp.at, [{ note: "it is initialised at", at: bar.init.at }]] as const;
  };
  const check = (warp: Warp, lane: number, address: number, asynchronous: boolean): void => {
    const cluster = order.cluster(warp.block.cluster);
    const bar = cluster.mbarriers.get(address);
    if (!bar) return;
    const at = order.warp(warp);
    const known = at.of(lane);
    const { slot, tick, lanes: by } = bar.init;
    const own = slot === at.slot && ((by >>> lane) & 1) !== 0;
    const isVisible = known.inits.covers(cluster.home, slot, tick, by);
    if (!own && !isVisible && !known.follows(cluster.home, slot, tick, by))
      c.reports.add(...reportOf(warp, lane, address, bar, "nothing orders it after the initialisation"));
    // What completes the bytes of a copy is not a thread. Practice does without (libcu++, Triton).
    else if (asynchronous && !isVisible)
      c.reports.tolerate(...reportOf(warp, lane, address, bar, "no fence makes it visible to asynchronous copies"));
  };
  const each = (warp: Warp, mask: number, address: number): void => {
    for (let rest = mask; rest !== 0; rest &= rest - 1) check(warp, 31 - Math.clz32(rest & -rest), address, false);
  };
  return {
    mbarrierArrives: (warp, lane, address) => check(warp, lane, address, false),
    mbarrierExpects: (warp, lane, address) => check(warp, lane, address, false),
    copiesArrive: (warp, lane, address) => check(warp, lane, address, false),
    mbarrierWaits: (warp, mask, address) => each(warp, mask, address),
    mbarrierInvalidates: (warp, lane, address) => check(warp, lane, address, false),
    transferIssues(warp: Warp, lane: number, { completion }: Transfer) {
      if ("barrier" in completion) check(warp, lane, completion.barrier, true);
    },
  };
}
