import type { Warp } from "../../warp.ts";
import type { LaunchOrder } from "./launch-order.ts";

/**
 * The last phase of an mbarrier that some lane of a warp knows to be over, by whatever way it heard of it; -1: of none. Undefined
 * where there is no such barrier.
 */
export function knownPhase(order: LaunchOrder, warp: Warp, address: number): number | undefined {
  const bar = order.cluster(warp.block.cluster).mbarriers.get(address);
  if (!bar) return undefined;
  const at = order.warp(warp);
  let last = at.common.generic.tickOf(bar.slot);
  for (let rest = warp.live; rest !== 0; rest &= rest - 1) {
    last = Math.max(last, at.of(31 - Math.clz32(rest & -rest)).generic.tickOf(bar.slot));
  }
  return Math.max(-1, last - bar.first);
}
