/**
 * W9245: a lane that runs a `.sync` instruction of its warp and is not in the mask that it gives: what it does is undefined (PTX ISA
 * 9.7.9.6, 9.7.13.2 and their neighbours).
 */
import type { Listener } from "../../machine/monitor.ts";
import { lanesName } from "../../machine/where.ts";
import type { CheckContext } from "./context.ts";
import { hex, warpName } from "./names.ts";

export function members({ program, reports }: CheckContext): Listener {
  const told = new Set<number>();
  return {
    outsideMask(warp, lanes, mask, i) {
      if (told.has(i.index)) return;
      told.add(i.index);
      const who = { kernel: program.name, who: warpName(warp), lanes: lanesName(lanes) };
      reports.add("W9245", { ...who, instruction: i.opcode.text, mask: hex(mask >>> 0) }, i.index);
    },
  };
}
