/** Who has touched memory last: for every 16 bytes what still matters to whoever comes next. */

import type { TensorMap } from "../../../machine/units/index.ts";
import type { Program } from "../../../program/program.ts";
import type { Home } from "./clock.ts";

/** Who did it, for the reports; made words only when asked. */
export interface Agent {
  /** "warp 3 of block (0, 0, 0) writes", "a tensor copy that thread 0 … has issued reads". `lanes`: those concerned. */
  describe(access: Access, lanes: number): string;
  /** What is missing, or nothing. */
  since(): string | undefined;
  /** Of an asynchronous operation: what it is. `launch`: all of a launch before this one. */
  readonly kind: "lane" | "load" | "store" | "cp.async" | "wgmma" | "launch";
  /** One object for each block, or for a launch before: which one it belongs to. */
  readonly block: object;
  /** Of a launch before: what `at` of its accesses is an index of. */
  readonly program?: Program | undefined;
}

/** One execution of one instruction, or one asynchronous operation. */
export interface Access {
  readonly home: Home;
  readonly slot: number;
  readonly tick: number;
  /** Index of the instruction. */
  readonly at: number;
  readonly writes: boolean;
  /** Whose accesses a fence of the asynchronous proxy separates. */
  readonly proxy: "generic" | "async";
  /** Atomic, volatile, relaxed, …; two such do not race where the scope of both holds the other. */
  readonly strong: "" | "cta" | "wide";
  /** It reads by the non-coherent cache: nothing may write there as long as the kernel runs, in whatever order. */
  readonly nonCoherent?: boolean;
  readonly agent: Agent;
  /** Of a store of the asynchronous proxy: the same where lanes of one instruction store the same. */
  readonly copy?: string | undefined;
  /** Of a store of a constant: which. */
  readonly value?: string | undefined;
  /** Of what a tensor copy has written. */
  readonly map?: TensorMap | undefined;
}

export interface Entry {
  readonly access: Access;
  /** Lanes of the slot that did it. */
  lanes: number;
  /** A bit for each of the 16 bytes. */
  bytes: number;
}

type Cell = Entry | Entry[] | undefined;

const granule = 16;
const pageCells = 1024;
const wholeCell = 0xffff;

/** Bytes `from` up to `to` of a cell. */
const byteMask = (from: number, to: number): number => ((1 << to) - 1) & ~((1 << from) - 1);

/** What is asked about an entry that a new access lies over. */
export interface Judge {
  /** One of the two writes: whether the entry comes before; tells where it does not. */
  conflict(entry: Entry): boolean;
  /** Both read: the same, without a word. */
  before(entry: Entry): boolean;
  /** Of two writes in conflict: whether both stay, since they write the same. */
  beside(entry: Entry): boolean;
}

/** Reads that are kept of one cell, and writes of one value; of more, the oldest are forgotten. */
const mostReads = 16;
const mostWrites = 16;

export class Shadow {
  readonly #pages: (Cell[] | undefined)[] = [];

  /** Records an access of up to 16 bytes that lie in one cell, after meeting those that it overlaps and that might conflict. */
  touch(offset: number, bytes: number, access: Access, lanes: number, judge: Judge): void {
    const start = offset % granule;
    this.#cell(Math.floor(offset / granule), byteMask(start, start + bytes), access, lanes, judge, undefined);
  }

  /** The same for whole cells. */
  touchCells(offsets: ArrayLike<number>, access: Access, lanes: number, judge: Judge): void {
    const shared: Entry = { access, lanes, bytes: wholeCell };
    const once = asked(judge);
    for (let i = 0; i < offsets.length; i++) {
      this.#cell(Math.floor((offsets[i] as number) / granule), wholeCell, access, lanes, once, shared);
    }
  }

  /** The same for any range. */
  touchRange(offset: number, bytes: number, access: Access, lanes: number, judge: Judge): void {
    const shared: Entry = { access, lanes, bytes: wholeCell };
    const once = asked(judge);
    const end = offset + bytes;
    for (let at = offset; at < end; ) {
      const cell = Math.floor(at / granule);
      const next = Math.min(end, (cell + 1) * granule);
      const mask = byteMask(at - cell * granule, next - cell * granule);
      this.#cell(cell, mask, access, lanes, once, mask === wholeCell ? shared : undefined);
      at = next;
    }
  }

  /** The entries of a range, each as often as it is there. */
  entriesOf(offset: number, bytes: number): readonly Entry[] {
    const found: Entry[] = [];
    for (let index = Math.floor(offset / granule); index * granule < offset + bytes; index++) {
      const cell = this.#pages[Math.floor(index / pageCells)]?.[index % pageCells];
      if (Array.isArray(cell)) for (const entry of cell) found.push(entry);
      else if (cell) found.push(cell);
    }
    return found;
  }

  /** Puts others in the place of all entries, or nothing. Gives whether any are left. */
  replace(by: (entry: Entry) => Entry | undefined): boolean {
    let left = false;
    for (const page of this.#pages) {
      if (!page) continue;
      for (let c = 0; c < pageCells; c++) {
        const cell = page[c];
        if (cell === undefined) continue;
        page[c] = Array.isArray(cell) ? merged(cell, by) : by(cell);
        left ||= page[c] !== undefined;
      }
    }
    return left;
  }

  #cell(index: number, mask: number, access: Access, lanes: number, judge: Judge, shared: Entry | undefined): void {
    const p = Math.floor(index / pageCells);
    let page = this.#pages[p];
    if (!page) {
      page = new Array<Cell>(pageCells).fill(undefined);
      this.#pages[p] = page;
    }
    const c = index % pageCells;
    page[c] = updated(page[c], mask, access, lanes, judge, shared);
  }
}

/** What is put in the place of the entries of a cell, without those that a newer one of the same home stands for. */
function merged(cell: readonly Entry[], by: (entry: Entry) => Entry | undefined): Cell {
  const kept: Entry[] = [];
  for (let i = cell.length - 1; i >= 0; i--) {
    const entry = by(cell[i] as Entry);
    if (!entry) continue;
    const like = kept.filter((other) => isLike(other.access, entry.access));
    const bytes = like.reduce((left, other) => left & ~other.bytes, entry.bytes);
    const same = like.find((other) => other.access === entry.access);
    if (bytes === 0) continue;
    if (same) kept[kept.indexOf(same)] = { ...same, bytes: same.bytes | bytes };
    else kept.push(bytes === entry.bytes ? entry : { ...entry, bytes });
  }
  return kept.length > 1 ? kept.reverse() : kept[0];
}

const isLike = (a: Access, b: Access): boolean => a.home === b.home && a.writes === b.writes && a.strong === b.strong;

/** Neighbours mostly hold the same entry: what was said of it holds. */
function asked(judge: Judge): Judge {
  let ordered: Entry | undefined;
  let earlier: Entry | undefined;
  return {
    conflict(entry) {
      if (entry === ordered) return true;
      const before = judge.conflict(entry);
      if (before) ordered = entry;
      return before;
    },
    before(entry) {
      if (entry === earlier) return true;
      const before = judge.before(entry);
      if (before) earlier = entry;
      return before;
    },
    beside: (entry) => judge.beside(entry),
  };
}

function updated(cell: Cell, mask: number, access: Access, lanes: number, judge: Judge, shared: Entry | undefined): Cell {
  const entry = shared ?? { access, lanes, bytes: mask };
  if (cell === undefined) return entry;
  if (access.writes) return written(cell, entry, judge);
  return read(cell, entry, judge);
}

/** A write stands for all before it that it covers and comes after, once those have been judged. */
function written(cell: Entry | Entry[], entry: Entry, judge: Judge): Cell {
  if (!Array.isArray(cell)) {
    const kept = rest(cell, entry, judge);
    return kept ? [kept, entry] : entry;
  }
  let count = 0;
  for (const old of cell) {
    const kept = rest(old, entry, judge);
    if (kept) cell[count++] = kept;
  }
  if (count === 0) return entry;
  cell.length = count;
  cell.push(entry);
  if (cell.length > mostWrites) forgetOldest(cell, true, mostWrites);
  return cell;
}

/** What a write leaves of an entry. */
function rest(old: Entry, entry: Entry, judge: Judge): Entry | undefined {
  if ((old.bytes & entry.bytes) === 0) return old;
  if (!judge.conflict(old) && judge.beside(old)) return old;
  const bytes = old.bytes & ~entry.bytes;
  return bytes === 0 ? undefined : { access: old.access, lanes: old.lanes, bytes };
}

/** A read is judged against writes; it takes the place of reads that it comes after. */
function read(cell: Entry | Entry[], entry: Entry, judge: Judge): Cell {
  if (!Array.isArray(cell)) {
    if (cell.access.writes) {
      if ((cell.bytes & entry.bytes) !== 0) judge.conflict(cell);
      return [cell, entry];
    }
    return joins(cell, entry) ? cell : replaces(cell, entry, judge) ? entry : [cell, entry];
  }
  for (const old of cell) if (old.access.writes && (old.bytes & entry.bytes) !== 0) judge.conflict(old);
  for (let i = 0; i < cell.length; i++) {
    const old = cell[i] as Entry;
    if (old.access.writes) continue;
    if (joins(old, entry)) return cell;
    if (replaces(old, entry, judge)) {
      cell[i] = entry;
      return cell;
    }
  }
  cell.push(entry);
  if (cell.length > mostReads) forgetOldest(cell, false, mostReads);
  return cell;
}

/** Another lane of the same instruction. */
function joins(old: Entry, entry: Entry): boolean {
  if (old.access !== entry.access || old.bytes !== entry.bytes) return false;
  old.lanes |= entry.lanes;
  return true;
}

/** Whoever comes after the new read comes after the old one, too. */
function replaces(old: Entry, entry: Entry, judge: Judge): boolean {
  if ((old.bytes & ~entry.bytes) !== 0) return false;
  if (old.access.nonCoherent && !entry.access.nonCoherent) return false;
  if (old.access.agent.kind === "launch") return judge.before(old);
  if (old.access.home !== entry.access.home) return false;
  const sameLanes = old.access.slot === entry.access.slot && (old.lanes & ~entry.lanes) === 0;
  return sameLanes || judge.before(old);
}

function forgetOldest(cell: Entry[], writes: boolean, most: number): void {
  const like = cell.filter((entry) => entry.access.writes === writes);
  const [oldest] = like;
  if (like.length > most && oldest) cell.splice(cell.indexOf(oldest), 1);
}
