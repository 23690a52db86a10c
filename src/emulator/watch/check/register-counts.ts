/** W9221: `setmaxnreg` that raises what it should lower, or the other way round, or not alike in the four warps of a warpgroup, or not in all of them (HAZARDS 44). */
import type { Instruction } from "../../../ptx/parse/index.ts";
import type { Listener } from "../../machine/monitor.ts";
import type { Warp } from "../../machine/warp.ts";
import { registerPool } from "../../program/operations/setmaxnreg.ts";
import { hasTrait } from "../../program/traits.ts";
import type { CheckContext } from "./context.ts";
import { warpName } from "./names.ts";

/** What is wrong with a warp's asking for so many. */
function problem({ block, index }: Warp, i: Instruction, wanted: number): string | undefined {
  const pool = registerPool(block);
  const own = pool?.warps[index];
  if (!pool || !own) return undefined;
  const { action } = i.opcode.modifiers;
  if (action === "dec" && wanted > own.count) return `it has ${own.count} per thread, which .dec cannot make ${wanted}`;
  // Without .maxnreg an assembler may begin with fewer than there is room for.
  const exact = own.asked.length > 0 || block.launch.program.directives.maxnreg !== undefined;
  if (action === "inc" && exact && wanted < own.count) return `it has ${own.count} per thread, which .inc cannot make ${wanted}`;
  const first = index - (index % 4);
  for (const [at, other] of pool.warps.slice(first, first + 4).entries()) {
    const given = other.asked[own.asked.length]?.count;
    if (given !== undefined && given !== wanted) {
      return `it asks for ${wanted} per thread, warp ${first + at} of the same warpgroup has asked for ${given}`;
    }
  }
  return undefined;
}

export function registerCounts({ program, reports }: CheckContext): Listener {
  if (!hasTrait(program, "changesRegisters")) return {};
  /** Warps that have exited. */
  const gone = new WeakSet<Warp>();
  const askedBy = ({ block, index }: Warp) => registerPool(block)?.warps[index];
  /** A warp has exited that another one of its warpgroup has asked more often than. `now`: where that one asks. */
  const missed = (warp: Warp, other: Warp, now = askedBy(other)?.asking): void => {
    const { asked = [] } = askedBy(other) ?? {};
    const more = askedBy(warp)?.asked.length ?? 0;
    const at = more === asked.length ? now : asked[more]?.at;
    if (at === undefined) return;
    const reason = `it exits without it, and ${warpName(other)} of the same warpgroup runs it`;
    reports.add("W9221", { kernel: program.name, who: warpName(warp), reason }, at);
  };
  const others = (warp: Warp): readonly Warp[] => {
    const first = warp.index - (warp.index % 4);
    return warp.block.warps.slice(first, first + 4).filter((other) => other !== warp);
  };
  return {
    exits(warp, mask) {
      if ((warp.live & ~mask) !== 0 || !registerPool(warp.block)) return;
      gone.add(warp);
      for (const other of others(warp)) missed(warp, other);
    },
    step(warp, _mask, { instruction }) {
      if (instruction.opcode.form !== "setmaxnreg") return;
      for (const other of others(warp)) if (gone.has(other)) missed(other, warp, instruction.index);
      const [count] = instruction.operands;
      const reason = problem(warp, instruction, count?.kind === "int" ? Number(count.value) : 0);
      if (reason) reports.add("W9221", { kernel: program.name, who: warpName(warp), reason }, instruction.index);
    },
  };
}
