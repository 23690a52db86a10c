/** What the emulator executes, counted as reports count it. */
import type { Listener } from "../../../../src/emulator/machine/monitor.ts";
import { monitorOf } from "../../../../src/emulator/machine/monitor.ts";
import type { Transfer } from "../../../../src/emulator/machine/units/index.ts";
import type { Watch } from "../../../../src/emulator/run/watcher.ts";

/** Of one launch. */
export interface Executed {
  readonly kernel: string;
  readonly grid: readonly [number, number, number];
  readonly read: { threads: number; tma: number };
  readonly written: { threads: number; tma: number };
  wgmma: number;
  block: number;
  arrivals: number;
}

const globalBytes = (ranges: Transfer["reads"]): number =>
  ranges.reduce((sum, range) => sum + (range.space === "global" ? range.bytes : 0), 0);
const isGlobal = (ranges: Transfer["reads"]): boolean => ranges.some(({ space }) => space === "global");
const isShared = (ranges: Transfer["reads"]): boolean => ranges.some(({ space }) => space === "shared");

/** Whole boxes, as mbarriers count them; loads of `cp.async` by what is read. */
function count(executed: Executed, { kind, reads, writes, bytes, reduces }: Transfer): void {
  if (kind === "cp.async") {
    executed.read.threads += globalBytes(reads);
    return;
  }
  // A box that lies outside of its tensor is read from nowhere; so is what a thread stores in another block.
  const toShared = isShared(writes) && (isGlobal(reads) || (kind === "tensor" && reads.length === 0));
  const toGlobal = isShared(reads) && isGlobal(writes);
  if (toShared) executed.read.tma += bytes;
  if (toGlobal) executed.written.tma += bytes;
  if (toGlobal && reduces) executed.read.tma += bytes;
}

const lanes = (mask: number): number => {
  let n = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) n++;
  return n;
};

/** A watch that counts each launch, and tells of it. */
export function countingWatch(told: (executed: Executed) => void): Watch {
  return ({ program, grid }) => {
    const executed: Executed = {
      kernel: program.name,
      grid: [grid[0], grid[1], grid[2]],
      read: { threads: 0, tma: 0 },
      written: { threads: 0, tma: 0 },
      ...{ wgmma: 0, block: 0, arrivals: 0 },
    };
    const listener: Listener = {
      read: (_warp, _lane, { space }, _offset, bytes) => {
        if (space === "global") executed.read.threads += bytes;
      },
      write: (_warp, _lane, { space }, _offset, bytes) => {
        if (space === "global") executed.written.threads += bytes;
      },
      atomic: (_warp, _lane, { space }, _offset, bytes) => {
        if (space !== "global") return;
        executed.read.threads += bytes;
        executed.written.threads += bytes;
      },
      transferIssues: (_warp, _lane, transfer) => count(executed, transfer),
      wgmmaIssues: () => {
        executed.wgmma += 1;
      },
      barrierArrives: (_warp, mask) => {
        executed.block += lanes(mask);
      },
      mbarrierArrives: () => {
        executed.arrivals += 1;
      },
    };
    return {
      monitor: monitorOf([listener]),
      ...{ reports: undefined, strict: false, apart: undefined, left: undefined },
      end: () => told(executed),
    };
  };
}
