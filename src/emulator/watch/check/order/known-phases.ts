import type { Warp } from "../../../machine/warp.ts";
import type { LaunchOrder } from "./launch-order.ts";

/**
 * The last phase of an mbarrier that some lane of a warp knows to be over, by whatever way it heard of it; -1: of none. Undefined
 * where there is no such barrier.
 */
export function knownPhase(order: LaunchOrder, warp: Warp, address: number): number | undefined {
  const bar = order.cluster(warp.block.cluster).mbarriers.get(address);
  if (!bar) return undefined;
  const ticks = order
    .warp(warp)
    .each()
    .map((known) => known.generic.tickOf(bar.slot));
  return Math.max(-1, ...ticks.map((tick) => tick - bar.first));
}
