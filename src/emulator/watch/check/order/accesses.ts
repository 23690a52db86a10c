/** Every access to shared and global memory against those before it. W9201–W9208, W9222, W9227, W9246. */
import { type LaneAccesses, lineAt, type Part, type Words } from "../../../machine/lane-accesses.ts";
import type { Region } from "../../../machine/memory.ts";
import type { Listener } from "../../../machine/monitor.ts";
import { operandChunks, type Transfer, type TransferRange, type WgmmaProduct } from "../../../machine/units/index.ts";
import type { Warp, Warpgroup } from "../../../machine/warp.ts";
import type { CheckContext } from "../context.ts";
import type { Access, Source } from "./access.ts";
import { groupSince, mbarrierSince, productAgent, transferAgent } from "./agents.ts";
import type { Clock } from "./clock.ts";
import { AccessJudge, noLane, together } from "./judge.ts";
import type { ClusterOrder, LaunchOrder } from "./launch-order.ts";
import { isAlone, type LineEntry, Newcomer } from "./lines.ts";
import { checkSwizzle } from "./provenance.ts";
import type { EachLane, Shadow } from "./shadow.ts";
import type { WarpOrder } from "./threads.ts";
import { type Judge, silent, Touching } from "./touching.ts";
import { Sites, WarpSources } from "./warp-sources.ts";

/** Lanes of a warp that all know the same, and what they do. One object serves for all. */
class Together extends Newcomer {
  /** Lanes of one instruction that touch the same bytes are looked at one by one. */
  readonly #exact: boolean;
  #known: Clock | undefined;
  #changes = 0;

  constructor({ tolerance }: CheckContext) {
    super();
    this.#exact = tolerance !== "ignore";
  }

  /** Undefined where each lane has to be looked at by itself, as where lanes of one store write several values to one place. */
  begin(source: Source, at: WarpOrder, parts: LaneAccesses["parts"], changes: number): this | undefined {
    const { common } = at;
    if (!common || (source.writes && parts && this.#meet(parts, changes))) return undefined;
    this.#known = common.generic;
    this.#changes = source.writes ? changes : 0;
    this.comes(source, at.tick, common.generic.ticks);
    return this;
  }

  /** Whether lanes of one store write to one place, and not the same for sure. */
  #meet(parts: readonly Part[], changes: number): boolean {
    for (const part of parts) if (!part.apart && (this.#exact || (changes & part.others) !== 0)) return true;
    return false;
  }

  /** As the judge has it, but that both may be strong. */
  follows(entry: LineEntry, fresh: Words): boolean {
    if (entry.home !== this.home) return this.#known?.covers(entry.home, entry.slot, entry.tick, entry.lanes) ?? false;
    if (entry.slot !== this.slot) return false;
    // Lanes that do the same come one after the other where they are apart: they may store several values.
    const same = entry.source === this.source && entry.tick === this.tick && this.#changes === 0 && !this.#exact;
    return same || isAlone(entry, fresh);
  }
}

/** Each access of lanes, as one with those of the others where it can be, else by itself. */
class LaneOrder implements EachLane {
  readonly #order: LaunchOrder;
  readonly #sites: Sites;
  readonly #judge: AccessJudge;
  readonly #together: Together;
  /** What lanes do together. */
  #warp: Warp | undefined;
  #of: LaneAccesses | undefined;
  #writes = false;
  #changes = 0;

  constructor(c: CheckContext, order: LaunchOrder) {
    this.#order = order;
    this.#sites = new Sites(c);
    this.#judge = new AccessJudge(c);
    this.#together = new Together(c);
  }

  one(
    warp: Warp,
    lane: number,
    region: Region,
    offset: number,
    bytes: number,
    index: number,
    writes: boolean,
    changes = true,
  ): void {
    if (region.space === "local") return;
    const at = this.#order.warp(warp);
    const access = this.#source(at, index, writes).access(at.tick);
    this.#judge.begin(access, at.of(lane), at.slot, lane, changes).over(region, offset, bytes);
    this.#order.shadow(region).touch(offset, bytes, access, 1 << lane, this.#judge);
  }

  all(warp: Warp, of: LaneAccesses, writes: boolean, changes: number): void {
    const { region } = of;
    if (region.space === "local") return;
    const at = this.#order.warp(warp);
    const source = this.#source(at, of.at, writes);
    this.#warp = warp;
    this.#of = of;
    this.#writes = writes;
    this.#changes = changes;
    this.#order.shadow(region).touchLanes(of, this.#together.begin(source, at, of.parts, changes), this);
  }

  #source(at: WarpOrder, index: number, writes: boolean): Source {
    at.sources ??= new WarpSources(at, this.#sites);
    return at.sources.of(index, writes);
  }

  lane(lane: number, line: number | undefined): void {
    const [warp, of] = [this.#warp, this.#of];
    if (!warp || !of) return;
    for (const { at, delta } of of.members) {
      const offset = of.offset(lane, delta);
      if (line !== undefined && lineAt(offset) !== line) continue;
      this.one(warp, lane, of.region, offset, of.bytes, at, this.#writes, ((this.#changes >>> lane) & 1) === 1);
    }
  }
}

const allChange = -1;

export function laneAccesses(c: CheckContext, order: LaunchOrder): Listener {
  const lanes = new LaneOrder(c, order);
  return {
    read: (warp, lane, region, offset, bytes, at) => lanes.one(warp, lane, region, offset, bytes, at, false),
    write: (warp, lane, region, offset, bytes, at, changes) => lanes.one(warp, lane, region, offset, bytes, at, true, changes),
    atomic: (warp, lane, region, offset, bytes, at) => lanes.one(warp, lane, region, offset, bytes, at, true),
    reads: (warp, of) => lanes.all(warp, of, false, allChange),
    writes: (warp, of, changes) => lanes.all(warp, of, true, changes),
    atomics: (warp, of) => lanes.all(warp, of, true, allChange),
  };
}

/** The slots and ticks of a copy: of its reads, of its writes. */
export function placeOf(cluster: ClusterOrder, transfer: Transfer) {
  const { completion } = transfer;
  if ("barrier" in completion) {
    const bar = cluster.mbarriers.get(completion.barrier);
    const phase = cluster.cluster.barriers.barriers.get(completion.barrier)?.phase ?? 0;
    const slot = bar?.slot ?? 0;
    const tick = (bar?.first ?? 1) + phase;
    return { read: slot, done: slot, tick, kind: "load" as const, since: mbarrierSince(completion.barrier, phase) };
  }
  const kind = transfer.kind === "cp.async" ? ("cp.async" as const) : ("store" as const);
  const groups = cluster.groups(completion.groups, kind === "store" ? "bulk" : "copy");
  const tick = groups.next;
  return { read: groups.read, done: groups.done, tick, kind, since: groupSince(groups, tick) };
}

const mixed = (hash: number, x: number): number => Math.imul(hash ^ x, 0x01000193) ^ (hash >>> 15);

/** A number for each list of ranges, hardly ever the same for two. */
function rangesHash(ranges: readonly TransferRange[]): number {
  let hash = ranges.length;
  for (const range of ranges) {
    const [upper, lower] = range.space === "shared" ? [range.rank, range.offset] : [range.address / 2 ** 32, range.address];
    hash = mixed(mixed(mixed(hash, upper | 0), lower | 0), range.bytes);
  }
  return hash;
}

/** Names stores and `cp.async`: lanes of a warp that issue the same one, each by its n-th run of one instruction, give it one name. */
function copyNames(): (warp: Warp, lane: number, transfer: Transfer) => string | undefined {
  const issued = new WeakMap<Warp, { readonly number: number; readonly counts: Map<number, number> }>();
  let warps = 0;
  return (warp, lane, { reads, writes, reduces }) => {
    if (reduces) return undefined;
    const known = issued.get(warp) ?? { number: warps++, counts: new Map<number, number>() };
    issued.set(warp, known);
    const place = 32 * warp.at + lane;
    const nth = known.counts.get(place) ?? 0;
    known.counts.set(place, nth + 1);
    return [known.number, warp.at, nth, rangesHash(reads), rangesHash(writes)].join(" ");
  };
}

/** What it writes behind the ends of rows: what others do there has to be in order with it, too. */
const beyondOf = ({ beyond = [] }: Transfer): readonly TransferRange[] =>
  beyond.map(({ address, bytes }) => ({ space: "global", address, bytes }));

export function transfers(c: CheckContext, order: LaunchOrder): Listener {
  const judge = new AccessJudge(c);
  const rangeOf = (warp: Warp, range: TransferRange): { readonly region: Region; readonly offset: number } | undefined => {
    const { cluster, launch } = warp.block;
    if (range.space === "shared") {
      const region = cluster.shared.blocks[range.rank];
      return region && { region, offset: range.offset };
    }
    const region = launch.global.find(range.address, range.bytes);
    return region && { region, offset: range.address - region.base };
  };
  const copyOf = copyNames();
  /** Where the map of the copy lies that a lane issues now. */
  let map: { readonly warp: Warp; readonly lane: number; readonly address: number } | undefined;
  /** Maps that a kernel may change are in global memory: those among its parameters stay as they are. */
  const readsMap = (warp: Warp, lane: number, reads: Access): void => {
    const { launch } = warp.block;
    const region = map?.warp === warp && map.lane === lane ? launch.global.find(map.address, tensorMapBytes) : undefined;
    if (!map || !region || region === launch.params) return;
    const access: Access = { ...reads, ofMap: true };
    order.shadow(region).touchRange(map.address - region.base, tensorMapBytes, new Touching(access, 1, silent));
  };
  const touch = (warp: Warp, lane: number, access: Access, ranges: readonly TransferRange[]): void => {
    const at = order.warp(warp);
    judge.begin(access, at.of(lane), at.slot, lane);
    let last: { readonly region: Region; readonly shadow: Shadow; readonly by: Touching } | undefined;
    for (let i = 0; i < ranges.length; i++) {
      const range = ranges[i] as TransferRange;
      const place = rangeOf(warp, range);
      if (!place) continue;
      const { region, offset } = place;
      if (last?.region !== region) last = { region, shadow: order.shadow(region), by: new Touching(access, 1, judge) };
      judge.over(region, offset, range.bytes);
      last.shadow.touchRange(offset, range.bytes, last.by);
    }
  };
  return {
    mapUsed(warp: Warp, lane: number, address: number) {
      map = { warp, lane, address };
    },
    transferIssues(warp: Warp, lane: number, transfer: Transfer) {
      const at = order.warp(warp);
      const cluster = order.cluster(warp.block.cluster);
      const { read, done, tick, kind, since } = placeOf(cluster, transfer);
      const agent = transferAgent(warp, lane, transfer, kind, since);
      const proxy = kind === "cp.async" ? "generic" : "async";
      const copy = kind !== "load" ? copyOf(at.warp, lane, transfer) : undefined;
      const { home } = cluster;
      const reads: Access = { home, tick, at: warp.at, proxy, agent, copy, slot: read, writes: false, strong: "" };
      const strong = transfer.reduces ? "wide" : "";
      const { map } = transfer;
      const writes: Access = { home, tick, at: warp.at, proxy, agent, copy, slot: done, writes: true, strong, map };
      touch(warp, lane, reads, transfer.reads);
      readsMap(warp, lane, reads);
      touch(warp, lane, writes, transfer.writes);
      touch(warp, lane, writes, beyondOf(transfer));
    },
  };
}

const tensorMapBytes = 128;
const everyWarp = 0b1111;
const chunk = 16;

/** The operands of a product that lie in shared memory. */
export function products(c: CheckContext, order: LaunchOrder): Listener {
  const judge = new AccessJudge(c);
  return {
    wgmmaIssues(warp: Warp, group: Warpgroup, product: WgmmaProduct) {
      const cluster = order.cluster(warp.block.cluster);
      const of = cluster.products(group);
      const agent = productAgent(warp, group, of, of.next);
      const access: Access = {
        home: cluster.home,
        slot: of.slot,
        tick: of.next,
        at: warp.at,
        writes: false,
        proxy: "async",
        strong: "",
        agent,
      };
      for (const each of group.warps) {
        if (c.tolerance === "ignore") order.warp(each).meet(each.live);
        else if (c.tolerance === "warn") order.warp(each).assume(each.live);
      }
      const begins = group.warps.flatMap((each) => {
        const at = order.warp(each);
        return at.each().map((known) => () => judge.begin(access, known, at.slot, noLane));
      });
      const all = together(judge, begins);
      for (const { name, bits, offsets } of operandsOf(product)) {
        judge.over(warp.block.shared, offsets[0] ?? 0, chunk * offsets.length);
        const seeing: Judge = {
          conflict(entry) {
            const before = all.conflict(entry);
            if (before) checkSwizzle(c, warp, name, bits, entry);
            return before;
          },
          before: all.before,
          changes: all.changes,
          beside: all.beside,
        };
        order.shadow(warp.block.shared).touchCells(offsets, access, everyWarp, seeing);
      }
    },
  };
}

function operandsOf(product: WgmmaProduct) {
  const { a, b, aType, bType, n, transA, transB, shared } = product;
  const right = { name: "B", bits: b, offsets: operandChunks(b, bType, n, transB, shared, "B", product.sparse ? 2 : 1) };
  if (Array.isArray(a)) return [right];
  const bits = a as Exclude<typeof a, readonly number[]>;
  return [{ name: "A", bits, offsets: operandChunks(bits, aType, 64, transA, shared, "A") }, right];
}
