/**
 * W9224: instructions that all lanes of a warp have to run together, and only some come to (HAZARDS 39, 45). Reported at once where
 * a guard lets only some lanes through, and where others have exited, but for barriers, which do without those (CUDA C++ Programming
 * Guide 7.6). Where all other lanes wait elsewhere, from where they need not come here, practice
 * tolerates it; it is reported when it ends in a deadlock (deadlock.ts).
 */
import { traitsOf } from "../../../ptx/parse/index.ts";
import { firstLanes, lanes } from "../../machine/lanes.ts";
import type { Executed, Listener } from "../../machine/monitor.ts";
import type { Warp } from "../../machine/warp.ts";
import { lanesName } from "../../machine/where.ts";
import { mayMiss } from "../../program/paths.ts";
import type { CheckContext } from "./context.ts";
import { warpName } from "./names.ts";

/** Lanes that the warp began with. */
function lanesAtFirst({ block: { launch }, index }: Warp): number {
  const [x, y, z] = launch.block;
  return firstLanes(x * y * z - lanes * index);
}

export function aligned({ program, tolerance, reports }: CheckContext): Listener {
  const told = new Set<number>();
  const reportOf = (warp: Warp, mask: number, { instruction }: Executed, other?: number) => {
    told.add(instruction.index);
    const args = { kernel: program.name, who: warpName(warp), instruction: instruction.opcode.text, lanes: lanesName(mask) };
    return ["W9224", args, instruction.index, other === undefined ? [] : [{ note: "others are at", at: other }]] as const;
  };
  const everybody = (step: Executed): boolean => traitsOf(step.instruction).barrier !== "threads";
  const listener: Listener = {
    step(warp, mask, step) {
      if (step.kind !== "operation" || !step.converged || mask === firstLanes(lanes) || told.has(step.instruction.index)) return;
      if (mask !== warp.live || (mask !== lanesAtFirst(warp) && everybody(step))) reports.add(...reportOf(warp, mask, step));
    },
  };
  if (tolerance === "ignore") return listener;
  return {
    ...listener,
    parted(warp, mask, step) {
      if (told.has(step.instruction.index)) return;
      const here = warp.splits.find((split) => split.mask === mask || (split.mask & mask) === mask);
      const others = warp.splits.filter((split) => split !== here);
      if (!here || others.some((split) => !split.waiting)) return;
      const away = others.find((split) => mayMiss(program.steps, split.pc, here.pc));
      if (away) reports.tolerate(...reportOf(warp, here.mask, step, program.steps[away.pc]?.instruction.index));
    },
  };
}
