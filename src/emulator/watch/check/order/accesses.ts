/** Every access to shared and global memory against those before it. W9201–W9208, W9222, W9227. */
import { readForm } from "../../../../ptx/isa/read/index.ts";
import type { Instruction } from "../../../../ptx/parse/tree.ts";
import type { LaneAccesses } from "../../../machine/lane-accesses.ts";
import type { Region } from "../../../machine/memory.ts";
import type { Rule } from "../../../machine/monitor.ts";
import { operandChunks, type Transfer, type TransferRange, type WgmmaProduct } from "../../../machine/units/index.ts";
import type { Warp, Warpgroup } from "../../../machine/warp.ts";
import { type Constants, constantsOf, storedConstant } from "../constants.ts";
import type { CheckContext } from "../context.ts";
import type { Access, Agent } from "./access.ts";
import { groupSince, laneAgent, mbarrierSince, productAgent, transferAgent } from "./agents.ts";
import type { Clock } from "./clock.ts";
import { AccessJudge, noLane, together } from "./judge.ts";
import type { ClusterOrder, LaunchOrder } from "./launch-order.ts";
import { type Follows, isAlone } from "./lines.ts";
import { checkSwizzle } from "./provenance.ts";
import type { Judge } from "./shadow.ts";
import type { WarpOrder } from "./threads.ts";

/** Accesses that order memory or are atomic (PTX ISA 8.4, "strong operations"). */
function strengthOf(i: Instruction | undefined): Access["strong"] {
  if (!i) return "";
  const { form, modifiers } = i.opcode;
  const { access } = readForm(form);
  const atomic = access === "atomic" || access === "reduction";
  const { order, scope } = modifiers;
  if (!atomic && (order === undefined || order === "" || order === "weak")) return "";
  return scope === "cta" ? "cta" : "wide";
}

/** Takes memory to be read-only: `ld.global.nc`, `ldu`. PTX ISA 9.7.9.9, 9.7.9.10. */
const isNonCoherent = (i: Instruction | undefined): boolean => i?.opcode.modifiers.nc === "nc" || i?.opcode.form === "ldu";

/** What a warp does by an instruction, one object for each execution, or for several that nothing stands between. */
class WarpAccesses {
  readonly #c: CheckContext;
  readonly #agents = new WeakMap<Warp, Agent>();
  #constants: Constants | undefined;

  constructor(c: CheckContext) {
    this.#c = c;
  }

  #storedConstant(i: Instruction): string | undefined {
    this.#constants ??= constantsOf(this.#c.program.instructions);
    return storedConstant(i, this.#constants);
  }

  of(at: WarpOrder, index: number, writes: boolean): Access {
    const last = at.accesses[index];
    if (last && last.tick === at.tick) return last;
    const { warp, home, slot, tick } = at;
    const instruction = this.#c.program.instructions[index];
    const [strong, nonCoherent] = [strengthOf(instruction), isNonCoherent(instruction)];
    const agent = this.#agent(warp);
    const value = writes && instruction ? this.#storedConstant(instruction) : undefined;
    const access: Access = { home, slot, tick, at: index, writes, proxy: "generic", strong, nonCoherent, agent, value };
    at.accesses[index] = access;
    return access;
  }

  #agent(warp: Warp): Agent {
    let agent = this.#agents.get(warp);
    if (!agent) {
      agent = laneAgent(warp);
      this.#agents.set(warp, agent);
    }
    return agent;
  }
}

/** Lanes of a warp that all know the same, and what they do. One object serves for all. */
class Together {
  readonly #strict: boolean;
  #access: Access | undefined;
  #known: Clock | undefined;

  constructor({ strict }: CheckContext) {
    this.#strict = strict;
  }

  /** Undefined where each lane has to be looked at by itself. */
  begin(access: Access, at: WarpOrder, parts: LaneAccesses["parts"]): Follows | undefined {
    const { common } = at;
    if (!common || (this.#strict && access.writes && parts?.some((part) => !part.apart))) return undefined;
    this.#access = access;
    this.#known = common.generic;
    return this.#follows;
  }

  /** As the judge has it, but that both may be strong. */
  readonly #follows: Follows = (entry, fresh) => {
    const [access, known] = [this.#access as Access, this.#known as Clock];
    const { home, slot, tick } = entry.access;
    if (home !== access.home) return known.covers(home, slot, tick, entry.lanes);
    if ((known.ticks[slot] ?? 0) >= tick) return true;
    if (slot !== access.slot) return false;
    return (entry.access === access && !this.#strict) || isAlone(entry, fresh);
  };
}

export function laneAccesses(c: CheckContext, order: LaunchOrder): Rule {
  const accesses = new WarpAccesses(c);
  const judge = new AccessJudge(c);
  const together = new Together(c);
  const one = (
    warp: Warp,
    lane: number,
    region: Region,
    offset: number,
    bytes: number,
    index: number,
    writes: boolean,
    changes = true,
  ) => {
    if (region.space === "local") return;
    const at = order.warp(warp);
    const access = accesses.of(at, index, writes);
    judge.begin(access, at.of(lane), at.slot, lane, changes).over(region, offset, bytes);
    order.shadow(region).touch(offset, bytes, access, 1 << lane, judge);
  };
  const all = (warp: Warp, of: LaneAccesses, writes: boolean, changes = -1) => {
    const { region, bytes, at: index } = of;
    if (region.space === "local") return;
    const at = order.warp(warp);
    const access = accesses.of(at, index, writes);
    order.shadow(region).touchLanes(of, access, together.begin(access, at, of.parts), (lane) => {
      one(warp, lane, region, of.offset(lane), bytes, index, writes, ((changes >>> lane) & 1) === 1);
    });
  };
  return {
    read: (warp, lane, region, offset, bytes, at) => one(warp, lane, region, offset, bytes, at, false),
    write: (warp, lane, region, offset, bytes, at, changes) => one(warp, lane, region, offset, bytes, at, true, changes),
    atomic: (warp, lane, region, offset, bytes, at) => one(warp, lane, region, offset, bytes, at, true),
    reads: (warp, of) => all(warp, of, false),
    writes: (warp, of, changes) => all(warp, of, true, changes),
    atomics: (warp, of) => all(warp, of, true),
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

/** Names stores: lanes of a warp that issue the same one, each by its n-th run of one instruction, give it one name. */
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

export function transfers(c: CheckContext, order: LaunchOrder): Rule {
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
  return {
    transferIssues(warp: Warp, lane: number, transfer: Transfer) {
      const at = order.warp(warp);
      const cluster = order.cluster(warp.block.cluster);
      const { read, done, tick, kind, since } = placeOf(cluster, transfer);
      const agent = transferAgent(warp, lane, transfer, kind, since);
      const proxy = kind === "cp.async" ? "generic" : "async";
      const copy = kind === "store" ? copyOf(at.warp, lane, transfer) : undefined;
      const common = { home: cluster.home, tick, at: warp.at, proxy, agent, copy } as const;
      const reads: Access = { ...common, slot: read, writes: false, strong: "" };
      const writes: Access = { ...common, slot: done, writes: true, strong: transfer.reduces ? "wide" : "", map: transfer.map };
      for (const [access, ranges] of [
        [reads, transfer.reads],
        [writes, transfer.writes],
      ] as const) {
        for (const range of ranges) {
          const place = rangeOf(warp, range);
          if (!place) continue;
          judge.begin(access, at.of(lane), at.slot, lane).over(place.region, place.offset, range.bytes);
          order.shadow(place.region).touchRange(place.offset, range.bytes, access, 1, judge);
        }
      }
    },
  };
}

const everyWarp = 0b1111;
const chunk = 16;

/** The operands of a product that lie in shared memory. */
export function products(c: CheckContext, order: LaunchOrder): Rule {
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
      for (const each of group.warps) if (!c.strict) order.warp(each).meet(each.live);
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
          beside: all.beside,
        };
        order.shadow(warp.block.shared).touchCells(offsets, access, everyWarp, seeing);
      }
    },
  };
}

function operandsOf(product: WgmmaProduct) {
  const { a, b, aType, bType, n, transA, transB, shared } = product;
  const right = { name: "B", bits: b, offsets: operandChunks(b, bType, n, transB, shared, "B") };
  if (Array.isArray(a)) return [right];
  const bits = a as Exclude<typeof a, readonly number[]>;
  return [{ name: "A", bits, offsets: operandChunks(bits, aType, 64, transA, shared, "A") }, right];
}
