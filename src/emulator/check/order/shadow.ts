/** Who has touched memory last: for every 16 bytes what still matters to whoever comes next. */
import type { TensorMap } from "../../units/index.ts";
import type { Home } from "./clock.ts";

/** Who did it, for the reports; made words only when asked. */
export interface Agent {
  /** "warp 3 of block (0, 0, 0) writes", "a tensor copy that thread 0 … has issued reads". `lanes`: those concerned. */
  describe(access: Access, lanes: number): string;
  /** What is missing, or nothing. */
  since(): string | undefined;
  /** Of an asynchronous operation: what it is. */
  readonly kind: "lane" | "load" | "store" | "cp.async" | "wgmma";
  /** The block that it belongs to. */
  readonly block: object;
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
  readonly agent: Agent;
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
export const wholeCell = 0xffff;

/** Bytes `from` up to `to` of a cell. */
export const byteMask = (from: number, to: number): number => ((1 << to) - 1) & ~((1 << from) - 1);

/** What is asked about an entry that a new access lies over. */
export interface Judge {
  /** One of the two writes: whether the entry comes before; tells where it does not. */
  conflict(entry: Entry): boolean;
  /** Both read: the same, without a word. */
  before(entry: Entry): boolean;
}

/** Reads that are kept of one cell; of more, the oldest are forgotten. */
const mostReads = 16;

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

  /** All entries, each as often as it is there. */
  forEach(visit: (entry: Entry, offset: number) => void): void {
    this.#pages.forEach((page, p) => {
      page?.forEach((cell, c) => {
        if (cell === undefined) return;
        const offset = (p * pageCells + c) * granule;
        if (Array.isArray(cell)) for (const entry of cell) visit(entry, offset);
        else visit(cell, offset);
      });
    });
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

/** Neighbours mostly hold the same entry, or those of one access: what was said of it holds. */
function asked(judge: Judge): Judge {
  let known: Entry | undefined;
  return {
    conflict(entry) {
      if (entry === known) return true;
      const before = judge.conflict(entry);
      if (before) known = entry;
      return before;
    },
    before: (entry) => entry === known || judge.before(entry),
  };
}

function updated(cell: Cell, mask: number, access: Access, lanes: number, judge: Judge, shared: Entry | undefined): Cell {
  if (cell === undefined) return shared ?? { access, lanes, bytes: mask };
  const kept: Entry[] = [];
  let joined = false;
  for (const old of Array.isArray(cell) ? cell : [cell]) {
    const overlap = old.bytes & mask;
    const same = old.access === access && old.bytes === mask;
    if (overlap === 0) kept.push(old);
    else if (same) {
      // Another lane of the same instruction, or the same one again.
      if (access.writes && old.lanes !== lanes) judge.conflict(old);
      old.lanes |= lanes;
      joined = true;
      kept.push(old);
    } else keepRest(kept, old, overlap, access, judge);
  }
  if (!joined) kept.push(shared ?? { access, lanes, bytes: mask });
  if (kept.length > mostReads) forgetOldest(kept);
  return kept.length === 1 ? kept[0] : kept;
}

/** What remains of an entry that a new access lies over: a write, once told of, stands for all before it. */
function keepRest(kept: Entry[], old: Entry, overlap: number, access: Access, judge: Judge): void {
  const reads = !access.writes && !old.access.writes;
  const before = reads ? judge.before(old) : judge.conflict(old);
  const forgotten = access.writes || (reads && before);
  const rest = forgotten ? old.bytes & ~overlap : old.bytes;
  if (rest === old.bytes) kept.push(old);
  else if (rest !== 0) kept.push({ access: old.access, lanes: old.lanes, bytes: rest });
}

function forgetOldest(kept: Entry[]): void {
  const reads = kept.filter((entry) => !entry.access.writes);
  if (reads.length <= mostReads) return;
  const oldest = reads[0];
  if (oldest) kept.splice(kept.indexOf(oldest), 1);
}
