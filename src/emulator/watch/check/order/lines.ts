/**
 * Who has touched a line of memory last: an entry for what one instruction of a warp has done to its words, or an operation. An access
 * that may follow all that it overlaps is entered as a whole; of any other nothing is done here, and the line is taken apart into
 * cells, where each lane is looked at by itself.
 */
import { joinWords, type Words } from "../../../machine/lane-accesses.ts";
import { type Access, isWeaker, type Source, type Touched } from "./access.ts";
import type { Home } from "./clock.ts";

/** In the place of what is still to come. */
const nothing: Source = {
  home: {},
  slot: 0,
  writes: false,
  strong: "",
  nonCoherent: false,
  access() {
    throw new RangeError("nobody has done anything");
  },
};
const noWords: Words = { words: 0, lanes: 0, lanesOf: undefined, apart: true };

/** An access to words of a line, and what is asked of it most. */
export class LineEntry implements Touched {
  source = nothing;
  /** Of those of `of`, the ones that nobody has written since. */
  words = 0;
  of: Words = noWords;
  home: Home = nothing.home;
  slot = 0;
  tick = 0;
  nonCoherent = false;

  get access(): Access {
    return this.source.access(this.tick);
  }
  /** More words of the same lanes. */
  add(fresh: Words): void {
    this.of = joinWords(this.of, fresh);
    this.words |= fresh.words;
  }

  get lanes(): number {
    return this.of.lanes;
  }

  set(by: Newcomer, of: Words): void {
    this.source = by.source;
    this.words = of.words;
    this.of = of;
    this.home = by.home;
    this.slot = by.slot;
    this.tick = by.tick;
    this.nonCoherent = by.nonCoherent;
  }
}

/** Who does something new. One object may serve for many, one after the other. */
export abstract class Newcomer {
  source = nothing;
  home: Home = nothing.home;
  slot = 0;
  tick = 0;
  writes = false;
  nonCoherent = false;
  /** Of the slots of its cluster: up to which tick it follows them. Where that is not enough, or not known, it is asked. */
  ticks: readonly number[] = [];

  protected comes(source: Source, tick: number, ticks: readonly number[]): void {
    this.source = source;
    this.home = source.home;
    this.slot = source.slot;
    this.tick = tick;
    this.writes = source.writes;
    this.nonCoherent = source.nonCoherent;
    this.ticks = ticks;
  }

  /** Whether all of what is new may follow an entry, and so each lane of it. Without a word. */
  abstract follows(entry: LineEntry, fresh: Words): boolean;
}

/** Reads that are kept of one line: so many of the warps, or operations, whose slots agree in their last bits. */
const readWays = 4;
const readSets = 8;
/** And so many that had to give way. Of more, one is forgotten. */
const mostDisplaced = 30;

const sameWords = ({ of }: LineEntry, b: Words): boolean => of === b || (of.lanes === b.lanes && of.lanesOf === b.lanesOf);

/** Whether the new access is ordered after an entry that shares words with it. */
function isBefore(entry: LineEntry, fresh: Words, by: Newcomer): boolean {
  if (entry.nonCoherent || by.nonCoherent) return false;
  return (entry.home === by.home && (by.ticks[entry.slot] ?? 0) >= entry.tick) || by.follows(entry, fresh);
}

/**
 * Whether one read can stand for another when the cluster `home` reads: both are of the same instruction of a warp, or both are of other
 * clusters.
 */
function stands(one: LineEntry, other: LineEntry, home: Home): boolean {
  if (one.source === other.source && one.tick === other.tick && sameWords(one, other.of)) return true;
  return one.home !== home && other.home !== home && (one.nonCoherent || !other.nonCoherent);
}

/** In the place of lists that have nothing in them, and of entries that are still to be made. */
const none: LineEntry[] = [];
const free = new LineEntry();

export class Line {
  /** In any order. The first `#written` of them; the others are used again. */
  #writes = none;
  #written = 0;
  /** Since the words were written: the first of each set of slots, then the second, and so on. Entries without words are free. */
  #reads = none;
  /** Reads that had to give way. */
  #displaced = none;
  /** The last two clusters of those, and all words that they have read by them: by non-coherent reads alone, or by any. */
  #stranger: Home | undefined;
  #other: Home | undefined;
  #known = 0;
  #nonCoherent = false;
  /** Counts what gives way to others. */
  #next = 0;

  each(visit: (entry: LineEntry) => void): void {
    for (let i = 0; i < this.#written; i++) visit(this.#writes[i] as LineEntry);
    for (const entry of this.#reads) if (entry.words !== 0) visit(entry);
    for (const entry of this.#displaced) if (entry.words !== 0) visit(entry);
  }

  /** Somebody reads. Gives false, and enters nothing, where it does not follow a write. */
  read(fresh: Words, by: Newcomer): boolean {
    if (!this.#followsWrites(fresh, by)) return false;
    const { words } = fresh;
    const { source, home, slot, tick, ticks, nonCoherent } = by;
    const reads = this.#reads;
    const set = slot & (readSets - 1);
    let own: LineEntry | undefined;
    let room = -1;
    for (let at = set; at < reads.length; at += readSets) {
      const entry = reads[at] as LineEntry;
      if (entry.words === 0 || entry.home !== home) room = at;
      else if (entry.source === source && entry.tick === tick && sameWords(entry, fresh)) {
        if ((words & ~entry.words) === 0) return true;
        if (entry.of.lanesOf === undefined) own = entry;
      } else if ((entry.words & words) !== 0 && (nonCoherent || !entry.nonCoherent)) {
        // Whoever comes after the new read comes after the old one, too.
        if (isWeaker(entry.source.strong, source.strong)) continue;
        if ((ticks[entry.slot] ?? 0) < entry.tick && !(entry.slot === slot && sameWords(entry, fresh))) continue;
        entry.words &= ~words;
        if (entry.words === 0) room = at;
      }
    }
    if (own) own.add(fresh);
    else this.#enter(room === -1 ? this.#room(set) : room, fresh, by);
    return true;
  }

  #enter(at: number, fresh: Words, by: Newcomer): void {
    if (this.#reads === none) this.#reads = new Array<LineEntry>(at + 1).fill(free);
    const reads = this.#reads;
    while (reads.length <= at) reads.push(free);
    if (reads[at]?.words !== 0) this.#displace(at, by.home);
    if (reads[at] === free) reads[at] = new LineEntry();
    (reads[at] as LineEntry).set(by, fresh);
  }

  /** Somebody else comes to a place: what was there is kept elsewhere. Not what other clusters have read, too, which stand for it. */
  #displace(at: number, home: Home): void {
    const entry = this.#reads[at] as LineEntry;
    const displaced = this.#displaced;
    let { words } = entry;
    if ((words & ~this.#known) === 0 && this.#areStrange(home, entry)) return;
    let room = -1;
    for (let i = 0; i < displaced.length; i++) {
      const other = displaced[i] as LineEntry;
      if (other.words === 0) room = i;
      else if (stands(other, entry, home)) words &= ~other.words;
    }
    if (words === 0) return;
    if (this.#displaced === none) this.#displaced = [];
    if (room === -1) room = displaced.length < mostDisplaced ? displaced.length : this.#next++ % mostDisplaced;
    this.#reads[at] = displaced[room] ?? free;
    this.#displaced[room] = entry;
    this.#know(entry);
  }

  /** Whether what is known of strangers does for an entry where a cluster reads. */
  #areStrange(home: Home, entry: LineEntry): boolean {
    const strange = this.#stranger !== home && this.#other !== home && entry.home !== home;
    return strange && (this.#nonCoherent || !entry.nonCoherent);
  }

  #know({ home, nonCoherent }: LineEntry): void {
    if (home !== this.#stranger) [this.#stranger, this.#other] = [home, this.#stranger];
    this.#nonCoherent = nonCoherent;
    this.#known = 0;
    for (const entry of this.#displaced) {
      const counts = (entry.home === this.#stranger || entry.home === this.#other) && (entry.nonCoherent || !nonCoherent);
      if (counts) this.#known |= entry.words;
    }
  }

  /** Behind the others of the set, or the place of one of them. */
  #room(set: number): number {
    const ways = Math.ceil((this.#reads.length - set) / readSets);
    if (ways < readWays) return set + readSets * Math.max(ways, 0);
    return set + readSets * (this.#next++ % readWays);
  }

  /** Somebody writes. Gives false, and does nothing, where it does not follow somebody. `last`: those whose values stay. */
  write(fresh: Words, by: Newcomer, last: Words = fresh): boolean {
    if (!this.#followsWrites(fresh, by)) return false;
    const { words } = fresh;
    const [writes, reads, displaced] = [this.#writes, this.#reads, this.#displaced];
    for (const entry of reads) if ((entry.words & words) !== 0 && !isBefore(entry, fresh, by)) return false;
    for (const entry of displaced) if ((entry.words & words) !== 0 && !isBefore(entry, fresh, by)) return false;
    const { strong } = by.source;
    for (const entry of reads) if (!isWeaker(entry.source.strong, strong)) entry.words &= ~words;
    for (const entry of displaced) if (!isWeaker(entry.source.strong, strong)) entry.words &= ~words;
    if (strong === "") this.#known &= ~words;
    for (let i = this.#written - 1; i >= 0; i--) {
      const entry = writes[i] as LineEntry;
      if (isWeaker(entry.source.strong, strong)) continue;
      entry.words &= ~words;
      if (entry.words !== 0) continue;
      this.#written -= 1;
      writes[i] = writes[this.#written] as LineEntry;
      writes[this.#written] = entry;
    }
    this.#add(last, by);
    return true;
  }

  #add(fresh: Words, by: Newcomer): void {
    // Most lines have one: what is pushed into an empty list makes room for many.
    if (this.#writes === none) this.#writes = [new LineEntry()];
    if (this.#written === this.#writes.length) this.#writes.push(new LineEntry());
    (this.#writes[this.#written] as LineEntry).set(by, fresh);
    this.#written += 1;
  }

  #followsWrites(fresh: Words, by: Newcomer): boolean {
    for (let i = 0; i < this.#written; i++) {
      const entry = this.#writes[i] as LineEntry;
      if ((entry.words & fresh.words) !== 0 && !isBefore(entry, fresh, by)) return false;
    }
    return true;
  }
}

/** Lanes that have to do with a word. */
export const lanesAt = ({ lanes, lanesOf }: Words, word: number): number => (lanesOf ? (lanesOf[word] ?? 0) : lanes);

/** Whether each of these lanes finds nobody but itself in the entry, of the words that both have to do with. */
export function isAlone(entry: LineEntry, fresh: Words): boolean {
  if (fresh.apart && sameWords(entry, fresh)) return true;
  for (let rest = entry.words & fresh.words; rest !== 0; rest &= rest - 1) {
    const word = 31 - Math.clz32(rest & -rest);
    const there = lanesAt(entry.of, word);
    if (there !== lanesAt(fresh, word) || (there & (there - 1)) !== 0) return false;
  }
  return true;
}
