/**
 * What fences pass on and hear (PTX ISA 8.8): a relaxed write behind a fence passes on what its thread had to pass on there; a fence behind a relaxed
 * read hears what was passed on with the value. A fence of the block does so for threads of its block, one of the cluster for those of its cluster.
 *
 * Both are of one thread. Working code has each thread fence, meet the others, and one of them write for all; and one read, meet the others, and each
 * fence (PyTorch's and Fuser's reductions over blocks). The manual does not promise that; the hardware has done at a fence what it asks for. So threads
 * that meet share what their fences pass on and what they have read, as something that is assumed.
 */
import { Notes } from "../../../machine/notes.ts";
import type { Tolerance } from "../../../run/reports.ts";
import { type Home, Knowledge } from "./clock.ts";

/** For whom a fence is, from the narrowest on. */
export const reaches = ["block", "cluster", "all"] as const;
export type Reach = (typeof reaches)[number];

/** What a fence passes on to those within its reach, and what has been read since the last one that would hear of it. */
export type Kind = "passed" | "heard";
type Slot = `${Kind} ${Reach}`;
const slots: readonly Slot[] = reaches.flatMap((reach) => [`passed ${reach}`, `heard ${reach}`] as const);

/** Of the lanes of a warp. What a `Knowledge` in it holds is not changed any more. */
interface OfSlot {
  /** A lane's own. */
  readonly own: (Knowledge | undefined)[];
  /** Lanes whose own has not been given to those whom they have met last. */
  fresh: number;
  /** What a lane shares with those whom it has met: its own before that is part of it. */
  readonly shared: (Knowledge | undefined)[];
}

/** Of those who meet, what each brings, and all of it. */
interface Brought {
  readonly parts: Set<Knowledge>;
  all: Knowledge | undefined;
}

const brought = new Notes<Partial<Record<Slot, Brought>>>();

/** Of the lanes of one warp. */
export class Fences {
  readonly #home: Home;
  readonly #slots = new Map<Slot, OfSlot>();

  constructor(home: Home) {
    this.#home = home;
  }

  /** What a lane has by itself, and, assumed, by those whom it has met. */
  get(kind: Kind, reach: Reach, lane: number, tolerance: Tolerance): Knowledge | undefined {
    const slot = this.#slots.get(`${kind} ${reach}`);
    const [own, shared] = [slot?.own[lane], slot?.shared[lane]];
    if (!shared) return own;
    const isWithin = !own || ((slot?.fresh ?? 0) & (1 << lane)) === 0;
    if (isWithin && tolerance === "ignore") return shared;
    const both = new Knowledge(this.#home);
    if (own) both.join(own);
    if (tolerance === "ignore") both.join(shared);
    else if (tolerance === "warn") both.assumes(shared);
    else both.supposes(shared);
    return both;
  }

  /** A fence, or a read: what lanes have by themselves from now on. What they shared before is no more than that. */
  set(kind: Kind, reach: Reach, lanes: number, known: Knowledge | undefined): void {
    const slot = this.#of(`${kind} ${reach}`);
    for (let rest = lanes; rest !== 0; rest &= rest - 1) {
      const lane = 31 - Math.clz32(rest & -rest);
      slot.own[lane] = known;
      slot.shared[lane] = undefined;
    }
    if (known) slot.fresh |= lanes;
    else slot.fresh &= ~lanes;
  }

  /** A lane has read something more. */
  add(reach: Reach, lane: number, heard: Knowledge): void {
    const slot = this.#of(`heard ${reach}`);
    if (slot.own[lane] === heard) return;
    slot.own[lane] = Knowledge.joined(this.#home, [slot.own[lane], heard]);
    slot.fresh |= 1 << lane;
  }

  /** No lane has read anything that was passed on. */
  get hasHeardNothing(): boolean {
    return reaches.every((reach) => {
      const slot = this.#slots.get(`heard ${reach}`);
      return !slot || (slot.own.every((known) => !known) && slot.shared.every((known) => !known));
    });
  }

  /** Lanes come to where they meet others. */
  bring(lanes: number, meeting: object): void {
    for (const [name, slot] of this.#slots) {
      if (slot.fresh === 0 && slot.shared.length === 0) continue;
      let all = brought.get(meeting);
      if (!all) {
        all = {};
        brought.set(meeting, all);
      }
      const part = all[name] ?? { parts: new Set(), all: undefined };
      all[name] = part;
      for (let rest = lanes; rest !== 0; rest &= rest - 1) {
        const lane = 31 - Math.clz32(rest & -rest);
        const [own, shared] = [slot.own[lane], slot.shared[lane]];
        if (own && (slot.fresh & (1 << lane)) !== 0) part.parts.add(own);
        if (shared) part.parts.add(shared);
      }
    }
  }

  /** Lanes leave it, and share what all have brought. */
  take(lanes: number, meeting: object): void {
    const all = brought.get(meeting);
    if (!all) return;
    for (const name of slots) {
      const part = all[name];
      if (!part || part.parts.size === 0) continue;
      part.all ??= Knowledge.joined(this.#home, part.parts);
      const slot = this.#of(name);
      for (let rest = lanes; rest !== 0; rest &= rest - 1) slot.shared[31 - Math.clz32(rest & -rest)] = part.all;
      slot.fresh &= ~lanes;
    }
  }

  /** Lanes of the warp meet. */
  meet(lanes: number): void {
    let isNew = false;
    for (const { fresh, shared } of this.#slots.values()) {
      if ((fresh & lanes) !== 0) isNew = true;
      else if (shared.length > 0 && !isUniform(shared, lanes)) isNew = true;
    }
    if (!isNew) return;
    const meeting = {};
    this.bring(lanes, meeting);
    this.take(lanes, meeting);
  }

  #of(name: Slot): OfSlot {
    let slot = this.#slots.get(name);
    if (!slot) {
      slot = { own: [], fresh: 0, shared: [] };
      this.#slots.set(name, slot);
    }
    return slot;
  }
}

function isUniform(shared: readonly (Knowledge | undefined)[], lanes: number): boolean {
  const first = shared[31 - Math.clz32(lanes & -lanes)];
  for (let rest = lanes; rest !== 0; rest &= rest - 1) if (shared[31 - Math.clz32(rest & -rest)] !== first) return false;
  return true;
}
