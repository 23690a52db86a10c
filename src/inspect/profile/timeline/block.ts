/** What the warps of one block have recorded, as spans: what belongs together is found here. */
import type { ProfileArrow, ProfileSpan } from "../types.ts";
import { append } from "./group-by.ts";
import type { RecordedLaunch, RecordedWarp, TimelineRecord } from "./types.ts";
import { isFirst } from "./warpgroups.ts";

/** A span whose row is known, and the place of its line by the record. */
export interface BlockSpan extends Omit<ProfileSpan, "place"> {
  readonly record: TimelineRecord | undefined;
}

/** What a block has beside spans of its warps. */
export interface BlockRead {
  readonly spans: readonly BlockSpan[];
  readonly arrows: readonly ProfileArrow[];
  /** Phases of barriers that were over before anybody saw it. */
  readonly missed: number;
  /** Loads of which it is not known when they landed. */
  readonly unseen: number;
}

/** Rows of a block. */
export interface BlockLanes {
  /** Of each warp that has a row. */
  readonly warps: ReadonlyMap<number, number>;
  readonly landings: number;
}

const barrierBytes = 8;

type Launched = Pick<RecordedLaunch, "buffers" | "boxBytes" | "atOnce">;

/** "full[2]", and which one of several it is. */
function barrierName(
  { buffers }: Pick<RecordedLaunch, "buffers">,
  offset: number,
): { readonly on: string; readonly stage?: number } {
  const buffer = buffers.find(({ offset: first = 0, bytes }) => offset >= first && offset < first + bytes);
  if (!buffer) return { on: `mbarrier 0x${offset.toString(16)}` };
  const stage = Math.floor((offset - (buffer.offset ?? 0)) / barrierBytes);
  return buffer.bytes <= barrierBytes ? { on: buffer.name } : { on: `${buffer.name}[${stage}]`, stage };
}

/** The first index from which on a sorted list is at least a time. */
function firstFrom(sorted: readonly number[], time: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A warp's waits for each barrier, numbered: a wait for the other parity than the next phase's skips one. */
class Phases {
  readonly #next = new Map<number, number>();

  of(barrier: number, parity: number): number {
    // A barrier that nobody has used yet is behind a phase of parity 1.
    const next = this.#next.get(barrier) ?? -1;
    const phase = (next & 1) === parity ? next : next + 1;
    this.#next.set(barrier, phase + 1);
    return phase;
  }
}

/** A group that is closed. Without a record: what is open at the end. */
interface Committed {
  readonly at: number;
  readonly name: string;
  readonly record: TimelineRecord | undefined;
  readonly members: readonly BlockSpan[];
}

/** Groups of one warp: what is open, and what is committed and not yet waited for. */
class Groups {
  #open: BlockSpan[] = [];
  #committed: Committed[] = [];

  add(span: BlockSpan): void {
    this.#open.push(span);
  }

  commit(record: TimelineRecord, name: string): void {
    this.#committed.push({ at: record.at, name, record, members: this.#open });
    this.#open = [];
  }

  /** What a wait covers. */
  wait(pending: number): readonly Committed[] {
    return this.#committed.splice(0, Math.max(0, this.#committed.length - pending));
  }

  left(): readonly Committed[] {
    return [...this.#committed, ...(this.#open.length > 0 ? [{ at: 0, name: "", record: undefined, members: this.#open }] : [])];
  }
}

/** Reads one block. */
export class BlockReader {
  readonly #launched: Launched;
  readonly #lanes: BlockLanes;
  readonly #spans: BlockSpan[] = [];
  readonly #arrows: ProfileArrow[] = [];
  /** When phases of barriers were over, as the observer saw it. */
  readonly #flips = new Map<number, number[]>();
  /** Waits for barriers, by barrier. */
  readonly #waits = new Map<number, TimelineRecord[]>();
  readonly #loads = new Map<number, BlockSpan[]>();
  #unseen = 0;

  constructor(launched: Launched, lanes: BlockLanes) {
    this.#launched = launched;
    this.#lanes = lanes;
  }

  #bytesOf({ site, values }: TimelineRecord): number | undefined {
    if (site.map !== undefined) return this.#launched.boxBytes.get(site.map);
    return site.what === "load" || site.what === "store" ? values[0] : undefined;
  }

  #issued(record: TimelineRecord, lane: number): BlockSpan {
    const { site, at, values } = record;
    const bytes = this.#bytesOf(record);
    const details =
      site.map === undefined ? {} : { details: { map: site.map, at: `[${values.map((v) => v | 0).join(", ")}, …]` } };
    return {
      ...{ kind: site.what === "load" ? "load" : "store", name: site.name, lane, begin: at, end: at, record },
      ...(bytes !== undefined && { bytes }),
      ...details,
    };
  }

  #wait(record: TimelineRecord, lane: number, phases: Phases): void {
    const { site, at, end, barrier, parity, cycles, id } = record;
    const phase = barrier === undefined ? undefined : phases.of(barrier, parity);
    if (barrier !== undefined) append(this.#waits, barrier, record);
    if (cycles <= this.#launched.atOnce) return;
    const { recorder } = record;
    const details = recorder === undefined ? {} : { details: { "recorded by": `warp ${recorder}` } };
    const base = { kind: "wait", lane, begin: at, end, record, ...details } as const;
    if (barrier !== undefined) {
      const named = barrierName(this.#launched, barrier);
      this.#spans.push({ ...base, name: `${named.on}, phase ${phase}`, ...named, ...(phase !== undefined && { phase }) });
      this.#arrow(barrier, record, lane);
      return;
    }
    const on = site.name === "bar.sync" ? `${site.name} ${id}` : site.name;
    this.#spans.push({ ...base, name: on, on });
  }

  /** From the landing that ended a wait. */
  #arrow(barrier: number, { at, end }: TimelineRecord, lane: number): void {
    const flips = this.#flips.get(barrier);
    const flip = flips?.[firstFrom(flips, at)];
    if (flip === undefined || flip > end + observed) return;
    this.#arrows.push({ from: { lane: this.#lanes.landings, at: flip }, to: { lane, at: end } });
  }

  #warp({ warp, records, end }: RecordedWarp): void {
    const lane = this.#lanes.warps.get(warp);
    if (lane === undefined) return;
    const phases = new Phases();
    const groups = { wgmma: new Groups(), bulk: new Groups(), "cp.async": new Groups() };
    const shows = (group: string): boolean => group !== "wgmma" || isFirst(warp);
    const closed = (group: string, { at, name, record, members }: Committed, until: number, open: boolean): void => {
      for (const member of members) this.#spans.push({ ...member, end: until, ...(open && { open: true as const }) });
      if (record && shows(group))
        this.#spans.push({
          kind: "group",
          name,
          lane,
          begin: at,
          end: until,
          record,
          ...(open && { open: true as const }),
        });
    };
    for (const record of records) {
      const { what, group, pending = 0 } = record.site;
      if (what === "wait") {
        this.#wait(record, lane, phases);
        if (group !== "" && record.site.commits) groups[group].commit(record, record.site.commits);
        if (group !== "") for (const covered of groups[group].wait(pending)) closed(group, covered, record.end, false);
      } else if (what === "commit" && group !== "") groups[group].commit(record, record.site.name);
      else if (what === "store" && group !== "") groups[group].add(this.#issued(record, lane));
      else if (what === "load") {
        const span = this.#issued(record, lane);
        if (record.barrier !== undefined) append(this.#loads, record.barrier, span);
        else this.#spans.push({ ...span, end, open: true });
      }
    }
    for (const [group, own] of Object.entries(groups)) for (const left of own.left()) closed(group, left, end, true);
  }

  /** A load has landed when the phase of its barrier is over that was the current one when it was issued: the next that is. */
  #land(barrier: number, loads: readonly BlockSpan[], until: number): number {
    const flips = this.#flips.get(barrier);
    const waits = (this.#waits.get(barrier) ?? []).toSorted((a, b) => a.end - b.end);
    const ends = waits.map(({ end }) => end);
    const { on } = barrierName(this.#launched, barrier);
    const landings = new Map<number, string>();
    for (const load of loads) {
      const flip = flips?.[firstFrom(flips, load.begin)];
      // Whoever has seen the load is later than its landing.
      const wait = waits[firstFrom(ends, load.begin)];
      const seen = flip !== undefined;
      if (!seen) this.#unseen += 1;
      const end = flip ?? wait?.end ?? until;
      const late: ProfileSpan["details"] = seen || !wait ? {} : { landed: "at the end of the next wait, or before" };
      const details: ProfileSpan["details"] = { ...load.details, on, ...late };
      const open: Pick<ProfileSpan, "open"> = seen || wait ? {} : { open: true };
      this.#spans.push({ ...load, end, details, ...open });
      if (seen) landings.set(flip, load.name);
    }
    for (const [at, name] of landings)
      this.#spans.push({ kind: "landing", name, lane: this.#lanes.landings, begin: at, end: at + 1, on, record: undefined });
    return this.#missed(barrier, flips);
  }

  /** Each warp waits for a phase once, so there are as many as the warp has waited for that has waited most. */
  #missed(barrier: number, flips: readonly number[] | undefined): number {
    if (!flips) return 0;
    return Math.max(0, (this.#most.get(barrier) ?? 0) - flips.length);
  }

  readonly #most = new Map<number, number>();

  #count({ records }: RecordedWarp): void {
    const own = new Map<number, number>();
    for (const { site, barrier } of records)
      if (site.what === "wait" && barrier !== undefined) own.set(barrier, (own.get(barrier) ?? 0) + 1);
    for (const [barrier, count] of own) this.#most.set(barrier, Math.max(count, this.#most.get(barrier) ?? 0));
  }

  read(warps: readonly RecordedWarp[]): BlockRead {
    for (const { records } of warps)
      for (const { site, barrier, at } of records)
        if (site.what === "landing" && barrier !== undefined) append(this.#flips, barrier, at);
    for (const flips of this.#flips.values()) flips.sort((a, b) => a - b);
    for (const warp of warps) this.#count(warp);
    for (const warp of warps) this.#warp(warp);
    const until = warps.reduce((last, { end }) => Math.max(last, end), 0);
    let missed = 0;
    for (const [barrier, loads] of this.#loads) missed += this.#land(barrier, loads, until);
    return { spans: this.#spans, arrows: this.#arrows, missed, unseen: this.#unseen };
  }
}

/** Nanoseconds that the observer may be later than the warp that waits. */
const observed = 300;
