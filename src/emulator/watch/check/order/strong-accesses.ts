/**
 * Release and acquire through memory (PTX ISA 8.8): a release passes on with the value that it writes, and so does a relaxed write
 * after a fence; an acquire hears what was passed on with the value that it reads, and so does a fence after a relaxed read.
 */

import type { Instruction } from "../../../../ptx/parse/index.ts";
import { traitsOf } from "../../../../ptx/parse/index.ts";
import type { LaneAccesses } from "../../../machine/lane-accesses.ts";
import type { Region } from "../../../machine/memory.ts";
import type { Listener } from "../../../machine/monitor.ts";
import type { Warp } from "../../../machine/warp.ts";
import type { CheckContext } from "../context.ts";
import { Knowledge } from "./clock.ts";
import { type Reach, reaches } from "./fences.ts";
import type { LaunchOrder } from "./launch-order.ts";
import type { WarpOrder } from "./threads.ts";

type Part = "" | "relaxed" | "acquire" | "release" | "acq_rel";

/** How an instruction takes part; undefined where it is weak. */
export function partOf(i: Instruction | undefined): Part | undefined {
  if (!i) return undefined;
  const { order } = i.opcode.modifiers;
  const { access } = traitsOf(i);
  if (access === "atomic" || access === "reduction") return (order ?? "") as Part;
  if (order === undefined || order === "" || order === "weak") return undefined;
  return (order === "volatile" ? "relaxed" : order) as Part;
}

const isFence = (i: Instruction): boolean => traitsOf(i).fence === "memory";

/** For whom a fence or a strong access is. */
function reachOf({ opcode: { modifiers } }: Instruction): Reach {
  const scope = modifiers.scope ?? modifiers.level;
  return scope === "cta" ? "block" : scope === "cluster" ? "cluster" : "all";
}

/** What was passed on with a value, by whom it reaches: `everyone`, a cluster or a block. What reaches more reaches those within it, too. */
type Passed = Map<object, Knowledge>;
const everyone = {};

export function strongAccesses(c: CheckContext, order: LaunchOrder): Listener {
  const { tolerance } = c;
  const places = new WeakMap<Region, Map<number, Passed>>();
  const parts = c.program.instructions.map(partOf);
  const reachesOf = c.program.instructions.map((i, at) => (isFence(i) || parts[at] !== undefined ? reachOf(i) : "all"));
  /** Where none is for a block or a cluster, all are for all. */
  const used: readonly Reach[] = reachesOf.some((reach) => reach !== "all") ? reaches : ["all"];
  /** Those within the scope of a strong access: two of which neither holds the other pass nothing on to each other (PTX ISA 8.7). */
  const within = (index: number): readonly Reach[] => used.slice(0, used.indexOf(reachesOf[index] ?? "all") + 1);
  const placesOf = (region: Region): Map<number, Passed> => {
    let known = places.get(region);
    if (!known) {
      known = new Map();
      places.set(region, known);
    }
    return known;
  };
  const groupOf = ({ warp: { block } }: WarpOrder, reach: Reach): object =>
    reach === "all" ? everyone : reach === "block" ? block : block.cluster;

  const hear = (at: WarpOrder, lane: number, part: Part, region: Region, offset: number, index: number): void => {
    const there = placesOf(region).get(offset);
    if (!there) return;
    for (const reach of within(index)) {
      const known = there.get(groupOf(at, reach));
      if (!known) continue;
      if (part === "acquire" || part === "acq_rel") at.acquire(1 << lane, known);
      else at.fences.add(reach, lane, known);
    }
  };
  /** `keeps`: what was passed on with the value before goes on (a release sequence). */
  const pass = (at: WarpOrder, lane: number, region: Region, offset: number, index: number, keeps: boolean): void => {
    const part = parts[index] ?? "";
    const before = keeps ? placesOf(region).get(offset) : undefined;
    let released: Knowledge | undefined;
    if (part === "release" || part === "acq_rel") {
      released = at.fresh();
      at.publishOwn(1 << lane, released);
    }
    const now: Passed = new Map(before);
    for (const reach of within(index)) {
      const group = groupOf(at, reach);
      const passed = released ?? at.fences.get("passed", reach, lane, tolerance);
      if (passed) now.set(group, Knowledge.joined(at.home, [before?.get(group), passed]) ?? passed);
    }
    // Most atomics are relaxed and no fence is before them: they add nothing.
    if (now.size > 0) placesOf(region).set(offset, now);
    else placesOf(region).delete(offset);
  };

  const read = (warp: Warp, lane: number, region: Region, offset: number, index: number): void => {
    const part = parts[index];
    if (part !== undefined && region.space !== "local") hear(order.warp(warp), lane, part, region, offset, index);
  };
  const write = (warp: Warp, lane: number, region: Region, offset: number, index: number): void => {
    const part = parts[index];
    if (region.space === "local") return;
    if (part !== undefined) pass(order.warp(warp), lane, region, offset, index, false);
    else places.get(region)?.delete(offset);
  };
  const atomic = (warp: Warp, lane: number, region: Region, offset: number, index: number): void => {
    const at = order.warp(warp);
    const part = parts[index] ?? "";
    hear(at, lane, part, region, offset, index);
    pass(at, lane, region, offset, index, true);
  };
  const readEach = (warp: Warp, of: LaneAccesses): void => of.each((lane, offset, at) => read(warp, lane, of.region, offset, at));
  const writeEach = (warp: Warp, of: LaneAccesses): void =>
    of.each((lane, offset, at) => write(warp, lane, of.region, offset, at));
  // Nobody passes anything on through memory, nobody hears of it.
  const none = parts.every((part) => part === undefined);
  const heard: Listener = {
    read: (warp, lane, region, offset, _bytes, index) => read(warp, lane, region, offset, index),
    write: (warp, lane, region, offset, _bytes, index) => write(warp, lane, region, offset, index),
    atomic: (warp, lane, region, offset, _bytes, index) => atomic(warp, lane, region, offset, index),
    reads(warp, of) {
      if (parts[of.at] !== undefined) readEach(warp, of);
    },
    writes(warp, of) {
      if (parts[of.at] !== undefined || places.has(of.region)) writeEach(warp, of);
    },
    atomics: (warp, of) => of.each((lane, offset, at) => atomic(warp, lane, of.region, offset, at)),
  };
  return {
    ...(none ? {} : heard),
    fence(warp: Warp, mask: number, i: Instruction) {
      if (!isFence(i)) return;
      const at = order.warp(warp);
      const { fences } = at;
      const reach = reachOf(i);
      const reached = used.slice(0, used.indexOf(reach) + 1);
      const [hears, passes] = [i.opcode.modifiers.order !== "release", i.opcode.modifiers.order !== "acquire"];
      const pass = (lanes: number): void => {
        const passed = at.fresh();
        at.publishOwn(lanes, passed);
        for (const each of reached) fences.set("passed", each, lanes, passed);
      };
      // Where nothing is told of practice, it does not matter which of the lanes has fenced.
      if (tolerance === "ignore" && passes && at.whole(mask) && fences.hasHeardNothing) {
        pass(mask);
        return;
      }
      for (let rest = mask; rest !== 0; rest &= rest - 1) {
        const lane = 31 - Math.clz32(rest & -rest);
        for (const each of hears ? reached : []) {
          const heard = fences.get("heard", each, lane, tolerance);
          if (!heard) continue;
          at.acquire(1 << lane, heard);
          fences.set("heard", each, 1 << lane, undefined);
        }
        if (passes) pass(1 << lane);
      }
      // In practice one lane of a fence that several run sets the flag for the others.
      if (tolerance !== "report") fences.meet(mask);
    },
  };
}
