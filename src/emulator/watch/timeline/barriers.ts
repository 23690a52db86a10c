/** When barriers of every kind open, by who came last: the times that waiting warps go on at. */
import type { Instruction } from "../../../ptx/parse/tree.ts";
import type { Listener } from "../../machine/monitor.ts";
import type { Mbarrier } from "../../machine/units/index.ts";
import type { Cluster, Warp } from "../../machine/warp.ts";
import { barrierTrack, type EventList } from "./events.ts";
import { later, type Moment, never, type Tracks } from "./tracks.ts";

/** An mbarrier as the timeline knows it. */
interface Watched {
  /** The last of what the current phase has had. */
  last: Moment;
  /** When the last phase that is over was. */
  over: Moment;
  /** Of its counters, which do not go back. */
  shown: number;
  /** What it lacks has changed since it was shown. */
  stale: boolean;
}

const nameOf = (address: number): string => `mbarrier 0x${address.toString(16)}`;

function barrierName({ opcode, operands: [first] }: Instruction): string {
  return first?.kind === "int" ? `${opcode.text} ${first.value}` : opcode.text;
}

export class BarrierTimes {
  readonly #tracks: Tracks;
  readonly #events: EventList;
  readonly #pidOf: (cluster: Cluster, address: number) => number;
  readonly #mbarriers = new Map<Cluster, Map<number, Watched>>();
  readonly #meetings = new WeakMap<object, Moment>();
  readonly #clusterPhases = new Map<Cluster, Moment[]>();
  readonly #leaves = new WeakMap<Warp, number>();
  readonly #arrivals = new WeakMap<Warp, number>();

  constructor(tracks: Tracks, events: EventList, pidOf: (cluster: Cluster, address: number) => number) {
    this.#tracks = tracks;
    this.#events = events;
    this.#pidOf = pidOf;
  }

  #watched(cluster: Cluster, address: number): Watched {
    const all = this.#mbarriers.get(cluster) ?? new Map<number, Watched>();
    this.#mbarriers.set(cluster, all);
    const watched = all.get(address) ?? { last: never, over: never, shown: 0, stale: false };
    all.set(address, watched);
    return watched;
  }

  #count(cluster: Cluster, address: number, watched: Watched, { pending, phase }: Pick<Mbarrier, "pending" | "phase">): void {
    this.#events.counter(this.#pidOf(cluster, address), nameOf(address), watched.shown, { pending, phase });
    watched.stale = false;
  }

  /** Something comes to a barrier; what it does to the count is shown before what comes later. */
  comes(cluster: Cluster, address: number, moment: Moment): void {
    const watched = this.#watched(cluster, address);
    const barrier = cluster.barriers.barriers.get(address);
    if (watched.stale && barrier && moment.time > watched.shown) this.#count(cluster, address, watched, barrier);
    watched.last = later(watched.last, moment);
    watched.shown = Math.max(watched.shown, moment.time);
    watched.stale = true;
  }

  #completes(cluster: Cluster, address: number, phase: number): void {
    const watched = this.#watched(cluster, address);
    watched.over = watched.last;
    watched.last = never;
    const barrier = cluster.barriers.barriers.get(address);
    this.#events.instant(
      this.#pidOf(cluster, address),
      barrierTrack,
      `${nameOf(address)}: phase ${phase} is over`,
      watched.over.time,
    );
    this.#count(cluster, address, watched, { pending: barrier?.expected ?? 0, phase: phase + 1 });
  }

  #waits(warp: Warp, address: number, phase: number, passed: boolean): void {
    const { cluster } = warp.block;
    const barrier = nameOf(address);
    if (passed) this.#tracks.join(warp, this.#watched(cluster, address).over, `waits: ${barrier}, phase ${phase - 1}`);
    else this.#tracks.refuse(warp, `waits: ${barrier}, phase ${phase}`);
  }

  /** Of the cluster's barrier: which of them this is for the warp. */
  #nth(counts: WeakMap<Warp, number>, warp: Warp): number {
    const n = counts.get(warp) ?? 0;
    counts.set(warp, n + 1);
    return n;
  }

  readonly listener: Listener = {
    clusterEnds: (cluster) => {
      this.#mbarriers.delete(cluster);
      this.#clusterPhases.delete(cluster);
    },
    barrierArrives: (warp, _mask, meeting, i) => {
      this.#meetings.set(meeting, later(this.#meetings.get(meeting) ?? never, this.#tracks.moment(warp)));
      this.#tracks.refuse(warp, `waits: ${barrierName(i)}`);
    },
    barrierLeaves: (warp, _mask, meeting, i) =>
      this.#tracks.join(warp, this.#meetings.get(meeting) ?? never, `waits: ${barrierName(i)}`),
    clusterArrives: (warp) => {
      const phases = this.#clusterPhases.get(warp.block.cluster) ?? [];
      this.#clusterPhases.set(warp.block.cluster, phases);
      const nth = this.#nth(this.#arrivals, warp);
      phases[nth] = later(phases[nth] ?? never, this.#tracks.moment(warp));
    },
    clusterLeaves: (warp) => {
      const nth = this.#nth(this.#leaves, warp);
      this.#tracks.join(warp, this.#clusterPhases.get(warp.block.cluster)?.[nth] ?? never, "waits: barrier.cluster");
    },
    mbarrierInits: (warp, _mask, address, count) => {
      const { cluster } = warp.block;
      const watched = this.#watched(cluster, address);
      Object.assign(watched, { last: never, over: never, shown: Math.max(watched.shown, this.#tracks.of(warp).clock) });
      this.#count(cluster, address, watched, { pending: count, phase: 0 });
    },
    mbarrierExpects: (warp, _lane, address) => this.comes(warp.block.cluster, address, this.#tracks.moment(warp)),
    mbarrierArrives: (warp, _lane, address) => this.comes(warp.block.cluster, address, this.#tracks.moment(warp)),
    copiesArrive: (warp, _lane, address) => this.comes(warp.block.cluster, address, this.#tracks.moment(warp)),
    mbarrierCompletes: (cluster, address, phase) => this.#completes(cluster, address, phase),
    mbarrierWaits: (warp, _mask, address, phase, passed) => this.#waits(warp, address, phase, passed),
  };
}
