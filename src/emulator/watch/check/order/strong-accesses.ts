/**
 * Release and acquire through memory (PTX ISA 8.8): a release passes on with the value that it writes, and so does a relaxed write
 * after a fence; an acquire hears what was passed on with the value that it reads, and so does a fence after a relaxed read.
 */
import { readForm } from "../../../../ptx/isa/read/index.ts";
import type { Instruction } from "../../../../ptx/parse/tree.ts";
import type { LaneAccesses } from "../../../machine/lane-accesses.ts";
import type { Region } from "../../../machine/memory.ts";
import type { Listener } from "../../../machine/monitor.ts";
import type { Warp } from "../../../machine/warp.ts";
import type { CheckContext } from "../context.ts";
import type { Knowledge } from "./clock.ts";
import type { LaunchOrder } from "./launch-order.ts";
import type { WarpOrder } from "./threads.ts";

type Part = "" | "relaxed" | "acquire" | "release" | "acq_rel";

/** How an instruction takes part; undefined where it is weak. */
function partOf(i: Instruction | undefined): Part | undefined {
  if (!i) return undefined;
  const { form, modifiers } = i.opcode;
  const { order } = modifiers;
  const { access } = readForm(form);
  if (access === "atomic" || access === "reduction") return (order ?? "") as Part;
  if (order === undefined || order === "" || order === "weak") return undefined;
  return (order === "volatile" ? "relaxed" : order) as Part;
}

/** Whether a fence releases to all of the machine. */
const isWide = ({ opcode: { modifiers } }: Instruction): boolean =>
  modifiers.order !== "acquire" && ["gpu", "sys", "gl"].includes((modifiers.scope ?? modifiers.level) as string);

export function strongAccesses(c: CheckContext, order: LaunchOrder): Listener {
  const places = new WeakMap<Region, Map<number, Knowledge>>();
  const parts = c.program.instructions.map(partOf);
  const placesOf = (region: Region): Map<number, Knowledge> => {
    let known = places.get(region);
    if (!known) {
      known = new Map();
      places.set(region, known);
    }
    return known;
  };

  const hear = (at: WarpOrder, lane: number, part: Part, region: Region, offset: number): void => {
    const there = placesOf(region).get(offset);
    if (!there) return;
    if (part === "acquire" || part === "acq_rel") {
      at.acquire(1 << lane, there);
      return;
    }
    const before = at.fences.get("heard", lane);
    if (before === there) return;
    let both = there;
    if (before) {
      both = at.fresh();
      both.join(before);
      both.join(there);
    }
    at.fences.set("heard", lane, both);
  };
  /** `keeps`: what was passed on with the value before goes on (a release sequence). */
  const pass = (at: WarpOrder, lane: number, part: Part, region: Region, offset: number, keeps: boolean): void => {
    const before = keeps ? placesOf(region).get(offset) : undefined;
    const releases = part === "release" || part === "acq_rel";
    const fenced = releases ? undefined : at.fences.get("passed", lane);
    // Most atomics are relaxed and no fence is before them: they add nothing.
    if (!releases && (fenced === undefined || before === undefined)) {
      const known = before ?? fenced;
      if (known) placesOf(region).set(offset, known);
      else placesOf(region).delete(offset);
      return;
    }
    const known = at.fresh();
    if (before) known.join(before);
    if (releases) at.publish(1 << lane, known);
    else if (fenced) known.join(fenced);
    placesOf(region).set(offset, known);
  };

  const read = (warp: Warp, lane: number, region: Region, offset: number, index: number): void => {
    const part = parts[index];
    if (part !== undefined && region.space !== "local") hear(order.warp(warp), lane, part, region, offset);
  };
  const write = (warp: Warp, lane: number, region: Region, offset: number, index: number): void => {
    const part = parts[index];
    if (region.space === "local") return;
    if (part !== undefined) pass(order.warp(warp), lane, part, region, offset, false);
    else places.get(region)?.delete(offset);
  };
  const atomic = (warp: Warp, lane: number, region: Region, offset: number, index: number): void => {
    const at = order.warp(warp);
    const part = parts[index] ?? "";
    hear(at, lane, part, region, offset);
    pass(at, lane, part, region, offset, true);
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
      if (i.opcode.form !== "fence" && i.opcode.form !== "membar") return;
      const at = order.warp(warp);
      const { fences } = at;
      const passes = (lane: number, passed: Knowledge): void => {
        fences.set("passed", lane, passed);
        if (isWide(i)) fences.set("released", lane, passed);
      };
      if (c.tolerance !== "report" && at.whole(mask) && fences.hasHeardNothing) {
        const passed = at.fresh();
        at.publish(mask, passed);
        for (let lane = 0; lane < 32; lane++) passes(lane, passed);
        return;
      }
      for (let rest = mask; rest !== 0; rest &= rest - 1) {
        const lane = 31 - Math.clz32(rest & -rest);
        const heard = fences.get("heard", lane);
        if (heard) at.acquire(1 << lane, heard);
        fences.set("heard", lane, undefined);
        const passed = at.fresh();
        at.publish(1 << lane, passed);
        passes(lane, passed);
      }
    },
  };
}
