/** What the lanes of a warp know. Mostly all the same; lanes that have heard of more by themselves have their own knowledge. */
import type { Warp } from "../../../machine/warp.ts";
import type { Sources } from "./access.ts";
import { type Home, Knowledge } from "./clock.ts";
import { Fences } from "./fences.ts";

export class WarpOrder {
  readonly warp: Warp;
  readonly home: Home;
  readonly slot: number;
  /** Goes on whenever something is passed on: what comes later is not part of it. Tick 1: the warp has started. */
  tick = 2;
  /** What all lanes know. */
  readonly #base: Knowledge;
  readonly #own: (Knowledge | undefined)[] = [];
  #apart = 0;
  readonly fences: Fences;

  /** The lanes that it began with. */
  readonly #began: number;

  /** What it does by its instructions. */
  sources: Sources | undefined;

  constructor(warp: Warp, home: Home, slot: number) {
    this.warp = warp;
    this.home = home;
    this.slot = slot;
    this.#base = new Knowledge(home);
    this.#began = warp.live;
    this.fences = new Fences(home);
  }

  /** What all lanes know, where none has heard of more by itself. */
  get common(): Knowledge | undefined {
    return this.#apart === 0 ? this.#base : undefined;
  }

  of(lane: number): Knowledge {
    return this.#apart === 0 ? this.#base : (this.#own[lane] ?? this.#base);
  }

  /** What the lanes know that have not exited: mostly one for all. */
  each(): readonly Knowledge[] {
    const { live } = this.warp;
    const own = this.#own.filter((known, lane) => known && (live >>> lane) & 1) as Knowledge[];
    return (live & ~this.#apart) !== 0 || own.length === 0 ? [this.#base, ...own] : own;
  }

  fresh(): Knowledge {
    return new Knowledge(this.home);
  }

  /** All lanes that have not exited. */
  whole(mask: number): boolean {
    return mask === this.warp.live;
  }

  /** What lanes have done and know goes into `into`; what they do later does not. At a barrier it covers lanes that have exited, too. */
  publish(mask: number, into: Knowledge): void {
    this.#publish(mask, into, this.whole(mask));
  }

  /** The same of a release by some lanes: it does not cover what lanes have done that have exited. */
  publishOwn(mask: number, into: Knowledge): void {
    this.#publish(mask, into, mask === this.#began);
  }

  #publish(mask: number, into: Knowledge, all: boolean): void {
    if (all) {
      into.join(this.#base);
      if (this.#apart !== 0) this.#each(mask, (known) => into.join(known));
      into.generic.set(this.slot, this.tick);
    } else {
      if ((mask & ~this.#apart) !== 0) into.join(this.#base);
      this.#each(mask, (known) => into.join(known));
      into.generic.setLanes(this.slot, this.tick, mask);
    }
    this.tick += 1;
  }

  /** Lanes hear of something. */
  acquire(mask: number, heard: Knowledge): void {
    if (this.whole(mask) && this.#apart === 0) this.#base.join(heard);
    else this.teach(mask, (known) => known.join(heard));
  }

  /** Changes what lanes know. */
  teach(mask: number, how: (known: Knowledge) => void): void {
    if (this.whole(mask)) {
      how(this.#base);
      this.#each(mask, how);
      return;
    }
    for (let rest = mask; rest !== 0; rest &= rest - 1) how(this.#ownOf(31 - Math.clz32(rest & -rest)));
  }

  /** Lanes have met: each may follow what the others have done. */
  meet(mask: number): void {
    if (this.whole(mask)) {
      if (this.#apart !== 0) this.#each(mask, (known) => this.#base.join(known));
      this.#base.generic.set(this.slot, this.tick);
      if (this.#own.length > 0) this.#own.length = 0;
      this.#apart = 0;
    } else {
      const all = this.#together(mask);
      all.generic.setLanes(this.slot, this.tick, mask);
      this.teach(mask, (known) => known.join(all));
    }
    this.tick += 1;
  }

  /** Lanes have met in a way that orders their memory on today's hardware alone. */
  assume(mask: number): void {
    if (this.whole(mask) && this.#apart === 0) this.#base.assumed.set(this.slot, this.tick);
    else {
      const all = this.#together(mask);
      all.assumed.setLanes(this.slot, this.tick, mask);
      this.teach(mask, (known) => known.assumes(all));
    }
    this.tick += 1;
  }

  /** What lanes know together. */
  #together(mask: number): Knowledge {
    const all = this.fresh();
    all.join(this.#base);
    this.#each(mask, (known) => all.join(known));
    return all;
  }

  #each(mask: number, visit: (known: Knowledge) => void): void {
    for (let rest = mask & this.#apart; rest !== 0; rest &= rest - 1) {
      const known = this.#own[31 - Math.clz32(rest & -rest)];
      if (known) visit(known);
    }
  }

  #ownOf(lane: number): Knowledge {
    let known = this.#own[lane];
    if (!known) {
      known = this.fresh();
      known.join(this.#base);
      this.#own[lane] = known;
      this.#apart |= 1 << lane;
    }
    return known;
  }
}
