/**
 * Launches before the one that runs, as far as it may overlap them: programmatic dependent launch (PTX ISA 9.7.13.13). Launches of
 * the emulator follow each other, so all that a past launch has touched comes first; it is in order only for who has waited for it.
 */
import type { Region } from "../../../machine/memory.ts";
import type { Program } from "../../../program/program.ts";
import type { Access } from "./access.ts";
import type { Home, Knowledge } from "./clock.ts";
import { Shadow } from "./shadow.ts";
import { enter, type Touched } from "./touched.ts";
import type { Entry } from "./touching.ts";

/** Owner of all that a launch has touched, and those that are over when it is: a home of one slot and one tick. */
export type Past = Home;

/** What a launch leaves behind. */
export class Footprint {
  readonly program: Program;
  /** Who has touched global memory: it, and what is left of those that may have been at work when it began. */
  readonly shadows: Map<Region, Shadow>;
  readonly earlier: Earlier | undefined;
  /** One of its threads has waited: those that it waits for are over when it is. */
  waited = false;
  /** … in a block that let the next launch begin only then: they are over when that one begins. */
  waitedFirst = false;
  /** What its threads had released, each by a fence, before they let the next launch begin: known to that one when it begins. */
  released: Knowledge | undefined;

  /** What others have watched of it, by region. */
  readonly others: (readonly [region: Region, touched: Touched])[] = [];

  constructor(program: Program, shadows: Map<Region, Shadow>, earlier: Earlier | undefined) {
    this.program = program;
    this.shadows = shadows;
    this.earlier = earlier;
  }
}

/** What a launch may run into. */
export interface Earlier {
  readonly shadows: Map<Region, Shadow>;
  /** What may be at work when it begins. */
  readonly open: readonly Past[];
  /** What `griddepcontrol.wait` waits for. From then on it is over as a whole, for every launch behind, too. */
  readonly awaited: Past | undefined;
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
  const { shadows, earlier, waited, waitedFirst } = footprint;
  const isOver = overlaps ? waitedFirst : waited;
  const awaited = overlaps ? Object.freeze({}) : undefined;
  /** What becomes of those that were open: over, part of what is awaited now, or open as before. */
  const homes = new Map<Past, Past>();
  for (const past of earlier?.open ?? []) {
    const known = past === earlier?.awaited;
    if (!(known && isOver)) homes.set(past, known && waited && awaited ? awaited : past);
  }
  const open = [...new Set([...(awaited ? [awaited] : []), ...homes.values()])].slice(0, mostOpen);
  if (open.length === 0) return undefined;
  const by = settled(footprint, awaited, (home) => {
    const now = homes.get(home);
    return now && open.includes(now) ? now : undefined;
  });
  const stranger: Access["agent"] = { ...agentOf(footprint.program), kind: "lane" };
  const strangers: Home = Object.freeze({});
  for (const [region, touched] of footprint.others) {
    const shadow = shadows.get(region) ?? new Shadow();
    shadows.set(region, shadow);
    enter(shadow, touched, strangers, stranger);
  }
  for (const [region, shadow] of shadows)
    if (region.space !== "global" || !isThere(region) || !shadow.replace(by)) shadows.delete(region);
  return { shadows, open, awaited };
}

/** What stays of an entry. `home`: of all of this launch, if it may be at work. `homeOf`: of what came before it. */
function settled(
  { program, released }: Footprint,
  home: Past | undefined,
  homeOf: (past: Past) => Past | undefined,
): (entry: Entry) => Entry | undefined {
  const whole = new Map<Access | string, Entry | undefined>();
  const agent = agentOf(program);
  const make = (access: Access): Entry | undefined => {
    const { at, writes, strong } = access;
    const past = access.agent.kind === "launch";
    const now = past ? homeOf(access.home) : home;
    if (now === undefined) return undefined;
    const common = { home: now, slot: 0, tick: pastTick, at, writes, strong } as const;
    return { access: { ...common, proxy: "generic", agent: past ? access.agent : agent }, lanes: 1, bytes: wholeCell };
  };
  return ({ access, lanes, bytes }) => {
    if (released?.follows(access.home, access.slot, access.tick, lanes)) return undefined;
    const key = access.agent.kind === "launch" ? access : `${access.at} ${access.writes} ${access.strong}`;
    if (!whole.has(key)) whole.set(key, make(access));
    const entry = whole.get(key);
    return entry && bytes !== wholeCell ? { ...entry, bytes } : entry;
  };
}

function agentOf(program: Program): Access["agent"] {
  return {
    kind: "launch",
    block: program,
    program,
    describe: ({ writes }) => `${program.name}, launched before, ${writes ? "writes" : "reads"} there`,
    since: () => undefined,
  };
}
