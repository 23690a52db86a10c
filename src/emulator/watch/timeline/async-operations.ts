/** Copies and products under way, from their issue to their landing, and the groups that they are waited for in. */

import { display } from "../../../base/diag/index.ts";
import type { IssuedWork, Latency, ProfileSpan } from "../../../inspect/profile/index.ts";
import { fail } from "../../errors/index.ts";
import type { GroupKind, Listener } from "../../machine/monitor.ts";
import type { AsyncGroups, Transfer, TransferRange, WgmmaProduct } from "../../machine/units/index.ts";
import type { Cluster, Warp, Warpgroup } from "../../machine/warp.ts";
import { type BarrierTimes, instruction } from "./barriers.ts";
import type { Recorder } from "./recorder.ts";
import { later, type Moment, never, type Tracks } from "./tracks.ts";

type Issued = Omit<ProfileSpan, "lane" | "begin" | "end" | "place" | "kind"> & Pick<IssuedWork, "kind">;

/** Copies that one instruction has issued for its lanes. */
interface Flight {
  readonly name: string;
  /** The row of its block's landings. */
  readonly landings: number;
  readonly cluster: Cluster;
  /** Step in which it was issued, and when. */
  readonly serial: number;
  /** Before this it has not landed. */
  readonly least: number;
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

/** A reduction is a store that adds. A store is waited for in groups; where it goes may lie beyond its tensor, and then it reads and writes nothing. */
function kindOf({ kind, reads, reduces, completion }: Transfer): { readonly kind: "load" | "store"; readonly name: string } {
  if (kind === "cp.async") return { kind: "load", name: "cp.async" };
  const stores = reduces || "groups" in completion;
  const way = reduces ? "reduce" : stores ? "store" : spaceOf(reads) === "shared" ? "to a peer" : "load";
  return { kind: stores ? "store" : "load", name: `${kind === "tensor" ? "TMA" : "bulk"} ${way}` };
}

const deeds = { load: "loads", store: "stores" } as const;

export class AsyncOperations {
  readonly #tracks: Tracks;
  readonly #recorder: Recorder;
  readonly #barriers: BarrierTimes;
  readonly #flights = new WeakMap<Transfer, Flight>();
  readonly #products = new WeakMap<WgmmaProduct, Flight>();
  readonly #groups = new WeakMap<AsyncGroups, Groups>();
  /** When the last product of a warpgroup lands: they are done one after the other. */
  readonly #lastProducts = new WeakMap<AsyncGroups, number>();
  readonly #latency: Latency | undefined;
  /** Of the lanes of one instruction, the copy that all of theirs are shown as. */
  #together: { readonly serial: number; readonly flight: Flight } | undefined;
  #committing = -1;

  constructor(tracks: Tracks, recorder: Recorder, barriers: BarrierTimes, latency: Latency | undefined) {
    this.#latency = latency;
    this.#tracks = tracks;
    this.#recorder = recorder;
    this.#barriers = barriers;
  }

  #groupsOf(groups: AsyncGroups): Groups {
    const known = this.#groups.get(groups) ?? { open: [], committed: [] };
    this.#groups.set(groups, known);
    return known;
  }

  /** Ticks until it lands, of which no schedule takes anything away. W7744. */
  #ticksOf(what: Issued, place: number | undefined): number {
    if (!this.#latency) return 1;
    const { kind, name, bytes, details } = what;
    const known = { ...(bytes !== undefined && { bytes }), ...(details && { details }) };
    const ticks: unknown = this.#latency({ kind, name, ...known, place: this.#recorder.places.list[place ?? -1] });
    if (typeof ticks !== "number" || !Number.isFinite(ticks) || ticks < 0)
      return fail("W7744", { name, given: display(ticks) }, this.#tracks.spansOf(place));
    return Math.max(1, Math.round(ticks));
  }

  /** `after`: before that it cannot begin. */
  #begin(warp: Warp, what: Issued, issued: number, after = issued): Flight {
    const { lane } = this.#tracks.of(warp);
    const place = this.#tracks.placeAt(warp.at);
    const end = this.#recorder.begin({ ...what, lane, begin: issued, ...(place === undefined ? {} : { place }) });
    const { cluster } = warp.block;
    const { landings } = this.#tracks.beside(warp.block);
    const least = Math.max(issued, after) + this.#ticksOf(what, place);
    return { name: what.name, landings, cluster, serial: this.#tracks.serial, least, end, left: 1, landed: never };
  }

  #issues(warp: Warp, transfer: Transfer): void {
    const together = this.#together;
    const { serial } = this.#tracks;
    let flight = together?.serial === serial && transfer.kind === "cp.async" ? together.flight : undefined;
    if (flight) flight.left += 1;
    else {
      const { kind, reads, writes, bytes } = transfer;
      const lanes = kind === "cp.async" ? "each lane" : "one lane";
      const what = kindOf(transfer);
      const { lane, clock } = this.#tracks.of(warp);
      this.#recorder.did(lane, deeds[what.kind]);
      const details = { by: lanes, from: spaceOf(reads), to: spaceOf(writes) };
      flight = this.#begin(warp, { ...what, bytes, details }, clock - 1);
      if (kind === "cp.async") this.#together = { serial, flight };
    }
    this.#flights.set(transfer, flight);
    if ("groups" in transfer.completion) this.#groupsOf(transfer.completion.groups).open.push(flight);
  }

  /** What lands at once has landed a tick after its issue; what lands late, not before all that has happened. */
  #land(flight: Flight): Moment {
    const { landings, least, serial } = flight;
    const time = serial === this.#tracks.serial ? least : Math.max(least, this.#tracks.nowIn(flight.cluster));
    if (time > flight.landed.time)
      this.#recorder.span({ kind: "landing", name: flight.name, lane: landings, begin: time - 1, end: time });
    flight.landed = later(flight.landed, { time, origin: { lane: landings, at: time - 1 } });
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
    const { lane, clock } = this.#tracks.of(warp);
    // The lanes of one instruction commit together.
    const shown = own.open.length > 0 && this.#committing !== this.#tracks.serial;
    if (shown) this.#committing = this.#tracks.serial;
    const end = shown ? this.#recorder.begin({ kind: "group", name, lane, begin: clock - 1 }) : undefined;
    own.committed.push({ members: own.open, end });
    own.open = [];
  }

  #waits(warp: Warp, groups: AsyncGroups, allowed: number, what: string): void {
    const own = this.#groupsOf(groups);
    const covered = own.committed.slice(0, Math.max(0, own.committed.length - allowed));
    own.committed = own.committed.slice(covered.length);
    const moment = covered.flatMap((group) => group.members).reduce((last, flight) => later(last, flight.landed), never);
    this.#tracks.join(warp, moment, instruction(what));
    const { clock } = this.#tracks.of(warp);
    for (const { end } of covered) end?.(clock);
  }

  #issuesProduct(warp: Warp, group: Warpgroup, product: WgmmaProduct): void {
    const issued = Math.max(...group.warps.map((w) => this.#tracks.of(w).clock)) - 1;
    const { n, aType, bType, dType } = product;
    const details = { n, a: aType, b: bType, d: dType };
    for (const w of group.warps) this.#recorder.did(this.#tracks.of(w).lane, "products");
    const flight = this.#begin(
      group.warps[0] ?? warp,
      { kind: "product", name: "wgmma", details },
      issued,
      this.#lastProducts.get(group.groups),
    );
    if (this.#latency) this.#lastProducts.set(group.groups, flight.least);
    this.#products.set(product, flight);
    this.#groupsOf(group.groups).open.push(flight);
  }

  readonly listener: Listener = {
    transferIssues: (warp, _lane, transfer) => this.#issues(warp, transfer),
    transferLands: (transfer) => this.#lands(transfer),
    commits: (warp, _lane, groups, kind) => this.#commits(warp, groups, kind === "bulk" ? "bulk group" : "cp.async group"),
    waits: (warp, _lane, groups, kind: GroupKind, allowed) =>
      this.#waits(warp, groups, allowed, kind === "bulk" ? "bulk copies" : "cp.async"),
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
    this.#tracks.join(warp, moment, instruction("wgmma"));
    if (warp !== group.warps.at(-1)) return;
    own.committed = own.committed.slice(covered.length);
    const { clock } = this.#tracks.of(warp);
    for (const { end } of covered) end?.(clock);
  }
}
