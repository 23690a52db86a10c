/**
 * Launches before the one that runs, as far as it may overlap them: programmatic dependent launch (PTX ISA 9.7.13.13). Launches of
 * the emulator follow each other, so all that a past launch has touched comes first; it is in order only for who has waited for it.
 */
import type { Region } from "../../memory.ts";
import type { Program } from "../../program.ts";
import type { Knowledge } from "./clock.ts";
import type { Access, Entry, Shadow } from "./shadow.ts";

/** Owner of all that one launch has touched: a home of one slot and one tick. */
export interface PastLaunch {
  readonly program: Program;
}

/** What a launch leaves behind. */
export interface Footprint {
  readonly launch: PastLaunch;
  /** Who has touched global memory: it, and what is left of those that may have been at work when it began. */
  readonly shadows: Map<Region, Shadow>;
  readonly earlier: Earlier | undefined;
  /** One of its threads has waited: those that it waits for are over when it is. */
  waited: boolean;
  /** … in a block that let the next launch begin only then: they are over when that one begins. */
  waitedFirst: boolean;
  /** What its threads had released, each by a fence, before they let the next launch begin: known to that one when it begins. */
  released: Knowledge | undefined;
}

/** What a launch may run into. */
export interface Earlier {
  readonly shadows: Map<Region, Shadow>;
  /** Launches that may be at work when it begins. */
  readonly open: readonly PastLaunch[];
  /** What `griddepcontrol.wait` waits for. */
  readonly awaited: readonly PastLaunch[];
}

/** Of more launches that never waited for each other, the oldest are forgotten. */
const mostOpen = 8;
const pastTick = 1;
const wholeCell = 0xffff;

/**
 * For the launch behind: undefined where nothing that came before can be at work when it begins. `footprint` is used up. `isThere`:
 * whether the memory has not been freed.
 */
export function earlierOf(footprint: Footprint, overlaps: boolean, isThere: (region: Region) => boolean): Earlier | undefined {
  const { launch, shadows, earlier, waited, waitedFirst } = footprint;
  const awaited = earlier?.awaited ?? [];
  const over = (overlaps ? waitedFirst : waited) ? awaited : [];
  const before = (earlier?.open ?? []).filter((each) => !over.includes(each));
  const open = [...(overlaps ? [launch] : []), ...before].slice(0, mostOpen);
  if (open.length === 0) return undefined;
  const by = settled(footprint, open);
  for (const [region, shadow] of shadows)
    if (region.space !== "global" || !isThere(region) || !shadow.replace(by)) shadows.delete(region);
  return { shadows, open, awaited: overlaps ? [launch, ...(waited ? awaited : [])] : [] };
}

/** What stays of an entry: it becomes one of the launch as a whole. */
function settled({ launch, released }: Footprint, open: readonly PastLaunch[]): (entry: Entry) => Entry | undefined {
  const whole = new Map<string, Entry>();
  const agent = agentOf(launch);
  const ofLaunch = ({ at, writes, strong }: Access): Entry => {
    const key = `${at} ${writes} ${strong}`;
    let entry = whole.get(key);
    if (!entry) {
      const access: Access = { home: launch, slot: 0, tick: pastTick, at, writes, proxy: "generic", strong, agent };
      entry = { access, lanes: 1, bytes: wholeCell };
      whole.set(key, entry);
    }
    return entry;
  };
  return (entry) => {
    const { access, lanes, bytes } = entry;
    if (released?.generic.covers(access.home, access.slot, access.tick, lanes)) return undefined;
    if (access.agent.kind === "launch") return open.includes(access.home as PastLaunch) ? entry : undefined;
    if (!open.includes(launch)) return undefined;
    const past = ofLaunch(access);
    return bytes === wholeCell ? past : { ...past, bytes };
  };
}

const agentOf = (launch: PastLaunch): Access["agent"] => ({
  kind: "launch",
  block: launch,
  program: launch.program,
  describe: ({ writes }) => `${launch.program.name}, launched before, ${writes ? "writes" : "reads"} there`,
  since: () => undefined,
});
