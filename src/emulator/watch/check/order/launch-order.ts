/** All that one launch knows of order: for each cluster its slots, for all memory its shadow. */
import type { Region } from "../../../machine/memory.ts";
import type { AsyncGroups } from "../../../machine/units/index.ts";
import type { Cluster, Warp, Warpgroup } from "../../../machine/warp.ts";
import { type Home, Knowledge } from "./clock.ts";
import type { Earlier } from "./past-launches.ts";
import { Shadow } from "./shadow.ts";
import { WarpOrder } from "./threads.ts";

/** Groups of a thread: what is open has tick `next`, what the n-th commit closed has `committed[n]` and less. */
export interface GroupOrder {
  /** Reads of sources; for `cp.async` the same slot as `done`. */
  readonly read: number;
  readonly done: number;
  next: number;
  readonly committed: number[];
}

/** The products of a warpgroup: its four warps are the lanes of the slot. */
export interface ProductOrder {
  readonly slot: number;
  next: number;
  readonly committed: number[];
}

/** One mbarrier since its initialisation. */
export interface MbarrierOrder {
  /** The bytes that it tracks: those of phase p have the tick `first` + p. */
  readonly slot: number;
  readonly first: number;
  /** What those who arrive in the phase that runs pass on. */
  arriving: Knowledge;
  /** What those have passed on who arrived in the phase before. */
  over: Knowledge | undefined;
  /** Where it was initialised. */
  readonly init: {
    readonly slot: number;
    readonly tick: number;
    readonly lanes: number;
    readonly at: number;
    readonly order: WarpOrder;
  };
}

export class ClusterOrder {
  readonly cluster: Cluster;
  readonly home: Home = Object.freeze({});
  readonly mbarriers = new Map<number, MbarrierOrder>();
  readonly #warps = new Map<Warp, WarpOrder>();
  readonly #groups = new Map<AsyncGroups, GroupOrder>();
  readonly #products = new Map<Warpgroup, ProductOrder>();
  readonly #mbarrierSlots = new Map<number, { slot: number; used: number }>();
  #slots = 0;

  constructor(cluster: Cluster) {
    this.cluster = cluster;
    this.#slots = cluster.warps.length;
    cluster.warps.forEach((warp, slot) => void this.#warps.set(warp, new WarpOrder(warp, this.home, slot)));
  }

  warp(warp: Warp): WarpOrder {
    const known = this.#warps.get(warp);
    if (!known) throw new RangeError("a warp of another cluster");
    return known;
  }

  fresh(): Knowledge {
    return new Knowledge(this.home);
  }

  groups(groups: AsyncGroups, kind: "bulk" | "copy"): GroupOrder {
    let known = this.#groups.get(groups);
    if (!known) {
      const read = this.#slots++;
      known = { read, done: kind === "bulk" ? this.#slots++ : read, next: 1, committed: [] };
      this.#groups.set(groups, known);
    }
    return known;
  }

  /** The slots of the `cp.async` that lanes have issued. */
  copySlots(warp: Warp, mask: number): readonly number[] {
    const slots: number[] = [];
    for (let rest = mask; rest !== 0; rest &= rest - 1) {
      const known = this.#groups.get(warp.copyGroups(31 - Math.clz32(rest & -rest)));
      if (known) slots.push(known.done);
    }
    return slots;
  }

  products(group: Warpgroup): ProductOrder {
    let known = this.#products.get(group);
    if (!known) {
      known = { slot: this.#slots++, next: 1, committed: [] };
      this.#products.set(group, known);
    }
    return known;
  }

  /** A slot for the mbarrier at an address; after an earlier one there, its ticks go on where those ended. */
  init(address: number, init: MbarrierOrder["init"]): void {
    let place = this.#mbarrierSlots.get(address);
    if (!place) {
      place = { slot: this.#slots++, used: 0 };
      this.#mbarrierSlots.set(address, place);
    }
    const order: MbarrierOrder = { slot: place.slot, first: place.used + 1, arriving: this.fresh(), over: undefined, init };
    this.mbarriers.set(address, order);
  }

  completed(address: number, phase: number): void {
    const order = this.mbarriers.get(address);
    const place = this.#mbarrierSlots.get(address);
    if (!order || !place) return;
    order.over = order.arriving;
    order.arriving = this.fresh();
    place.used = order.first + phase;
  }
}

export class LaunchOrder {
  /** Launches before, which may not be over. */
  readonly earlier: Earlier | undefined;
  readonly #clusters = new Map<Cluster, ClusterOrder>();
  /** Of global memory, and of the shared memory of clusters that run. */
  readonly shadows: Map<Region, Shadow>;
  #lastWarp: Warp | undefined;
  #lastOrder: WarpOrder | undefined;
  #lastRegion: Region | undefined;
  #lastShadow: Shadow | undefined;

  /** It goes on with the shadows of the launches before. */
  constructor(earlier: Earlier | undefined) {
    this.earlier = earlier;
    this.shadows = earlier?.shadows ?? new Map();
  }

  begin(cluster: Cluster): void {
    this.#clusters.set(cluster, new ClusterOrder(cluster));
  }

  /** Its memory goes with it. What others have heard of it stays with them. */
  end(cluster: Cluster): void {
    this.#clusters.delete(cluster);
    for (const region of cluster.shared.blocks) this.shadows.delete(region);
  }

  running(cluster: Cluster): ClusterOrder | undefined {
    return this.#clusters.get(cluster);
  }

  cluster(cluster: Cluster): ClusterOrder {
    const known = this.#clusters.get(cluster);
    if (!known) throw new RangeError("a cluster that does not run");
    return known;
  }

  warp(warp: Warp): WarpOrder {
    if (warp === this.#lastWarp && this.#lastOrder) return this.#lastOrder;
    this.#lastWarp = warp;
    this.#lastOrder = this.cluster(warp.block.cluster).warp(warp);
    return this.#lastOrder;
  }

  shadow(region: Region): Shadow {
    if (region === this.#lastRegion && this.#lastShadow) return this.#lastShadow;
    let shadow = this.shadows.get(region);
    if (!shadow) {
      shadow = new Shadow();
      this.shadows.set(region, shadow);
    }
    this.#lastRegion = region;
    this.#lastShadow = shadow;
    return shadow;
  }
}

/**
 * The last phase of an mbarrier that some lane of a warp knows to be over, by whatever way it heard of it; -1: of none. Undefined
 * where there is no such barrier.
 */
export function knownPhase(order: LaunchOrder, warp: Warp, address: number): number | undefined {
  const bar = order.cluster(warp.block.cluster).mbarriers.get(address);
  if (!bar) return undefined;
  const ticks = order
    .warp(warp)
    .each()
    .map((known) => known.generic.tickOf(bar.slot));
  return Math.max(-1, ...ticks.map((tick) => tick - bar.first));
}
