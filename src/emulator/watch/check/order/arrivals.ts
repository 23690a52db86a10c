/**
 * Each thread arrives once at a barrier of its block or cluster before that is over (PTX ISA 9.7.13.1, 9.7.13.3): it has waited there
 * itself, or heard of somebody who has. At the barrier of a cluster nobody waits who has not arrived. W9226.
 *
 * Practice lets a warp arrive and then wait at one barrier; `strict` reports it.
 *
 * Nor does another warp arrive at a barrier of its block before it has heard that those who met there before have left, or that all of them have
 * come: under another timing it meets them. W9247. Waits that say nothing of memory (a relaxed barrier of the cluster, a relaxed mbarrier, a flag without
 * fences) put warps in an order, too, of which the clocks know nothing: a warp that has passed one since is not reported.
 *
 * All warps that meet at a barrier reduce by one operation, or none of them reduces. W9249.
 *
 * An arrival that nobody ever waits for is none of this: it ends with its block.
 */

import { getOrMake } from "../../../../base/get-or-make.ts";
import type { Instruction } from "../../../../ptx/parse/index.ts";
import { traitsOf } from "../../../../ptx/parse/index.ts";
import type { Listener } from "../../../machine/monitor.ts";
import { Notes } from "../../../machine/notes.ts";
import type { Cluster, Warp } from "../../../machine/warp.ts";
import { type CheckContext, inPractice } from "../context.ts";
import { warpName } from "../names.ts";
import type { Home } from "./clock.ts";
import type { LaunchOrder } from "./launch-order.ts";
import { partOf } from "./strong-accesses.ts";

/** Instead of the number of a barrier of the block. */
const ofCluster = -1;

/** One that has come to a barrier, or left it: what it does later has a later tick. */
interface Step {
  readonly home: Home;
  readonly slot: number;
  readonly tick: number;
}

/** `meeting`: one object for all who meet. `waits`: there, as part of the same instruction. */
interface Arrival {
  readonly meeting: object;
  readonly at: number;
  readonly waits: boolean;
}

/** `bar.arrive`, then `bar.sync` of the same warp while the same barrier still waits for others: the hardware counts both. */
const countsTwice = (before: Arrival, now: Arrival): boolean => before.meeting === now.meeting && !before.waits && now.waits;

const waitsThere = (i: Instruction): boolean => !traitsOf(i).arrives;

/** A barrier of a block: who meets there now, and who met there last. */
interface Place {
  readonly meeting: object;
  readonly warps: Warp[];
  /** Where the first of them came to it. */
  readonly at: number;
  /** The operation by which they reduce there; nothing where they only meet. */
  readonly reduces: string;
  /** How many waits had passed when the last of them came. */
  waits: number;
  before: Place | undefined;
}

/** `bar.red` is not mixed with `bar.sync` and `bar.arrive` at an active barrier (PTX ISA 9.7.13.1), nor one operation with another. */
function reductionOf(i: Instruction): string {
  const { joins } = traitsOf(i);
  return joins === "op" ? `op ${i.opcode.modifiers.op}` : (joins ?? "");
}

const left = new Notes<Step[]>();
const came = new Notes<Step[]>();
/** By the number of the barrier. */
const places = new Notes<Place[]>();
/** What a warp has arrived at and not left, by the number of the barrier; the cluster's comes first. */
const arrived = new Notes<(Arrival | undefined)[]>();
const indexOf = (barrier: number): number => barrier - ofCluster;

export function arrivals(c: CheckContext, order: LaunchOrder): Listener {
  const phases = new WeakMap<Cluster, Map<number, object>>();
  const strong = c.program.instructions.map((i) => partOf(i) !== undefined);

  const openOf = (warp: Warp): (Arrival | undefined)[] => {
    const at = order.warp(warp);
    return getOrMake(arrived, at, () => []);
  };
  const phaseOf = ({ block: { cluster } }: Warp, phase: number): object => {
    const known = phases.get(cluster) ?? new Map<number, object>();
    phases.set(cluster, known);
    const meeting = known.get(phase) ?? {};
    known.set(phase, meeting);
    known.delete(phase - 2);
    return meeting;
  };
  const reportOf = (warp: Warp, id: number, why: string, before?: Arrival) => {
    const barrier = id === ofCluster ? "the barrier of its cluster" : `barrier ${id} of its block`;
    const args = { kernel: c.program.name, who: warpName(warp), barrier, why };
    return ["W9226", args, warp.at, before ? [{ note: "it arrived before at", at: before.at }] : []] as const;
  };
  /** Lanes of a warp come and leave together: who has heard of one has heard enough. */
  const hasHeard =
    (warp: Warp) =>
    ({ home, slot, tick }: Step): boolean =>
      order
        .warp(warp)
        .each()
        .some((each) => {
          for (let lane = 0; lane < 32; lane++) if (each.follows(home, slot, tick, 1 << lane)) return true;
          return false;
        });
  /** That somebody has left, or, of a meeting that is not `open`, that all have come. */
  const isOver = (warp: Warp, meeting: object, open?: object): boolean => {
    const heard = hasHeard(warp);
    if (left.get(meeting)?.some(heard)) return true;
    return meeting !== open && (came.get(meeting)?.every(heard) ?? false);
  };
  /** Waits that have passed, of all warps; and of a warp the last one that may have put it in an order without a word of memory. */
  let waits = 0;
  const untold = new WeakMap<Warp, number>();
  const hasWaited = (warp: Warp): void => {
    waits += 1;
    untold.set(warp, waits);
  };
  /** Of a barrier of a block. */
  const come = (warp: Warp, id: number, meeting: object, i: Instruction): void => {
    const ofBlock = getOrMake(places, warp.block, () => []);
    let place = ofBlock[id];
    if (!place || place.meeting !== meeting) {
      if (place) place.before = undefined;
      place = { meeting, warps: [], at: warp.at, waits, reduces: reductionOf(i), before: place };
      ofBlock[id] = place;
    }
    const [first] = place.warps;
    if (first && place.reduces !== reductionOf(i)) {
      const others = { others: warpName(first), of: c.program.instructions[place.at]?.opcode.text ?? "another" };
      const args = { kernel: c.program.name, who: warpName(warp), barrier: String(id), by: i.opcode.text, ...others };
      c.reports.add("W9249", args, warp.at, [{ note: "it came at", at: place.at }]);
    }
    place.warps.push(warp);
    place.waits = waits;
    const { before } = place;
    if (!before || before.warps.includes(warp) || isOver(warp, before.meeting)) return;
    if ((untold.get(warp) ?? 0) > before.waits) return;
    const others = [...new Set(before.warps.map(warpName))].join(" and ");
    const args = { kernel: c.program.name, who: warpName(warp), barrier: String(id), others };
    c.reports.add("W9247", args, warp.at, [{ note: "they met there at", at: before.at }]);
  };
  const arrive = (warp: Warp, barrier: number, meeting: object, waits = false): void => {
    const open = openOf(warp);
    const before = open[indexOf(barrier)];
    const now: Arrival = { meeting, at: warp.at, waits };
    open[indexOf(barrier)] = now;
    const { home, slot, tick } = order.warp(warp);
    const known = came.get(meeting);
    if (known) known.push({ home, slot, tick });
    else came.set(meeting, [{ home, slot, tick }]);
    // At the barrier of a cluster the wait is each one's own.
    if (!before || isOver(warp, before.meeting, barrier === ofCluster ? before.meeting : meeting)) return;
    if (countsTwice(before, now)) {
      const why = `it has arrived there before it waits, and counts twice; ${inPractice}`;
      c.reports.tolerate(...reportOf(warp, barrier, why, before));
    } else {
      const why = "it arrives again, and nothing tells it that all have come to the barrier since it arrived before";
      c.reports.add(...reportOf(warp, barrier, why, before));
    }
  };
  const leave = (warp: Warp, barrier: number, meeting: object): void => {
    const { home, slot, tick } = order.warp(warp);
    const known = left.get(meeting);
    if (known) known.push({ home, slot, tick });
    else left.set(meeting, [{ home, slot, tick }]);
    openOf(warp)[indexOf(barrier)] = undefined;
  };

  return {
    barrierArrives(warp, _mask, meeting, i, id) {
      arrive(warp, id, meeting, waitsThere(i));
      come(warp, id, meeting, i);
    },
    barrierLeaves: (warp, _mask, meeting, _i, id) => leave(warp, id, meeting),
    clusterArrives: (warp) => arrive(warp, ofCluster, phaseOf(warp, warp.clusterPhase)),
    clusterLeaves(warp) {
      if (!openOf(warp)[indexOf(ofCluster)])
        c.reports.add(...reportOf(warp, ofCluster, "it waits, but has not arrived since its last wait"));
      leave(warp, ofCluster, phaseOf(warp, warp.clusterPhase - 1));
      hasWaited(warp);
    },
    mbarrierWaits(warp, _mask, _address, _phase, passed) {
      if (passed) hasWaited(warp);
    },
    ...(strong.some(Boolean)
      ? {
          read: (warp, _lane, _region, _offset, _bytes, at) => void (strong[at] && hasWaited(warp)),
          atomic: (warp) => hasWaited(warp),
          reads: (warp, of) => void (strong[of.at] && hasWaited(warp)),
          atomics: (warp) => hasWaited(warp),
        }
      : {}),
  };
}
