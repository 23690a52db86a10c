/** A tensor map that the kernel itself has written needs a fence of its own proxy before a copy uses it (PTX ISA 9.7.13.4). W9223. */
import type { Listener } from "../../../machine/monitor.ts";
import type { Warp } from "../../../machine/warp.ts";
import type { CheckContext } from "../context.ts";
import { hex, memoryName, threadName } from "../names.ts";
import type { Access } from "./access.ts";
import type { LaunchOrder } from "./launch-order.ts";

const mapBytes = 128;

export function tensorMaps(c: CheckContext, order: LaunchOrder): Listener {
  const report = (warp: Warp, lane: number, address: number, access: Access): void => {
    const args = {
      kernel: c.program.name,
      who: `${threadName(warp, lane)} copies by the tensor map in`,
      what: memoryName("global", address, mapBytes),
      other: access.agent.describe(access, -1),
    };
    c.reports.add("W9225", args, warp.at, [{ note: "the other access is at", at: access.at, program: access.agent.program }]);
  };
  return {
    mapUsed(warp: Warp, lane: number, address: number) {
      const region = warp.block.launch.global.find(address, mapBytes);
      if (!region) return;
      const known = order.warp(warp).of(lane);
      for (const { access, lanes } of order.shadow(region).entriesOf(address - region.base, mapBytes)) {
        if (!access.writes || known.maps.covers(access.home, access.slot, access.tick, lanes)) continue;
        if (access.agent.kind === "launch") {
          report(warp, lane, address, access);
          return;
        }
        const why = "which this kernel has written, with no fence that makes it good for copies";
        const args = { kernel: c.program.name, who: threadName(warp, lane), map: hex(address), why };
        c.reports.add("W9223", args, warp.at, [{ note: "it was written at", at: access.at }]);
        return;
      }
    },
  };
}
