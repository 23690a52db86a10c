/**
 * Who has touched memory last: what still matters to whoever comes next. By lines of 128 bytes as long as each access follows those
 * before it and goes to whole words, else by cells of 16 bytes.
 */

import { type LaneAccesses, lineAt, lineBytes, type Words } from "../../../machine/lane-accesses.ts";
import type { Access } from "./access.ts";
import { type Cell, granule, merged, updated } from "./cells.ts";
import { Line, type LineEntry, lanesAt, type Newcomer } from "./lines.ts";
import { type Entry, type Judge, Judged, ofLanes, Touching, wholeCell } from "./touching.ts";

const pageCells = 1024;

/** Bytes `from` up to `to` of a cell. */
const byteMask = (from: number, to: number): number => ((1 << to) - 1) & ~((1 << from) - 1);

/** Looks at a lane by itself, at what it does to one line, or at all. */
export interface EachLane {
  lane(lane: number, line: number | undefined): void;
}

const pageLines = 128;
/** In the place of a line that is kept by cells. */
const byCells = new Line();

export class Shadow {
  readonly #lines: (Line | undefined)[][] = [];
  readonly #pages: (Cell[] | undefined)[] = [];

  /**
   * Records what lanes of a warp do by one instruction, after meeting those that it overlaps and that might conflict. `each`: for lanes
   * that have to be looked at one by one.
   */
  touchLanes(at: LaneAccesses, by: Newcomer | undefined, each: EachLane): void {
    const { parts, line: first } = at;
    if (!parts) {
      for (let rest = at.mask; rest !== 0; rest &= rest - 1) each.lane(31 - Math.clz32(rest & -rest), undefined);
      return;
    }
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i] as (typeof parts)[number];
      const index = first + part.line;
      const line = this.#line(index);
      if (line !== byCells && by) {
        if (by.writes ? line.write(part, by, part.last) : line.read(part, by)) continue;
      }
      this.#takeApart(index);
      for (let rest = part.lanes; rest !== 0; rest &= rest - 1) {
        each.lane(31 - Math.clz32(rest & -rest), index);
      }
    }
  }

  /** The same of one lane: up to 16 bytes that lie in one cell. */
  touch(offset: number, bytes: number, access: Access, lanes: number, judge: Judge): void {
    const index = lineAt(offset);
    const first = offset - index * lineBytes;
    const words = wordMask(first / wordBytes, (first + bytes) / wordBytes);
    const whole = offset % wordBytes === 0 && bytes % wordBytes === 0;
    if (whole && this.#enter(index, ofLanes(words, lanes), new Judged(access, judge))) return;
    this.#takeApart(index);
    const start = offset % granule;
    this.#cell(Math.floor(offset / granule), byteMask(start, start + bytes), access, lanes, judge, undefined);
  }

  /** The same for whole cells. */
  touchCells(offsets: ArrayLike<number>, access: Access, lanes: number, judge: Judge): void {
    const by = new Touching(access, lanes, judge);
    const count = offsets.length;
    for (let i = 0; i < count; ) {
      const index = lineAt(offsets[i] as number);
      const from = i;
      let words = 0;
      for (; i < count && lineAt(offsets[i] as number) === index; i++)
        words |= 0b1111 << (((offsets[i] as number) % lineBytes) / wordBytes);
      if (this.#enter(index, by.words(words), by.newcomer)) continue;
      for (let at = from; at < i; at++)
        this.#cell(Math.floor((offsets[at] as number) / granule), wholeCell, access, lanes, by.judge, by.whole);
    }
  }

  /** The same for any range. */
  touchRange(offset: number, bytes: number, by: Touching): void {
    const end = offset + bytes;
    const whole = offset % wordBytes === 0 && end % wordBytes === 0;
    for (let at = offset; at < end; ) {
      const index = lineAt(at);
      const next = Math.min(end, (index + 1) * lineBytes);
      const [first, last] = [at - index * lineBytes, next - index * lineBytes];
      const words = wordMask(first / wordBytes, last / wordBytes);
      if (!whole || !this.#enter(index, by.words(words), by.newcomer)) {
        this.#takeApart(index);
        this.#cells(at, next, by);
      }
      at = next;
    }
  }

  /** Gives false where it has to be done by cells. */
  #enter(index: number, fresh: Words, by: Newcomer): boolean {
    const line = this.#line(index);
    if (line !== byCells && (by.writes ? line.write(fresh, by) : line.read(fresh, by))) return true;
    this.#takeApart(index);
    return false;
  }

  #cells(offset: number, end: number, { access, lanes, judge, whole }: Touching): void {
    for (let at = offset; at < end; ) {
      const cell = Math.floor(at / granule);
      const next = Math.min(end, (cell + 1) * granule);
      const mask = byteMask(at - cell * granule, next - cell * granule);
      this.#cell(cell, mask, access, lanes, judge, mask === wholeCell ? whole : undefined);
      at = next;
    }
  }

  /** The entries of a range, each as often as it is there. */
  entriesOf(offset: number, bytes: number): readonly Entry[] {
    const found: Entry[] = [];
    for (let index = Math.floor(offset / granule); index * granule < offset + bytes; index++) {
      this.#takeApart(lineAt(index * granule));
      const cell = this.#pages[Math.floor(index / pageCells)]?.[index % pageCells];
      if (Array.isArray(cell)) for (const entry of cell) found.push(entry);
      else if (cell) found.push(cell);
    }
    return found;
  }

  /**
   * Calls `visit` with each line that somebody has touched; what that is given calls back with each access to it, a bit for each byte
   * of 32 from a word of them on.
   */
  eachLine(visit: (line: number, each: (see: (access: Access, word: number, bytes: number) => void) => void) => void): void {
    this.#lines.forEach((page, p) => {
      page.forEach((line, l) => {
        if (!line) return;
        const index = p * pageLines + l;
        if (line === byCells) visit(index, (see) => this.#eachOfCells(index, see));
        else visit(index, (see) => eachOfLine(line, see));
      });
    });
  }

  #eachOfCells(index: number, see: (access: Access, word: number, bytes: number) => void): void {
    for (let c = 0; c < lineBytes / granule; c++) {
      const { page, at } = this.#place((index * lineBytes) / granule + c);
      const cell = page[at];
      const entries = cell === undefined ? [] : Array.isArray(cell) ? cell : [cell];
      for (const { access, bytes } of entries) see(access, c >> 1, bytes << (granule * (c & 1)));
    }
  }

  /** Puts others in the place of all entries, or nothing. Gives whether any are left. */
  replace(by: (entry: Entry) => Entry | undefined): boolean {
    let left = false;
    this.#lines.forEach((page, p) => {
      page.forEach((line, l) => {
        if (line) this.#takeApart(p * pageLines + l);
      });
    });
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

  #line(index: number): Line {
    const p = (index / pageLines) | 0;
    let page = this.#lines[p];
    if (!page) {
      page = new Array<Line | undefined>(pageLines).fill(undefined);
      this.#lines[p] = page;
    }
    const l = index % pageLines;
    let line = page[l];
    if (!line) {
      line = new Line();
      page[l] = line;
    }
    return line;
  }

  /** From now on a line is kept by cells. */
  #takeApart(index: number): void {
    const line = this.#line(index);
    if (line === byCells) return;
    (this.#lines[(index / pageLines) | 0] as (Line | undefined)[])[index % pageLines] = byCells;
    line.each((entry) => {
      for (let c = 0; c < lineBytes / granule; c++) {
        const { page, at } = this.#place((index * lineBytes) / granule + c);
        for (const part of entriesIn(entry, 4 * c)) {
          const cell = page[at];
          if (cell === undefined) page[at] = part;
          else if (Array.isArray(cell)) cell.push(part);
          else page[at] = [cell, part];
        }
      }
    });
  }

  #place(index: number): { readonly page: Cell[]; readonly at: number } {
    const p = Math.floor(index / pageCells);
    let page = this.#pages[p];
    if (!page) {
      page = new Array<Cell>(pageCells).fill(undefined);
      this.#pages[p] = page;
    }
    return { page, at: index % pageCells };
  }

  #cell(index: number, mask: number, access: Access, lanes: number, judge: Judge, shared: Entry | undefined): void {
    const { page, at } = this.#place(index);
    page[at] = updated(page[at], mask, access, lanes, judge, shared);
  }
}

const wordBytes = 4;

function eachOfLine(line: Line, see: (access: Access, word: number, bytes: number) => void): void {
  line.each((entry) => {
    const { access, words } = entry;
    for (let rest = words; rest !== 0; rest &= rest - 1) {
      const word = 31 - Math.clz32(rest & -rest);
      see(access, word >> 3, 0b1111 << (4 * (word & 7)));
    }
  });
}

/** Words `from` up to `to` of a line. */
const wordMask = (from: number, to: number): number => (to >= 32 ? -1 : (1 << to) - 1) & ~((1 << from) - 1);

/** What an entry of a line is in the cell that begins with that word: an entry for each set of lanes. */
function entriesIn(entry: LineEntry, first: number): readonly Entry[] {
  const found: Entry[] = [];
  const add = (access: Access, lanes: number, bytes: number): void => {
    const same = found.find((other) => other.access === access && other.lanes === lanes);
    if (same) same.bytes |= bytes;
    else found.push({ access, lanes, bytes });
  };
  for (let w = 0; w < granule / wordBytes; w++) {
    const word = first + w;
    if (((entry.words >>> word) & 1) === 0) continue;
    const bytes = 0b1111 << (wordBytes * w);
    for (const [access, lanes] of whoAt(entry, word)) add(access, lanes, bytes);
  }
  return found;
}

/** Who has to do with a word by which instruction. */
function whoAt(entry: LineEntry, word: number): Iterable<readonly [Access, number]> {
  const {
    access,
    of: { instructionOf },
  } = entry;
  const all = lanesAt(entry.of, word);
  if (!instructionOf || !access.by) return [[access, all]];
  const by = new Map<Access, number>();
  for (let rest = all; rest !== 0; rest &= rest - 1) {
    const lane = 31 - Math.clz32(rest & -rest);
    const at = instructionOf(lane, word);
    const one = at === undefined ? access : access.by(at);
    by.set(one, (by.get(one) ?? 0) | (1 << lane));
  }
  return by;
}
