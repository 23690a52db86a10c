/** When barriers of every kind open, by who came last: the times that waiting warps go on at. */
import type { Instruction } from "../../../ptx/parse/index.ts";
import { mbarrierNameAt, type Names } from "../../machine/memory-names.ts";
import type { Listener } from "../../machine/monitor.ts";
import type { Mbarrier } from "../../machine/units/index.ts";
import type { Block, Cluster, Warp } from "../../machine/warp.ts";
import type { Recorder } from "./recorder.ts";
import { type Awaited, later, type Moment, never, type Tracks } from "./tracks.ts";

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

/** An mbarrier by the author's name, which one it is of several; by its address where nobody named it. */
function mbarrierName(names: Names, address: number): Pick<Awaited, "on" | "stage"> {
  const known = mbarrierNameAt(names, address);
  if (!known) return { on: `mbarrier 0x${address.toString(16)}` };
  return { on: known.name, ...(known.index === undefined ? {} : { stage: known.index }) };
}

const barrierName = ({ opcode }: Instruction, id: number): string => `${opcode.text} ${id}`;

/** A wait that goes by its instruction. */
export const instruction = (on: string): Awaited => ({ name: on, on });

export class BarrierTimes {
  readonly #tracks: Tracks;
  readonly #recorder: Recorder;
  readonly #names: Names;
  readonly #known = new Map<number, Pick<Awaited, "on" | "stage">>();
  readonly #mbarriers = new Map<Cluster, Map<number, Watched>>();
  readonly #meetings = new WeakMap<object, Moment>();
  readonly #clusterPhases = new Map<Cluster, Moment[]>();
  readonly #leaves = new WeakMap<Warp, number>();
  readonly #arrivals = new WeakMap<Warp, number>();

  constructor(tracks: Tracks, recorder: Recorder, names: Names) {
    this.#tracks = tracks;
    this.#recorder = recorder;
    this.#names = names;
  }

  #nameOf(address: number): Pick<Awaited, "on" | "stage"> {
    const known = this.#known.get(address) ?? mbarrierName(this.#names, address);
    this.#known.set(address, known);
    return known;
  }

  /** The row for the barriers of the block in whose memory the address lies. */
  #laneOf({ blocks }: Cluster, address: number): number {
    const block: Block | undefined = blocks[address >>> 24] ?? blocks[0];
    return block ? this.#tracks.beside(block).barriers : 0;
  }

  #watched(cluster: Cluster, address: number): Watched {
    const all = this.#mbarriers.get(cluster) ?? new Map<number, Watched>();
    this.#mbarriers.set(cluster, all);
    const watched = all.get(address) ?? { last: never, over: never, shown: 0, stale: false };
    all.set(address, watched);
    return watched;
  }

  #count(cluster: Cluster, address: number, watched: Watched, { pending, phase }: Pick<Mbarrier, "pending" | "phase">): void {
    this.#recorder.count(this.#laneOf(cluster, address), this.#nameOf(address).on, watched.shown, { pending, phase });
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
    const { on } = this.#nameOf(address);
    this.#recorder.instant(this.#laneOf(cluster, address), `${on}: phase ${phase} is over`, watched.over.time);
    this.#count(cluster, address, watched, { pending: barrier?.expected ?? 0, phase: phase + 1 });
  }

  #waits(warp: Warp, address: number, phase: number, passed: boolean): void {
    const { cluster } = warp.block;
    const barrier = this.#nameOf(address);
    const waited = (phase: number): Awaited => ({ name: `${barrier.on}, phase ${phase}`, ...barrier, phase });
    if (passed) this.#tracks.join(warp, this.#watched(cluster, address).over, waited(phase - 1));
    else this.#tracks.refuse(warp, waited(phase));
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
    barrierArrives: (warp, _mask, meeting, i, id) => {
      this.#meetings.set(meeting, later(this.#meetings.get(meeting) ?? never, this.#tracks.moment(warp)));
      this.#tracks.refuse(warp, instruction(barrierName(i, id)));
    },
    barrierLeaves: (warp, _mask, meeting, i, id) =>
      this.#tracks.join(warp, this.#meetings.get(meeting) ?? never, instruction(barrierName(i, id))),
    clusterArrives: (warp) => {
      const phases = this.#clusterPhases.get(warp.block.cluster) ?? [];
      this.#clusterPhases.set(warp.block.cluster, phases);
      const nth = this.#nth(this.#arrivals, warp);
      phases[nth] = later(phases[nth] ?? never, this.#tracks.moment(warp));
    },
    clusterLeaves: (warp) => {
      const nth = this.#nth(this.#leaves, warp);
      this.#tracks.join(warp, this.#clusterPhases.get(warp.block.cluster)?.[nth] ?? never, instruction("barrier.cluster"));
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
