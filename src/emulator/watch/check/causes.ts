/**
 * W9230, W9231 and W9248: what is not wrong by itself, but explains what is. Nothing is said of it until something else is found; then it is
 * told first. A wait for parity 1 of a fresh mbarrier passes at once, as producers want it; where copies complete phase 0 of that
 * barrier, somebody meant the end of that phase. A warp that waits for the same phase twice, while the next one is under way, may have meant
 * that one. Warps that meet at one barrier of the block from two lines were each to meet others.
 */
import { getOrMake } from "../../../base/get-or-make.ts";
import { traitsOf } from "../../../ptx/parse/index.ts";
import type { Listener } from "../../machine/monitor.ts";
import { Notes } from "../../machine/notes.ts";
import type { Cluster, Warp } from "../../machine/warp.ts";
import type { CheckContext } from "./context.ts";
import { barrierName, warpName } from "./names.ts";

/** What comes of warps that are not where others think they are. */
const races: ReadonlySet<string> = new Set([
  ...["W9001", "W9201", "W9202", "W9203", "W9204", "W9205", "W9206", "W9207", "W9208", "W9209", "W9213", "W9215", "W9216"],
]);

/** The first wait at each mbarrier that passed before phase 0 was over. */
interface Early {
  readonly warp: string;
  readonly at: number;
}

function earlyWaits(c: CheckContext): Listener {
  const waits = new WeakMap<Cluster, Map<number, Early>>();
  const fed = new WeakMap<Cluster, Map<number, number>>();
  const of = <T>(all: WeakMap<Cluster, Map<number, T>>, cluster: Cluster): Map<number, T> => {
    const known = all.get(cluster) ?? new Map<number, T>();
    all.set(cluster, known);
    return known;
  };
  const look = (cluster: Cluster, address: number): void => {
    const early = of(waits, cluster).get(address);
    const copy = of(fed, cluster).get(address);
    if (!early || copy === undefined) return;
    const args = { kernel: c.program.name, who: early.warp, barrier: barrierName(address, c) };
    c.reports.suspect(races, () => ["W9230", args, early.at, [{ note: "the copy is issued at", at: copy }]]);
  };
  return {
    mbarrierInits({ block: { cluster } }, _mask, address) {
      of(waits, cluster).delete(address);
      of(fed, cluster).delete(address);
    },
    mbarrierWaits(warp, _mask, address, phase, passed, i, asked) {
      const { cluster } = warp.block;
      if (!passed || phase > 0 || (asked & 1) === 0 || traitsOf(i).phase !== "parity") return;
      if (of(waits, cluster).has(address)) return;
      of(waits, cluster).set(address, { warp: warpName(warp), at: warp.at });
      look(cluster, address);
    },
    transferIssues(warp, _lane, { completion }) {
      const { cluster } = warp.block;
      if (!("barrier" in completion) || (cluster.barriers.barriers.get(completion.barrier)?.phase ?? 0) > 0) return;
      if (of(fed, cluster).has(completion.barrier)) return;
      of(fed, cluster).set(completion.barrier, warp.at);
      look(cluster, completion.barrier);
    },
  };
}

/** W9248. */
function repeatedWaits(c: CheckContext): Listener {
  /** By the mbarrier's address: the last phase of it that each warp has seen the end of. */
  const seen = new WeakMap<Cluster, Map<number, Map<Warp, number>>>();
  /** The parities that each instruction has asked for: one that asks for both, as rings do, does change it. */
  const parities = new Map<number, number>();
  let told = false;
  return {
    mbarrierInits: ({ block: { cluster } }, _mask, address) => void seen.get(cluster)?.delete(address),
    mbarrierWaits(warp, _mask, address, phase, passed, i, asked) {
      if (told || traitsOf(i).phase !== "parity") return;
      const both = (parities.get(i.index) ?? 0) | (1 << (asked & 1));
      parities.set(i.index, both);
      if (!passed || phase === 0) return;
      const { cluster } = warp.block;
      const ofCluster = getOrMake(seen, cluster, () => new Map());
      const ofBarrier = getOrMake(ofCluster, address, () => new Map());
      const before = ofBarrier.get(warp);
      ofBarrier.set(warp, phase);
      const barrier = cluster.barriers.barriers.get(address);
      const begun = barrier !== undefined && (barrier.pending < barrier.expected || barrier.tx !== 0);
      if (before !== phase || !begun || both === 3) return;
      told = true;
      const args = { kernel: c.program.name, who: warpName(warp), barrier: barrierName(address, c), parity: asked & 1 };
      const { at } = warp;
      c.reports.suspect(races, () => ["W9248", args, at, []]);
    },
  };
}

/** Who came to a meeting, and for each where from. */
interface Comers {
  readonly warps: Warp[];
  readonly from: number[];
}
const meetings = new Notes<Comers>();

function mixedMeetings(c: CheckContext): Listener {
  const lineOf = (at: number): string => {
    const [span] = c.program.placeOf(at);
    return span ? `${span.file}:${span.line}` : `${at}`;
  };
  let told = false;
  return {
    barrierArrives(warp, _mask, meeting, i, id) {
      if (told || id !== 0 || i.operands[1] !== undefined) return;
      const comers = getOrMake(meetings, meeting, () => ({ warps: [], from: [] }));
      const { warps, from } = comers;
      warps.push(warp);
      from.push(i.index);
      if (from[0] === i.index || lineOf(from[0] ?? 0) === lineOf(i.index)) return;
      told = true;
      c.reports.suspect(races, () => {
        const places = [...new Set(from)].map((at) => ({ at, warps: warps.filter((_, n) => from[n] === at) }));
        const [few = { at: i.index, warps: [] }, ...others] = places.sort((a, b) => a.warps.length - b.warps.length);
        const names = few.warps.map(({ index }) => index);
        const who = `${names.length === 1 ? "warp" : "warps"} ${names.join(", ")} of block (${warp.block.index.join(", ")})`;
        const more = others.slice(0, 1).map(({ at }) => ({ note: "the other warps are at", at }));
        return ["W9231", { kernel: c.program.name, who }, few.at, more];
      });
    },
  };
}

export const causes: readonly ((c: CheckContext) => Listener)[] = [earlyWaits, repeatedWaits, mixedMeetings];
