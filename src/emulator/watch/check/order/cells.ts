/** Who has touched 16 bytes, byte by byte: what is left of those before when someone comes. */

import { type Access, isWeaker } from "./access.ts";
import type { Entry, Judge } from "./touching.ts";

/** One entry is by itself: most cells have one. */
export type Cell = Entry | Entry[] | undefined;

/** Bytes of a cell. */
export const granule = 16;

/** Reads that are kept of one cell, and writes of one value; of more, the oldest are forgotten. */
const mostReads = 16;
const mostWrites = 16;

/** What is put in the place of the entries of a cell, without those that a newer one of the same home stands for. */
export function merged(cell: readonly Entry[], by: (entry: Entry) => Entry | undefined): Cell {
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

/** A cell once that access has met what is there. `shared`: an entry for it that several cells may have. */
export function updated(cell: Cell, mask: number, access: Access, lanes: number, judge: Judge, shared: Entry | undefined): Cell {
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
  if ((!judge.conflict(old) && judge.beside(old)) || isWeaker(old.access.strong, entry.access.strong)) return old;
  if (old.access === entry.access && (old.mixed || judge.changes)) entry.mixed = true;
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
  if ((old.bytes & ~entry.bytes) !== 0 || isWeaker(old.access.strong, entry.access.strong)) return false;
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
