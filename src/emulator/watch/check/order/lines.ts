/**
 * Who has touched a line of memory last: an entry for what one instruction of a warp has done to its words, or an operation. An access
 * that may follow all that it overlaps is entered as a whole; of any other nothing is done here, and the line is taken apart into
 * cells, where each lane is looked at by itself.
 */
import type { Words } from "../../../machine/lane-accesses.ts";
import type { Access, Touched } from "./access.ts";

export class LineEntry implements Touched {
  readonly access: Access;
  words: number;
  readonly lanes: number;
  readonly lanesOf: Int32Array | undefined;

  constructor(access: Access, { words, lanes, lanesOf }: Words) {
    this.access = access;
    this.words = words;
    this.lanes = lanes;
    this.lanesOf = lanesOf;
  }
}

export type Line = LineEntry[];

/** Whether all of what is new may follow an entry, and so each lane of it. Without a word. */
export type Follows = (entry: LineEntry, fresh: Words) => boolean;

/** Reads that are kept of one line; of more, the oldest are forgotten. */
const mostReads = 32;

const samePlaces = (a: Pick<Words, "lanes" | "lanesOf">, b: Words): boolean => a.lanes === b.lanes && a.lanesOf === b.lanesOf;

/** Somebody reads. Gives false, and does nothing, where it does not follow a write. */
export function readLine(line: Line, access: Access, fresh: Words, follows: Follows): boolean {
  const { words } = fresh;
  let replaced = false;
  let own: LineEntry | undefined;
  for (let i = line.length - 1; i >= 0; i--) {
    const entry = line[i] as LineEntry;
    if (entry.access === access) {
      if (!samePlaces(entry, fresh)) continue;
      // A write since would have taken the words away.
      if ((words & ~entry.words) === 0) return true;
      if (entry.lanesOf === undefined) own = entry;
    } else if ((entry.words & words) === 0) continue;
    else if (entry.access.writes) {
      if (entry.access.nonCoherent || access.nonCoherent || !follows(entry, fresh)) return false;
    } else if (entry.access.home === access.home) replaced = true;
  }
  if (replaced) forget(line, access, words, (entry) => isReplaced(entry, access) && follows(entry, fresh));
  if (own) own.words |= words;
  else {
    line.push(new LineEntry(access, fresh));
    if (line.length > mostReads) forgetOldestRead(line);
  }
  return true;
}

/** A read that a newer one which comes after it stands for. */
const isReplaced = ({ access: old }: LineEntry, access: Access): boolean =>
  !old.writes && old.home === access.home && (!old.nonCoherent || (access.nonCoherent ?? false));

/** Somebody writes. Gives false, and does nothing, where it does not follow somebody. `last`: those whose values stay. */
export function writeLine(line: Line, access: Access, fresh: Words, follows: Follows, last: Words = fresh): boolean {
  const { words } = fresh;
  let covered = false;
  for (let i = 0; i < line.length; i++) {
    const entry = line[i] as LineEntry;
    if ((entry.words & words) === 0) continue;
    if (entry.access.nonCoherent || access.nonCoherent || !follows(entry, fresh)) return false;
    covered = true;
  }
  if (covered) forget(line, access, words, () => true);
  line.push(new LineEntry(access, last));
  return true;
}

/** Takes words away from entries of others, or of the same that are elsewhere. */
function forget(line: Line, access: Access, words: number, isOver: (entry: LineEntry) => boolean): void {
  let count = 0;
  for (let i = 0; i < line.length; i++) {
    const entry = line[i] as LineEntry;
    if ((entry.words & words) !== 0 && (access.writes || entry.access !== access) && isOver(entry)) {
      entry.words &= ~words;
      if (entry.words === 0) continue;
    }
    line[count++] = entry;
  }
  line.length = count;
}

function forgetOldestRead(line: Line): void {
  const oldest = line.findIndex((entry) => !entry.access.writes);
  if (oldest >= 0) line.splice(oldest, 1);
}

/** Lanes that have to do with a word. */
export const lanesAt = ({ lanes, lanesOf }: Pick<Words, "lanes" | "lanesOf">, word: number): number =>
  lanesOf ? (lanesOf[word] ?? 0) : lanes;

/** Whether each of these lanes finds nobody but itself in the entry, of the words that both have to do with. */
export function isAlone(entry: LineEntry, fresh: Words): boolean {
  if (fresh.apart && samePlaces(entry, fresh)) return true;
  for (let rest = entry.words & fresh.words; rest !== 0; rest &= rest - 1) {
    const word = 31 - Math.clz32(rest & -rest);
    const there = lanesAt(entry, word);
    if (there !== lanesAt(fresh, word) || (there & (there - 1)) !== 0) return false;
  }
  return true;
}
