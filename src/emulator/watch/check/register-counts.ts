/** W9221: `setmaxnreg` that raises what it should lower, or the other way round, or not alike in the four warps of a warpgroup (HAZARDS 44). */
import type { Instruction } from "../../../ptx/parse/index.ts";
import type { Listener } from "../../machine/monitor.ts";
import type { Warp } from "../../machine/warp.ts";
import { registerPool } from "../../program/operations/setmaxnreg.ts";
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
    const given = other.asked[own.asked.length];
    if (given !== undefined && given !== wanted) {
      return `it asks for ${wanted} per thread, warp ${first + at} of the same warpgroup has asked for ${given}`;
    }
  }
  return undefined;
}

export function registerCounts({ program, reports }: CheckContext): Listener {
  if (!program.instructions.some((i) => i.opcode.form === "setmaxnreg")) return {};
  return {
    step(warp, _mask, { instruction }) {
      if (instruction.opcode.form !== "setmaxnreg") return;
      const [count] = instruction.operands;
      const reason = problem(warp, instruction, count?.kind === "int" ? Number(count.value) : 0);
      if (reason) reports.add("W9221", { kernel: program.name, who: warpName(warp), reason }, instruction.index);
    },
  };
}
