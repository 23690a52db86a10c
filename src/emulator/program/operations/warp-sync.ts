/** Lanes of a warp that name each other in a mask and wait for each other (PTX ISA 9.7.13.2). */
import type { Instruction } from "../../../ptx/parse/index.ts";
import { forEachLane, lowestLane } from "../../machine/lanes.ts";
import { partOf, type Split, type Warp, type WarpGathering } from "../../machine/warp.ts";
import { lanesName } from "../../machine/where.ts";
import { readWord } from "../operands.ts";
import { waiting } from "../step.ts";
import type { OperationRule } from "./rule.ts";

/** Calls for each set of lanes that name the same members: halves of a warp may each do it for themselves. */
export function forEachGroup(
  mask: number,
  membersOf: (lane: number) => number,
  visit: (lanes: number, members: number) => void,
): void {
  for (let rest = mask; rest !== 0; ) {
    const members = membersOf(lowestLane(rest));
    let same = 0;
    forEachLane(rest, (lane) => {
      if (membersOf(lane) === members) same |= 1 << lane;
    });
    visit(same, members);
    rest &= ~same;
  }
}

/** Tells of lanes that are not in the mask of members that they give themselves. */
export function tellOutside(warp: Warp, group: number, members: number, i: Instruction): void {
  const outside = group & ~members;
  if (outside !== 0) warp.block.launch.monitor?.outsideMask(warp, outside, members, i);
}

/** Some lanes of a split stay at the instruction, all others of it go on. */
export function holdBack(warp: Warp, split: Split, mask: number): Split {
  const held = partOf(warp, split, mask);
  held.waiting = true;
  return held;
}

function gatheringOf(warp: Warp, members: number): WarpGathering {
  const known = warp.gatherings.get(members) ?? { arrived: 0, token: { open: false, result: 0 } };
  warp.gatherings.set(members, known);
  return known;
}

/**
 * `bar.warp.sync`: a barrier for each mask. Its lanes wait until all of the mask that have not exited have come to one with that mask,
 * wherever it stands.
 */
export const warpSync: OperationRule = (c, i) => {
  const read = readWord(c, i.operands[0]);

  /** Lets those go who have come, once nobody is missing. */
  const opens = (warp: Warp, members: number, { arrived, token }: WarpGathering): boolean => {
    if ((members & warp.live & ~arrived) !== 0) return false;
    // Others that have come with this mask are let go, and have met nobody.
    warp.block.launch.monitor?.met(warp, arrived & members, i);
    token.open = true;
    warp.gatherings.delete(members);
    for (const other of warp.splits) if (other.token === token) other.waiting = false;
    return true;
  };
  const comes = (warp: Warp, lanes: number, members: number, split: Split): void => {
    tellOutside(warp, lanes, members, i);
    const gathering = gatheringOf(warp, members);
    gathering.arrived |= lanes;
    if (!opens(warp, members, gathering)) holdBack(warp, split, lanes).token = gathering.token;
  };
  return waiting(
    (warp, mask, split) => {
      const { token } = split;
      if (!token)
        forEachGroup(
          mask,
          (lane) => read(warp, lane),
          (lanes, members) => comes(warp, lanes, members, split),
        );
      else if (!token.open) {
        const members = read(warp, lowestLane(mask));
        // Lanes that have exited are not waited for.
        opens(warp, members, gatheringOf(warp, members));
      }
      if (split.token && !split.token.open) return "wait";
      split.token = undefined;
      return "quiet";
    },
    (warp, mask) => {
      const members = read(warp, lowestLane(mask));
      return `${lanesName(members & warp.live & ~gatheringOf(warp, members).arrived & ~mask)} of the warp`;
    },
  );
};
