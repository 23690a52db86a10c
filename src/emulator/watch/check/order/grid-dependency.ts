/**
 * `griddepcontrol` (PTX ISA 9.7.13.13): a wait hears of the end of the launches before; who lets the next launch begin passes on
 * what it has released by a fence before. Of a block, the first call counts; one that never calls lets it begin with its end.
 */
import type { Instruction } from "../../../../ptx/parse/index.ts";
import type { Listener } from "../../../machine/monitor.ts";
import type { Block, Warp } from "../../../machine/warp.ts";
import type { CheckContext } from "../context.ts";
import type { LaunchOrder } from "./launch-order.ts";
import type { Footprint } from "./past-launches.ts";

export function gridDependency({ tolerance }: CheckContext, order: LaunchOrder, footprint: Footprint): Listener {
  const waited = new WeakSet<Block>();
  const begun = new WeakSet<Block>();
  const awaited = order.earlier?.awaited;

  const wait = (warp: Warp, mask: number): void => {
    footprint.waited = true;
    waited.add(warp.block);
    if (awaited) order.warp(warp).teach(mask, (known) => known.ended(awaited));
  };
  const begins = (warp: Warp, mask: number): void => {
    const { block } = warp;
    if (begun.has(block)) return;
    begun.add(block);
    const at = order.warp(warp);
    const lane = 31 - Math.clz32(mask & -mask);
    const known = at.of(lane);
    if (awaited && known.follows(awaited, 0, 1, 1)) footprint.waitedFirst = true;
    const released = at.fences.get("passed", "all", lane, tolerance);
    if (!released) return;
    footprint.released ??= at.fresh();
    footprint.released.join(released);
  };

  return {
    gridDependency(warp: Warp, mask: number, { opcode }: Instruction) {
      if (opcode.modifiers.action === "wait") wait(warp, mask);
      else begins(warp, mask);
    },
    exits(warp: Warp, mask: number) {
      const { block } = warp;
      if (!waited.has(block) || begun.has(block)) return;
      const last = block.warps.every((each) => (each === warp ? (each.live & ~mask) === 0 : each.live === 0));
      if (last) footprint.waitedFirst = true;
    },
  };
}
