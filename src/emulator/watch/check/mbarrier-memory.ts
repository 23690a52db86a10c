/** W9213: memory that holds a live mbarrier is for the mbarrier instructions alone (PTX ISA 9.7.13.15.1; HAZARDS 4, 13). */
import type { LaneAccesses } from "../../machine/lane-accesses.ts";
import type { Region } from "../../machine/memory.ts";
import type { Listener } from "../../machine/monitor.ts";
import type { TransferRange } from "../../machine/units/index.ts";
import type { Warp } from "../../machine/warp.ts";
import { hasTrait } from "../../program/traits.ts";
import type { CheckContext } from "./context.ts";
import { barrierName, threadName } from "./names.ts";

const mbarrierBytes = 8;

/** The live mbarriers of a block, by their offset. */
class LiveBarriers {
  readonly #offsets = new Set<number>();
  #low = 0;
  #high = 0;

  change(offset: number, live: boolean): void {
    if (live) this.#offsets.add(offset);
    else this.#offsets.delete(offset);
    this.#low = Number.POSITIVE_INFINITY;
    this.#high = Number.NEGATIVE_INFINITY;
    for (const at of this.#offsets) {
      this.#low = Math.min(this.#low, at);
      this.#high = Math.max(this.#high, at + mbarrierBytes);
    }
  }

  /** Whether there are any. */
  get some(): boolean {
    return this.#offsets.size > 0;
  }

  /** The first that the bytes have a part in; -1: none. */
  touched(offset: number, bytes: number): number {
    if (this.#offsets.size === 0 || offset >= this.#high || offset + bytes <= this.#low) return -1;
    for (const at of this.#offsets) if (at < offset + bytes && offset < at + mbarrierBytes) return at;
    return -1;
  }
}

export function mbarrierMemory(c: CheckContext): Listener {
  if (!hasTrait(c.program, "usesMbarriers")) return {};
  const regions = new WeakMap<Region, LiveBarriers>();
  const told = new Set<number>();
  const report = (who: string, does: string, barrier: number, at: number): void => {
    told.add(at);
    c.reports.add("W9213", { kernel: c.program.name, who, does, barrier: barrierName(barrier, c) }, at);
  };
  const check = (warp: Warp, lane: number, region: Region, offset: number, bytes: number, does: string, at: number): void => {
    const found = regions.get(region)?.touched(offset, bytes) ?? -1;
    if (found >= 0 && !told.has(at)) report(threadName(warp, lane), does, region.base + found, at);
  };
  const access = (does: string) => (warp: Warp, lane: number, region: Region, offset: number, bytes: number, at: number) => {
    if (region.space === "shared") check(warp, lane, region, offset, bytes, does, at);
  };
  const checkEach = (warp: Warp, of: LaneAccesses, does: string): void =>
    of.each((lane, offset, at) => check(warp, lane, of.region, offset, of.bytes, does, at));
  const accesses = (does: string) => (warp: Warp, of: LaneAccesses) => {
    if (of.region.space === "shared" && regions.get(of.region)?.some) checkEach(warp, of, does);
  };
  const change = (warp: Warp, address: number, live: boolean): void => {
    const region = warp.block.cluster.shared.find(address, mbarrierBytes);
    if (!region) return;
    const known = regions.get(region) ?? new LiveBarriers();
    regions.set(region, known);
    known.change(address - region.base, live);
  };
  const ranges = (warp: Warp, lane: number, all: readonly TransferRange[], does: string): void => {
    for (const range of all) {
      const region = range.space === "shared" ? warp.block.cluster.shared.blocks[range.rank] : undefined;
      if (region && range.space === "shared") check(warp, lane, region, range.offset, range.bytes, does, warp.at);
    }
  };
  return {
    read: access("reads"),
    write: access("writes"),
    atomic: access("changes"),
    reads: accesses("reads"),
    writes: accesses("writes"),
    atomics: accesses("changes"),
    mbarrierInits: (warp, _mask, address) => change(warp, address, true),
    mbarrierInvalidates: (warp, _lane, address) => change(warp, address, false),
    transferIssues(warp, lane, transfer) {
      ranges(warp, lane, transfer.reads, "copies");
      ranges(warp, lane, transfer.writes, "copies into");
    },
  };
}
