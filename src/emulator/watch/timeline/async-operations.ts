/** Copies and products under way, from their issue to their landing, and the groups that they are waited for in. */
import type { GroupKind, Listener } from "../../machine/monitor.ts";
import type { AsyncGroups, Transfer, TransferRange, WgmmaProduct } from "../../machine/units/index.ts";
import type { Cluster, Warp, Warpgroup } from "../../machine/warp.ts";
import type { BarrierTimes } from "./barriers.ts";
import { type AsyncEvent, type EventList, landingTrack } from "./events.ts";
import { later, type Moment, never, type Tracks } from "./tracks.ts";

/** Copies that one instruction has issued for its lanes. */
interface Flight {
  readonly name: string;
  readonly pid: number;
  readonly cluster: Cluster;
  /** Step in which it was issued, and when. */
  readonly serial: number;
  readonly issued: number;
  readonly end: ((ts: number) => void) | undefined;
  left: number;
  landed: Moment;
}

interface Group {
  readonly members: readonly Flight[];
  readonly end: ((ts: number) => void) | undefined;
}
interface Groups {
  open: Flight[];
  committed: Group[];
}

const spaceOf = (ranges: readonly TransferRange[]): string => ranges[0]?.space ?? "nothing";

function nameOf({ kind, reads, writes, reduces }: Transfer): string {
  if (kind === "cp.async") return "cp.async";
  const way = reduces ? "reduce" : spaceOf(writes) === "global" ? "store" : spaceOf(reads) === "shared" ? "to a peer" : "load";
  return `${kind === "tensor" ? "TMA" : "bulk"} ${way}`;
}

export class AsyncOperations {
  readonly #tracks: Tracks;
  readonly #events: EventList;
  readonly #barriers: BarrierTimes;
  readonly #flights = new WeakMap<Transfer, Flight>();
  readonly #products = new WeakMap<WgmmaProduct, Flight>();
  readonly #groups = new WeakMap<AsyncGroups, Groups>();
  /** Of the lanes of one instruction, the copy that all of theirs are shown as. */
  #together: { readonly serial: number; readonly flight: Flight } | undefined;
  #committing = -1;

  constructor(tracks: Tracks, events: EventList, barriers: BarrierTimes) {
    this.#tracks = tracks;
    this.#events = events;
    this.#barriers = barriers;
  }

  #groupsOf(groups: AsyncGroups): Groups {
    const known = this.#groups.get(groups) ?? { open: [], committed: [] };
    this.#groups.set(groups, known);
    return known;
  }

  #begin(warp: Warp, cat: AsyncEvent["cat"], name: string, issued: number, args: AsyncEvent["args"]): Flight {
    const { pid, tid } = this.#tracks.of(warp);
    const head = { name, cat, pid, tid, ts: issued };
    const end = this.#events.begin(args ? { ...head, args } : head);
    const { cluster } = warp.block;
    return { name, pid, cluster, serial: this.#tracks.serial, issued, end, left: 1, landed: never };
  }

  #issues(warp: Warp, transfer: Transfer): void {
    const together = this.#together;
    const { serial } = this.#tracks;
    let flight = together?.serial === serial && transfer.kind === "cp.async" ? together.flight : undefined;
    if (flight) flight.left += 1;
    else {
      const { kind, reads, writes, bytes } = transfer;
      const lanes = kind === "cp.async" ? "each lane" : "one lane";
      const args = { bytes, by: lanes, from: spaceOf(reads), to: spaceOf(writes), line: this.#tracks.lineOf(warp.at) };
      flight = this.#begin(warp, "copy", nameOf(transfer), this.#tracks.of(warp).clock - 1, args);
      if (kind === "cp.async") this.#together = { serial, flight };
    }
    this.#flights.set(transfer, flight);
    if ("groups" in transfer.completion) this.#groupsOf(transfer.completion.groups).open.push(flight);
  }

  /** What lands at once has landed a tick after its issue; what lands late, not before all that has happened. */
  #land(flight: Flight): Moment {
    const { pid, issued, serial } = flight;
    const time = serial === this.#tracks.serial ? issued + 1 : Math.max(issued + 1, this.#tracks.now);
    if (time > flight.landed.time) this.#events.slice(pid, landingTrack, flight.name, time - 1, 1);
    flight.landed = later(flight.landed, { time, origin: { pid, tid: landingTrack, ts: time - 1 } });
    flight.left -= 1;
    if (flight.left === 0) flight.end?.(flight.landed.time);
    return flight.landed;
  }

  #lands(transfer: Transfer): void {
    const flight = this.#flights.get(transfer);
    if (!flight) return;
    const moment = this.#land(flight);
    if ("barrier" in transfer.completion) this.#barriers.comes(flight.cluster, transfer.completion.barrier, moment);
  }

  #commits(warp: Warp, groups: AsyncGroups, name: string): void {
    const own = this.#groupsOf(groups);
    const { pid, tid, clock } = this.#tracks.of(warp);
    // The lanes of one instruction commit together.
    const shown = own.open.length > 0 && this.#committing !== this.#tracks.serial;
    if (shown) this.#committing = this.#tracks.serial;
    const end = shown ? this.#events.begin({ name, cat: "group", pid, tid, ts: clock - 1 }) : undefined;
    own.committed.push({ members: own.open, end });
    own.open = [];
  }

  #waits(warp: Warp, groups: AsyncGroups, allowed: number, what: string): void {
    const own = this.#groupsOf(groups);
    const covered = own.committed.slice(0, Math.max(0, own.committed.length - allowed));
    own.committed = own.committed.slice(covered.length);
    const moment = covered.flatMap((group) => group.members).reduce((last, flight) => later(last, flight.landed), never);
    this.#tracks.join(warp, moment, what);
    const { clock } = this.#tracks.of(warp);
    for (const { end } of covered) end?.(clock);
  }

  #issuesProduct(warp: Warp, group: Warpgroup, product: WgmmaProduct): void {
    const issued = Math.max(...group.warps.map((w) => this.#tracks.of(w).clock)) - 1;
    const { n, aType, bType, dType } = product;
    const args = { n, a: aType, b: bType, d: dType, line: this.#tracks.lineOf(warp.at) };
    const flight = this.#begin(group.warps[0] ?? warp, "wgmma", "wgmma", issued, args);
    this.#products.set(product, flight);
    this.#groupsOf(group.groups).open.push(flight);
  }

  readonly listener: Listener = {
    transferIssues: (warp, _lane, transfer) => this.#issues(warp, transfer),
    transferLands: (transfer) => this.#lands(transfer),
    commits: (warp, _lane, groups, kind) => this.#commits(warp, groups, kind === "bulk" ? "bulk group" : "cp.async group"),
    waits: (warp, _lane, groups, kind: GroupKind, allowed) =>
      this.#waits(warp, groups, allowed, `waits: ${kind === "bulk" ? "bulk copies" : "cp.async"}`),
    wgmmaIssues: (warp, group, product) => this.#issuesProduct(warp, group, product),
    wgmmaLands: (_group, product) => {
      const flight = this.#products.get(product);
      if (flight) this.#land(flight);
    },
    wgmmaCommits: (warp, group) => this.#commits(group.warps[0] ?? warp, group.groups, "wgmma group"),
    wgmmaWaits: (warp, group, allowed) => this.#waitsForProducts(warp, group, allowed),
  };

  /** Each warp of a group waits for itself: what is covered stays until the last of them has. */
  #waitsForProducts(warp: Warp, group: Warpgroup, allowed: number): void {
    const own = this.#groupsOf(group.groups);
    const covered = own.committed.slice(0, Math.max(0, own.committed.length - allowed));
    const moment = covered.flatMap((g) => g.members).reduce((last, flight) => later(last, flight.landed), never);
    this.#tracks.join(warp, moment, "waits: wgmma");
    if (warp !== group.warps.at(-1)) return;
    own.committed = own.committed.slice(covered.length);
    const { clock } = this.#tracks.of(warp);
    for (const { end } of covered) end?.(clock);
  }
}
