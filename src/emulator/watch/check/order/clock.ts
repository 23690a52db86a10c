/**
 * Vector clocks. A slot is something whose steps are in order: a warp, the bytes that an mbarrier tracks, the groups of a thread or
 * a warpgroup. A clock says of each slot up to which tick its owner may follow. Where only some lanes of a slot have been heard of
 * (of a warp: lanes; of a warpgroup: warps), they are kept apart.
 */

/** What is known of the slots of one cluster. */
class Part {
  /** As many as there are slots that something is known of, and perhaps some more. Small typed arrays would take longer to make. */
  ticks: number[] = [];
  /** By slot, then lane: beyond `ticks`. */
  lanes: Map<number, number[]> | undefined;
  #snapshot: Part | undefined;

  /** As it is now, for as many as want to hear of it; undefined where nothing is known. Nobody changes it. */
  get snapshot(): Part | undefined {
    if (!this.lanes && this.ticks.every((tick) => tick === 0)) return undefined;
    this.#snapshot ??= this.copy();
    return this.#snapshot;
  }

  copy(): Part {
    const copy = new Part();
    copy.ticks = this.ticks.slice();
    if (this.lanes) copy.lanes = new Map([...this.lanes].map(([slot, known]) => [slot, known.slice()]));
    return copy;
  }

  /** Whether another one knows all of this. */
  isWithin(other: Part): boolean {
    if (this.ticks.some((tick, slot) => tick > (other.ticks[slot] ?? 0))) return false;
    for (const [slot, known] of this.lanes ?? [])
      if (known.some((tick, lane) => !other.covers(slot, tick, 1 << lane))) return false;
    return true;
  }

  /** Up to a tick, of those lanes. */
  covers(slot: number, tick: number, lanes: number): boolean {
    if ((this.ticks[slot] ?? 0) >= tick) return true;
    const known = this.lanes?.get(slot);
    if (!known) return false;
    for (let rest = lanes; rest !== 0; rest &= rest - 1) {
      if ((known[31 - Math.clz32(rest & -rest)] ?? 0) < tick) return false;
    }
    return true;
  }

  set(slot: number, tick: number): void {
    this.#snapshot = undefined;
    this.#grow(slot + 1);
    if ((this.ticks[slot] ?? 0) < tick) this.ticks[slot] = tick;
  }

  /** `count`: the lanes that the slot has. */
  setLanes(slot: number, tick: number, lanes: number, count: number): void {
    this.#snapshot = undefined;
    const known = this.#lanesOf(slot, count);
    for (let rest = lanes; rest !== 0; rest &= rest - 1) {
      const lane = 31 - Math.clz32(rest & -rest);
      if ((known[lane] ?? 0) < tick) known[lane] = tick;
    }
    this.#settle(slot, known);
  }

  /** What is known of each lane is known of all. */
  #settle(slot: number, known: readonly number[]): void {
    let least = known[0] as number;
    for (let lane = 1; lane < known.length; lane++) if ((known[lane] as number) < least) least = known[lane] as number;
    if (least > (this.ticks[slot] ?? 0)) {
      this.#grow(slot + 1);
      this.ticks[slot] = least;
    }
  }

  join(other: Part): void {
    const { ticks } = other;
    if (ticks.length === 0 && !other.lanes) return;
    this.#snapshot = undefined;
    this.#grow(ticks.length);
    const own = this.ticks;
    for (let slot = 0; slot < ticks.length; slot++) {
      const tick = ticks[slot] as number;
      if (tick > (own[slot] as number)) own[slot] = tick;
    }
    if (!other.lanes) return;
    for (const [slot, known] of other.lanes) {
      const mine = this.#lanesOf(slot, known.length);
      for (let lane = 0; lane < known.length; lane++)
        if ((known[lane] as number) > (mine[lane] as number)) mine[lane] = known[lane] as number;
      this.#settle(slot, mine);
    }
  }

  #lanesOf(slot: number, count: number): number[] {
    this.lanes ??= new Map();
    let known = this.lanes.get(slot);
    if (!known) {
      known = new Array<number>(count).fill(0);
      this.lanes.set(slot, known);
    }
    return known;
  }

  #grow(slots: number): void {
    for (let slot = this.ticks.length; slot < slots; slot++) this.ticks.push(0);
  }
}

/**
 * Whose slots they are: one object for each cluster of this launch, and one for earlier launches that end together. It lives as long as the
 * memory that the cluster has touched, and so it refers to nothing.
 */
export type Home = object;

/**
 * What is known of other clusters. Passed on as it is, by reference: none of it is ever changed. What it may hold of the clock's own
 * cluster does not count: `#own` has it, too.
 */
type Others = ReadonlyMap<Home, Part>;

const within = (some: Others, all: Others): boolean => {
  if (some.size > all.size) return false;
  for (const [home, part] of some) {
    const other = all.get(home);
    if (part !== other && !(other && part.isWithin(other))) return false;
  }
  return true;
};

/** All that is known of one cluster by either side. */
function union(mine: Part | undefined, part: Part): Part {
  if (!mine || mine === part || mine.isWithin(part)) return part;
  if (part.isWithin(mine)) return mine;
  const both = mine.copy();
  both.join(part);
  return both;
}

const nothing: Others = new Map();
/** One slot that has made one tick. */
const once = new Part();
once.set(0, 1);

/** Of who knows nothing yet: most clocks stay so. It is never changed. */
const nothingOwn = new Part();

export class Clock {
  readonly home: Home;
  #own = nothingOwn;
  #others = nothing;

  constructor(home: Home) {
    this.home = home;
  }

  covers(home: Home, slot: number, tick: number, lanes: number): boolean {
    if (home === this.home) return this.#own.covers(slot, tick, lanes);
    return this.#others.get(home)?.covers(slot, tick, lanes) ?? false;
  }

  /** Of its own cluster: up to which tick every slot may be followed, of all its lanes. It holds until the clock changes. */
  get ticks(): readonly number[] {
    return this.#own.ticks;
  }

  set(slot: number, tick: number): void {
    this.#mine().set(slot, tick);
  }
  /** `count`: the lanes that the slot has. A warp has 32, even where fewer run. */
  setLanes(slot: number, tick: number, lanes: number, count = 32): void {
    this.#mine().setLanes(slot, tick, lanes, count);
  }

  #mine(): Part {
    if (this.#own === nothingOwn) this.#own = new Part();
    return this.#own;
  }

  join(other: Clock): void {
    if (other.#others !== this.#others && other.#others.size > 0) this.#joinOthers(other.#others);
    if (other.#own === nothingOwn) return;
    if (other.home === this.home) this.#mine().join(other.#own);
    else {
      const part = other.#own.snapshot;
      if (part) this.#joinPart(other.home, part);
    }
  }

  #joinOthers(others: Others): void {
    const own = others.get(this.home);
    if (own && !own.isWithin(this.#own)) this.#mine().join(own);
    if (within(others, this.#others)) return;
    if (within(this.#others, others)) {
      this.#others = others;
      return;
    }
    const all = new Map(this.#others);
    for (const [home, part] of others) all.set(home, union(all.get(home), part));
    this.#others = all;
  }

  #joinPart(home: Home, part: Part): void {
    const mine = this.#others.get(home);
    const both = union(mine, part);
    if (both !== mine) this.#others = new Map(this.#others).set(home, both);
  }

  /** All of another home that has one slot and one tick. */
  learn(home: Home): void {
    this.#joinPart(home, once);
  }

  /** The last tick known of a slot, of all its lanes. */
  tickOf(slot: number): number {
    return this.#own.ticks[slot] ?? 0;
  }
}

/** Which accesses a fence of the asynchronous proxy makes good. */
export type FencedSpace = "shared" | "global";

/**
 * What a thread knows, or passes on. `generic`: what its accesses may follow. `assumed`: what they follow beside that on today's hardware, though the manual does not
 * promise it. `shared` and `global`: of the accesses of the generic
 * proxy to that space, those that its asynchronous operations may follow: a fence is between. `inits`: which initialisations of
 * mbarriers have been made visible by themselves.
 */
export class Knowledge {
  readonly generic: Clock;
  readonly assumed: Clock;
  readonly shared: Clock;
  readonly global: Clock;
  readonly inits: Clock;
  /** Of what was written to tensor maps: what copies may follow. */
  readonly maps: Clock;

  constructor(home: Home) {
    this.generic = new Clock(home);
    this.assumed = new Clock(home);
    this.shared = new Clock(home);
    this.global = new Clock(home);
    this.inits = new Clock(home);
    this.maps = new Clock(home);
  }

  /** All that the parts hold: the part itself where there is one. */
  static joined(home: Home, parts: Iterable<Knowledge | undefined>): Knowledge | undefined {
    const different = new Set([...parts].filter((part) => part !== undefined));
    if (different.size <= 1) return [...different][0];
    const all = new Knowledge(home);
    for (const part of different) all.join(part);
    return all;
  }

  join(other: Knowledge): void {
    this.generic.join(other.generic);
    this.assumed.join(other.assumed);
    this.shared.join(other.shared);
    this.global.join(other.global);
    this.inits.join(other.inits);
    this.maps.join(other.maps);
  }

  /** What the other one follows is assumed, and nothing else of it is known. */
  supposes(other: Knowledge): void {
    this.assumed.join(other.generic);
    this.assumed.join(other.assumed);
  }

  /** As `join`, but that what the other one follows is only assumed. */
  assumes(other: Knowledge): void {
    this.supposes(other);
    this.shared.join(other.shared);
    this.global.join(other.global);
    this.inits.join(other.inits);
    this.maps.join(other.maps);
  }

  /** Whether its accesses may follow, by the manual or as the hardware is. */
  follows(home: Home, slot: number, tick: number, lanes: number): boolean {
    const { generic, assumed } = this;
    if (generic.covers(home, slot, tick, lanes) || assumed.covers(home, slot, tick, lanes)) return true;
    for (let rest = lanes; rest !== 0; rest &= rest - 1) {
      const lane = rest & -rest;
      if (!generic.covers(home, slot, tick, lane) && !assumed.covers(home, slot, tick, lane)) return false;
    }
    return true;
  }

  /** What launches before this one have done, which is known to be over: no fence is needed after it, either. */
  ended(past: Home): void {
    for (const clock of [this.generic, this.shared, this.global, this.maps]) clock.learn(past);
  }

  /** An asynchronous operation that is known to be complete: no fence is needed after it. */
  completed(slot: number, tick: number): void {
    for (const clock of [this.generic, this.shared, this.global]) clock.set(slot, tick);
  }
}
