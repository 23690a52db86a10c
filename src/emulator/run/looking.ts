/** What a loop looks at again and again, in words: of threads that wait for what somebody else is to write. */
import type { Instruction } from "../../ptx/parse/tree.ts";
import { nameAt } from "../machine/memory-names.ts";
import { instructionsOf } from "../machine/monitor.ts";
import type { Split, Warp } from "../machine/warp.ts";
import { hears, isSharedAccess } from "../program/communicates.ts";
import { shortestLoop } from "../program/paths.ts";
import type { Program } from "../program/program.ts";
import type { LaunchState } from "./launch-state.ts";

const looks = (i: Instruction): boolean => hears(i) && isSharedAccess(i);

/** The first load or atomic of the loop that the split is in. */
export function lookOf({ steps }: Program, split: Split): Instruction | undefined {
  const step = steps[split.pc];
  if (step?.kind === "operation" && (step.converged || step.run.lacks)) return undefined;
  return shortestLoop(steps, split.pc)
    .flatMap((at) => steps[at] ?? [])
    .flatMap(instructionsOf)
    .find(looks);
}

/** "which finds 0 at 0x7f00000000 (element 0 of x, [64])": what a lane of the split has looked at, where its address is still there. */
export function findingOf(
  { program, global, memories }: LaunchState,
  warp: Warp,
  split: Split,
  { index, opcode }: Instruction,
): string {
  const lane = 31 - Math.clz32(split.mask & -split.mask);
  const address = program.addressOf(index)?.(warp, lane);
  const { type } = opcode.types;
  if (address === undefined || !type || type.bits < 32 || type.bits > 64) return "";
  const region = global.find(address, type.bits / 8);
  if (!region) return "";
  const at = (address - region.base) / 4;
  const low = BigInt(region.u32[at] ?? 0);
  const value = type.bits === 32 ? low : low | (BigInt(region.u32[at + 1] ?? 0) << 32n);
  const shown = type.kind === "float" || value > 0xffff ? `0x${value.toString(16)}` : `${value}`;
  return `, which finds ${shown} at 0x${address.toString(16)}${nameAt({ memories, program }, "global", address)}`;
}
