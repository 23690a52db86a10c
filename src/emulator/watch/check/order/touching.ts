/** One access, to all the places of a region that it touches: what the shadow asks and puts down at each of them. */

import type { Words } from "../../../machine/lane-accesses.ts";
import { type Access, sourceOf, type Touched } from "./access.ts";
import { type LineEntry, lanesAt, Newcomer } from "./lines.ts";

/** What one access has done to a cell of 16 bytes. */
export interface Entry extends Touched {
  lanes: number;
  /** A bit for each of the 16 bytes. */
  bytes: number;
  /** Lanes of the instruction have written other values to these bytes. */
  mixed?: boolean;
}

/** All of its bytes. */
export const wholeCell = 0xffff;

/** What is asked about an entry that a new access lies over. */
export interface Judge {
  /** One of the two writes: whether the entry comes before; tells where it does not. */
  conflict(entry: Touched): boolean;
  /** Both read: the same, without a word. */
  before(entry: Touched): boolean;
  /** What the new access writes was not there before. */
  readonly changes: boolean;
  /** Of two writes in conflict: whether both stay, since they write the same. */
  beside(entry: Touched): boolean;
}

/** What is entered without a question. */
export const silent: Judge = { conflict: () => true, before: () => false, changes: true, beside: () => true };

/** Neighbours mostly hold the same: what was said of it holds. */
function asked(judge: Judge): Judge {
  let ordered: Touched | undefined;
  let earlier: Touched | undefined;
  const isSame = (a: Touched, b: Touched | undefined): boolean => a.access === b?.access && a.lanes === b.lanes;
  return {
    conflict(entry) {
      if (isSame(entry, ordered)) return true;
      const before = judge.conflict(entry);
      if (before) ordered = { access: entry.access, lanes: entry.lanes };
      return before;
    },
    before(entry) {
      if (isSame(entry, earlier)) return true;
      const before = judge.before(entry);
      if (before) earlier = { access: entry.access, lanes: entry.lanes };
      return before;
    },
    changes: judge.changes,
    beside: (entry) => judge.beside(entry),
  };
}

/** Who does one access, by a judge that is asked without a word, then told. */
export class Judged extends Newcomer {
  readonly #judge: Judge;

  constructor(access: Access, judge: Judge) {
    super();
    this.#judge = judge;
    this.comes(sourceOf(access), access.tick, []);
  }

  follows(entry: LineEntry, { words }: Words): boolean {
    const touched = entry.of.lanesOf ? { access: entry.access, lanes: lanesIn(entry, entry.words & words) } : entry;
    return this.#judge.before(touched) && this.#judge.conflict(touched);
  }
}

/** Words of the same lanes. */
export const ofLanes = (words: number, lanes: number): Words => ({
  words,
  lanes,
  lanesOf: undefined,
  apart: (lanes & (lanes - 1)) === 0,
});

/** One access to many places of one region: what it needs at each of them. As long as one lasts, its judge is asked of nothing else. */
export class Touching {
  readonly access: Access;
  readonly lanes: number;
  readonly judge: Judge;
  readonly newcomer: Newcomer;
  #whole: Entry | undefined;
  #words = ofLanes(0, 0);

  constructor(access: Access, lanes: number, judge: Judge) {
    this.access = access;
    this.lanes = lanes;
    this.judge = asked(judge);
    this.newcomer = new Judged(access, this.judge);
  }

  /** What stands in each cell that is touched as a whole. */
  get whole(): Entry {
    this.#whole ??= { access: this.access, lanes: this.lanes, bytes: wholeCell };
    return this.#whole;
  }

  /** Of a line. The same object as the last time, where they are the same. */
  words(words: number): Words {
    if (this.#words.words !== words || this.#words.lanes === 0) this.#words = ofLanes(words, this.lanes);
    return this.#words;
  }
}

function lanesIn(entry: LineEntry, words: number): number {
  let lanes = 0;
  for (let rest = words; rest !== 0; rest &= rest - 1) lanes |= lanesAt(entry.of, 31 - Math.clz32(rest & -rest));
  return lanes;
}
