/** A launch that does not end: which warps wait where, and what they lack. */

import type { Span, Spans, WarpsmithError } from "../../base/diag/index.ts";
import type { Dim3 } from "../../base/types.ts";
import type { SharedBuffer, WaitSite } from "../../ir/index.ts";
import type { NamedMemory } from "../../runtime/index.ts";
import { makeError } from "../errors.ts";
import type { Executable } from "../executable.ts";
import { barrierKey } from "./questions.ts";
import { type RecordedWait, type RecordedWarp, readWarps } from "./records.ts";
import { decodeState, describeState } from "./state.ts";

/** What is known of a launch that is watched. */
export interface Watched extends Pick<Executable, "block" | "cluster" | "waits" | "buffers"> {
  readonly kernel: string;
  /** Its number among the launches of the device. */
  readonly launch: number;
  readonly seconds: number;
  readonly grid: Dim3;
  /** Of its tensors. */
  readonly memories: () => readonly NamedMemory[];
  /** Where the author launched it. */
  readonly spans: Spans;
}

/** Warps that wait for the same; `site` where they wait at one. */
interface Group {
  readonly what: string;
  readonly who: string[];
  readonly site: WaitSite | undefined;
}

const count = (extents: Dim3): number => extents[0] * extents[1] * extents[2];
const linear = ([x, y, z]: Dim3, [nx, ny]: Dim3): number => x + nx * (y + ny * z);
const blockName = (block: Dim3): string => `block (${block.join(", ")})`;
const warpName = ({ warp, block }: RecordedWarp): string => `warp ${warp} of ${blockName(block)}`;

/** "matmul.ts:81:5". */
function placeOf([span]: Spans): string {
  return span ? `${span.file}:${span.line}:${span.column}` : "an unknown place";
}

/** "lanes 0-15, 20". */
function lanesName(mask: number): string {
  const ranges: string[] = [];
  for (let lane = 0; lane < 32; lane++) {
    if (((mask >>> lane) & 1) === 0) continue;
    const first = lane;
    while (lane < 31 && (mask >>> (lane + 1)) & 1) lane++;
    ranges.push(first === lane ? `${first}` : `${first}-${lane}`);
  }
  return `${ranges.length === 1 && !ranges[0]?.includes("-") ? "lane" : "lanes"} ${ranges.join(", ")}`;
}

/** "full[1]"; the address where nobody named it. */
function barrierName({ place }: RecordedWait, buffers: readonly SharedBuffer[]): string {
  const held = buffers.find(({ offset = 0, bytes }) => place >= offset && place < offset + bytes);
  if (!held) return `the mbarrier at byte ${place} of the shared memory`;
  return held.bytes === 8 ? `the mbarrier ${held.name}` : `the mbarrier ${held.name}[${(place - (held.offset ?? 0)) / 8}]`;
}

/** What the barrier lacks, where a warp of the block has said it. A state of another phase says nothing. */
function stateOf(all: readonly RecordedWarp[], warp: RecordedWarp, wait: RecordedWait): string {
  const key = barrierKey(warp, wait.place);
  for (const other of all)
    for (const { answer } of other.waits) {
      const state = answer && barrierKey(other, answer.place) === key ? decodeState(answer.state) : undefined;
      if (state?.parity === wait.parity) return `, which lacks ${describeState(state)}`;
    }
  return "";
}

/** " (element 0 of lock, [64])". */
function elementAt(memories: readonly NamedMemory[], address: bigint): string {
  const at = Number(address);
  const held = memories.find(({ space, begin, bytes }) => space === "global" && at >= begin && at < begin + bytes);
  if (!held?.elements) return "";
  return ` (element ${Math.floor((at - held.begin) / held.elements.bytes)} of ${held.name}, [${held.elements.shape.join(", ")}])`;
}

function describeWait(of: Watched, all: readonly RecordedWarp[], warp: RecordedWarp, wait: RecordedWait): string {
  const site = of.waits[wait.site];
  if (!site) return "at an unknown place";
  const alone = wait.lanes === warp.live ? "" : `, ${lanesName(wait.lanes)} alone`;
  const at = `at ${site.op} (${placeOf(site.spans)})${alone}`;
  const lacks = lacksAt(of, all, warp, wait, site);
  return `${at}; ${site.waits === "memory" ? "it" : "it waits for"} ${lacks}`;
}

/** Whether a warp waits at a site of which that holds. */
const waitsAt = (of: Watched, warp: RecordedWarp, holds: (site: WaitSite, wait: RecordedWait) => boolean): boolean =>
  warp.waits.some((wait) => {
    const site = of.waits[wait.site];
    return site !== undefined && holds(site, wait);
  });

/** Barriers of a block count whole warps. */
const arrivedAt = (of: Watched, warp: RecordedWarp, id: number): boolean =>
  waitsAt(of, warp, (site, wait) => site.waits === "block" && idOf(site, wait) === id && wait.lanes === warp.live);

const idOf = (site: WaitSite, wait: RecordedWait): number => site.id ?? wait.number;
const sameBlock = (a: RecordedWarp, b: RecordedWarp): boolean => a.block.every((n, i) => n === b.block[i]);
const clusterOf = (of: Watched, { block }: RecordedWarp): string =>
  block.map((n, i) => Math.floor(n / (of.cluster[i] ?? 1))).join();

function lacksAt(of: Watched, all: readonly RecordedWarp[], warp: RecordedWarp, wait: RecordedWait, site: WaitSite): string {
  const threads = count(of.block);
  switch (site.waits) {
    case "mbarrier":
      if (!wait.told) return "a phase of an mbarrier: which one it has not said";
      return `the phase of parity ${wait.parity} of ${barrierName(wait, of.buffers)}${stateOf(all, warp, wait)}`;
    case "block": {
      const id = idOf(site, wait);
      const there = all.filter((w) => sameBlock(w, warp) && arrivedAt(of, w, id));
      const needed = site.count || Math.ceil(threads / 32) * 32;
      return `barrier ${id}, where ${32 * there.length} of ${needed} threads wait`;
    }
    case "cluster": {
      const cluster = clusterOf(of, warp);
      const there = all.filter((w) => clusterOf(of, w) === cluster && waitsAt(of, w, (s) => s.waits === "cluster"));
      return `the barrier of the cluster, where ${there.length} of ${Math.ceil(threads / 32) * count(of.cluster)} warps wait`;
    }
    case "grid": {
      const there = new Set(all.filter((w) => waitsAt(of, w, (s) => s.waits === "grid")).map(({ block }) => block.join()));
      return `the barrier of the grid, where ${there.size} of ${count(of.grid)} blocks wait`;
    }
    case "warp":
      return `${lanesName(site.count ?? -1)} of its warp`;
    case "earlier grid":
      return "the launches before this one";
    case "registers":
      return "registers that other warpgroups give up";
    case "memory":
      return `finds ${wait.found > 0xffffn ? `0x${wait.found.toString(16)}` : wait.found} at 0x${wait.address.toString(16)}${elementAt(of.memories(), wait.address)}`;
    case "text":
      return "what its PTX waits for";
    default:
      return site.waits satisfies never;
  }
}

const ranks: Readonly<Record<WaitSite["waits"], number>> = {
  mbarrier: 0,
  memory: 1,
  registers: 1,
  text: 1,
  "earlier grid": 1,
  warp: 2,
  block: 3,
  cluster: 3,
  grid: 3,
};

function groupsOf(of: Watched, warps: readonly RecordedWarp[]): readonly Group[] {
  const groups = new Map<string, Group>();
  const add = (what: string, who: string, site?: WaitSite): void => {
    const known = groups.get(what);
    if (known) known.who.push(who);
    else groups.set(what, { what, who: [who], site });
  };
  const live = warps.filter((warp) => warp.live !== 0);
  for (const warp of live) {
    if (warp.waits.length === 0) add("in no wait that is recorded", warpName(warp));
    for (const wait of warp.waits) add(describeWait(of, live, warp, wait), warpName(warp), of.waits[wait.site]);
  }
  const clusters = new Set(live.map((warp) => clusterOf(of, warp)));
  for (const warp of warps)
    if (warp.live === 0 && clusters.has(clusterOf(of, warp))) add("at their end: they have exited", warpName(warp));
  const rank = ({ site, what }: Group): number => (site ? ranks[site.waits] : what.startsWith("at") ? 5 : 4);
  return [...groups.values()].sort((a, b) => rank(a) - rank(b));
}

const mostSpans = 4;

function spansOf(groups: readonly Group[], launched: Spans): Spans {
  const spans: Span[] = [];
  for (const { site } of groups) {
    const [span, ...further] = site?.spans ?? [];
    const known = spans.some((other) => other.file === span?.file && other.line === span?.line);
    if (!span || known || spans.length >= mostSpans) continue;
    spans.push(...(spans.length === 0 ? [span, ...further] : [{ ...span, note: "others wait at" }]));
  }
  return spans.length > 0 ? [...spans, ...launched.slice(0, 1).map((span) => ({ ...span, note: "launched at" }))] : launched;
}

/** Blocks are begun in the order of their numbers. */
function notBegun({ grid }: Watched, warps: readonly RecordedWarp[]): number {
  const last = Math.max(...warps.map(({ block }) => linear(block, grid)));
  return count(grid) - 1 - last;
}

const named = 3;

const notSaid = "\n  what its mbarriers lack nobody knows: the GPU has stopped when they were asked";

/** W7750, where the records say that the launch has hung: nothing in them has changed for so many seconds. */
export function explainHang(of: Watched, records: Uint32Array, seconds: number, stopped?: "stopped"): WarpsmithError | undefined {
  const warps = readWarps(records, of.launch);
  const live = warps.filter((warp) => warp.live !== 0);
  if (live.length === 0) return undefined;
  // What computes for long comes to no wait: it is given twice the time.
  const still = (live.some(({ waits }) => waits.length === 0) ? 2 : 1) * of.seconds;
  if (seconds < still) return undefined;
  // Who waits for a launch before it has not hung.
  if (live.every((warp) => waitsAt(of, warp, (site) => site.waits === "earlier grid"))) return undefined;
  const groups = groupsOf(of, warps);
  const waiting = notBegun(of, warps);
  const room = waiting > 0 ? `\n  ${waiting} of ${count(of.grid)} blocks have not begun: they wait for room on the GPU` : "";
  const told = {
    kernel: of.kernel,
    seconds: still,
    groups: groups.map(({ what, who }) => ({ what, who: who.slice(0, named), more: Math.max(0, who.length - named) })),
    beyond: `${room}${stopped ? notSaid : ""}`,
  };
  return makeError("W7750", told, spansOf(groups, of.spans));
}
