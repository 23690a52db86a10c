/**
 * Who has touched a line of memory last: an entry for what one instruction of a warp has done to its words, or an operation. An access
 * that may follow all that it overlaps is entered as a whole; of any other nothing is done here, and the line is taken apart into
 * cells, where each lane is looked at by itself.
 */
import type { Words } from "../../../machine/lane-accesses.ts";
import type { Access, Touched } from "./access.ts";
import type { Home } from "./clock.ts";

/** An access to words of a line, and what is asked of it most. */
export class LineEntry implements Touched {
  access: Access;
  /** Of those of `of`, the ones that nobody has written since. */
  words = 0;
  of: Words;
  home: Home;
  slot = 0;
  tick = 0;
  writes = false;
  nonCoherent = false;

  constructor(access: Access, of: Words) {
    this.access = access;
    this.of = of;
    this.home = access.home;
  }

  get lanes(): number {
    return this.of.lanes;
  }

  set(access: Access, of: Words): void {
    this.access = access;
    this.words = of.words;
    this.of = of;
    this.home = access.home;
    this.slot = access.slot;
    this.tick = access.tick;
    this.writes = access.writes;
    this.nonCoherent = access.nonCoherent ?? false;
  }
}

/** Who does something new. */
export interface Follower {
  /** Of the slots of its cluster: up to which tick it follows them. Where that is not enough, or not known, it is asked. */
  readonly ticks: readonly number[];
  /** Whether all of what is new may follow an entry, and so each lane of it. Without a word. */
  follows(entry: LineEntry, fresh: Words): boolean;
}

/** Reads that are kept of one line; of more, one after the other is forgotten. */
const mostReads = 32;
/** So many of them are looked at by a read. */
const recentReads = 8;

const samePlaces = ({ of }: LineEntry, b: Words): boolean => of === b || (of.lanes === b.lanes && of.lanesOf === b.lanesOf);

export class Line {
  /** The first `#count` of them; the others are used again. */
  readonly #entries: LineEntry[] = [];
  #count = 0;
  #writes = 0;
  #hand = -1;

  each(visit: (entry: LineEntry) => void): void {
    for (let i = 0; i < this.#count; i++) visit(this.#entries[i] as LineEntry);
  }

  /** Somebody reads. Gives false, and enters nothing, where it does not follow a write. */
  read(access: Access, fresh: Words, by: Follower): boolean {
    const { words } = fresh;
    const { home, slot } = access;
    const nonCoherent = access.nonCoherent ?? false;
    const entries = this.#entries;
    let own: LineEntry | undefined;
    // Where nobody has written, older reads are of interest to none but whoever writes next.
    const last = this.#writes > 0 ? 0 : Math.max(0, this.#count - recentReads);
    for (let i = this.#count - 1; i >= last; i--) {
      const entry = entries[i] as LineEntry;
      if (entry.access === access && samePlaces(entry, fresh)) {
        // A write since would have taken the words away.
        if ((words & ~entry.words) === 0) return true;
        if (entry.of.lanesOf === undefined && !entry.of.instructionOf && !fresh.instructionOf) own = entry;
      } else if ((entry.words & words) === 0) continue;
      else if (entry.writes) {
        if (entry.nonCoherent || nonCoherent) return false;
        if (!(entry.home === home && (by.ticks[entry.slot] ?? 0) >= entry.tick) && !by.follows(entry, fresh)) return false;
      } else if (entry.home === home && (nonCoherent || !entry.nonCoherent)) {
        // Whoever comes after the new read comes after the old one, too.
        const replaced = (by.ticks[entry.slot] ?? 0) >= entry.tick || (entry.slot === slot && samePlaces(entry, fresh));
        if (replaced) entry.words &= ~words;
        if (entry.words === 0) this.#remove(i);
      }
    }
    if (own) own.words |= words;
    else this.#add(access, fresh, this.#count < mostReads ? this.#count : this.#oldestRead());
    return true;
  }

  /** Somebody writes. Gives false, and does nothing, where it does not follow somebody. `last`: those whose values stay. */
  write(access: Access, fresh: Words, by: Follower, last: Words = fresh): boolean {
    const { words } = fresh;
    const { home } = access;
    const nonCoherent = access.nonCoherent ?? false;
    const entries = this.#entries;
    for (let i = this.#count - 1; i >= 0; i--) {
      const entry = entries[i] as LineEntry;
      if ((entry.words & words) === 0) continue;
      if (entry.nonCoherent || nonCoherent) return false;
      if (!(entry.home === home && (by.ticks[entry.slot] ?? 0) >= entry.tick) && !by.follows(entry, fresh)) return false;
    }
    for (let i = this.#count - 1; i >= 0; i--) {
      const entry = entries[i] as LineEntry;
      entry.words &= ~words;
      if (entry.words === 0) this.#remove(i);
    }
    this.#add(access, last, this.#count);
    return true;
  }

  #add(access: Access, fresh: Words, at: number): void {
    let entry = this.#entries[at];
    if (!entry) {
      entry = new LineEntry(access, fresh);
      this.#entries.push(entry);
    }
    entry.set(access, fresh);
    if (entry.writes) this.#writes += 1;
    if (at === this.#count) this.#count += 1;
  }

  #remove(i: number): void {
    const entries = this.#entries;
    const entry = entries[i] as LineEntry;
    this.#count -= 1;
    if (entry.writes) this.#writes -= 1;
    entries[i] = entries[this.#count] as LineEntry;
    entries[this.#count] = entry;
  }

  /** The place of the read that is next in turn, or behind all where there is none. */
  #oldestRead(): number {
    for (let tries = 0; tries < this.#count; tries++) {
      this.#hand = this.#hand + 1 < this.#count ? this.#hand + 1 : 0;
      if (!this.#entries[this.#hand]?.writes) return this.#hand;
    }
    return this.#count;
  }
}

/** Lanes that have to do with a word. */
export const lanesAt = ({ lanes, lanesOf }: Words, word: number): number => (lanesOf ? (lanesOf[word] ?? 0) : lanes);

/** Whether each of these lanes finds nobody but itself in the entry, of the words that both have to do with. */
export function isAlone(entry: LineEntry, fresh: Words): boolean {
  if (fresh.apart && samePlaces(entry, fresh)) return true;
  for (let rest = entry.words & fresh.words; rest !== 0; rest &= rest - 1) {
    const word = 31 - Math.clz32(rest & -rest);
    const there = lanesAt(entry.of, word);
    if (there !== lanesAt(fresh, word) || (there & (there - 1)) !== 0) return false;
  }
  return true;
}
