import { failHere } from "../trace/fail-here.ts";
import { threadsOf } from "../trace/partition.ts";
import type { Trace } from "../trace/trace.ts";

/**
 * Registers per thread when the kernel begins: the author's, else the most that every block may have. Hopper allocates them by eight.
 * PTX ISA 11.1 (`.maxnreg`), 9.7.19.5. What partitions take of them is checked in specialize.ts; the emulator's pool is
 * emulator/program/operations/setmaxnreg.ts.
 */
export function entryRegisters(trace: Trace): number {
  const { registers, blocksPerSM } = trace.options.launch;
  const { limits } = trace.options.target;
  if (registers !== undefined) return Math.ceil(registers / 8) * 8;
  return Math.min(256, Math.floor(limits.registers / (threadsOf(trace) * (blocksPerSM ?? 1)) / 8) * 8);
}

/** W6502. */
export function checkRegisters(count: unknown, name: string): number {
  if (typeof count === "number" && Number.isInteger(count) && count >= 24 && count <= 256 && count % 8 === 0) return count;
  return failHere("W6502", { name, given: typeof count === "number" ? String(count) : "a number of" });
}

/** `setmaxnreg` to that many, in the direction that it is from where the warpgroup stands. Nothing where it has them. */
export function setRegisters(trace: Trace, count: number, from: number): void {
  if (count !== from) trace.emit("setmaxnreg", {}, { count, action: count > from ? "inc" : "dec" });
}
