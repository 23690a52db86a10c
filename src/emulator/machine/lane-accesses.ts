/**
 * What lanes of a warp do to memory by one instruction, or by several loads that differ by constants. They do it again and again in
 * the same shape, somewhere else: which words of which lines belong to which lanes is found once for each shape.
 */
import { forEachLane } from "./lanes.ts";
import type { Region } from "./memory.ts";

/** Bytes of a line: 32 words. */
export const lineBytes = 128;
const wordBytes = 4;

/** Words of a line, and lanes that have to do with them. */
export interface Words {
  /** A bit for each word. */
  readonly words: number;
  /** Who has to do with some word of them. */
  readonly lanes: number;
  /** Of each word, where they differ. The same object for the same lanes. */
  readonly lanesOf: Int32Array | undefined;
  /** No two lanes have to do with one word. */
  readonly apart: boolean;
  /** Where there are several: index of the one by which a lane has to do with a word. */
  readonly instructionOf?: ((lane: number, word: number) => number) | undefined;
}

/** One of the instructions. */
export interface Member {
  /** Its index. */
  readonly at: number;
  /** From the offsets of the lanes to its own. */
  readonly delta: number;
}

/** What falls in one line. */
export interface Part extends Words {
  /** Lines after that of the first lane. */
  readonly line: number;
  /** The last lane alone of each word. */
  readonly last: Words;
  /** All but the first one of each word. */
  readonly others: number;
  /** A bit for each byte of the line. */
  readonly bytes: Int32Array;
}

/** Instructions that are told of together, and what is known of the last time. */
export interface Site {
  readonly members: readonly Member[];
  since: number;
  mask: number;
  start: number;
  parts: readonly Part[] | undefined;
}

export const siteOf = (members: readonly Member[]): Site => ({ members, since: -1, mask: 0, start: 0, parts: undefined });

interface Shape {
  readonly mask: number;
  readonly size: number;
  readonly members: readonly Member[];
  /** Of each lane's offset from that of the first one. */
  readonly distances: Int32Array;
  /** By lines in the order of the lanes that come to them first. */
  readonly parts: readonly Part[];
}

/** Of a line, one bit for each byte of some words. */
function bytesOf(words: number): Int32Array {
  const bytes = new Int32Array(wordBytes);
  for (let rest = words; rest !== 0; rest &= rest - 1) {
    const word = 31 - Math.clz32(rest & -rest);
    bytes[word >> 3] = (bytes[word >> 3] ?? 0) | (0b1111 << (4 * (word & 7)));
  }
  return bytes;
}

const lanesOfWords = new Map<string, Int32Array>();

function wordsOf(lanesOf: Int32Array): Words {
  let [words, lanes, apart, alike] = [0, 0, true, true];
  for (let word = 0; word < 32; word++) {
    const own = lanesOf[word] ?? 0;
    if (own === 0) continue;
    if (words !== 0 && own !== lanes) alike = false;
    words |= 1 << word;
    lanes |= own;
    if ((own & (own - 1)) !== 0) apart = false;
  }
  if (alike) return { words, lanes, lanesOf: undefined, apart };
  const key = lanesOf.join();
  const same = lanesOfWords.get(key) ?? lanesOf;
  lanesOfWords.set(key, same);
  return { words, lanes, lanesOf: same, apart };
}

function partOf(line: number, lanesOf: Int32Array, instructionOf: Words["instructionOf"]): Part {
  const all = wordsOf(lanesOf);
  const last = all.apart ? all : wordsOf(lanesOf.map((own) => (own === 0 ? 0 : 1 << (31 - Math.clz32(own)))));
  const others = all.apart ? 0 : lanesOf.reduce((found, own) => found | (own & (own - 1)), 0);
  return { ...all, line, last, others, bytes: bytesOf(all.words), instructionOf };
}

function partsOf(of: LaneAccesses, phase: number): readonly Part[] {
  const { members, mask, bytes } = of;
  /** Of each lane, from the beginning of the line of the first one. */
  const from = Array.from({ length: 32 }, (_, lane) => of.offset(lane) - of.start + phase);
  const delta = (member: Member): number => member.delta - (members[0]?.delta ?? 0);
  const lines = new Map<number, Int32Array>();
  for (const member of members) {
    forEachLane(mask, (lane) => {
      const first = (from[lane] ?? 0) + delta(member);
      for (let byte = first; byte < first + bytes; byte += wordBytes) {
        const line = Math.floor(byte / lineBytes);
        const lanesOf = lines.get(line) ?? new Int32Array(32);
        lines.set(line, lanesOf);
        const word = (byte - line * lineBytes) / wordBytes;
        lanesOf[word] = (lanesOf[word] ?? 0) | (1 << lane);
      }
    });
  }
  const instructionOf = (line: number) => (lane: number, word: number) => {
    const byte = line * lineBytes + word * wordBytes - (from[lane] ?? 0);
    return (members.find((member) => byte >= delta(member) && byte < delta(member) + bytes) ?? { at: of.at }).at;
  };
  return [...lines].map(([line, lanesOf]) => partOf(line, lanesOf, members.length > 1 ? instructionOf(line) : undefined));
}

/** By the index of the instruction, then by where in a line its first lane is. */
let shapes: (Shape | undefined)[][] = [];
/** Equal ones are one object. */
const distances = new Map<string, Int32Array>();
let known = 0;
const mostShapes = 2 ** 14;

function forgetAll(): void {
  shapes = [];
  distances.clear();
  lanesOfWords.clear();
  known = 0;
}

/** What has been found of offsets that several instructions use. */
interface Found {
  since: number;
  mask: number;
  distances: Int32Array | undefined;
}

/** One object serves for all: they come one after the other. */
export class LaneAccesses {
  region: Region;
  mask = 0;
  /** Of each lane. */
  bytes = 0;
  /** In their order. */
  members: readonly Member[] = [];
  /** Index of the first instruction. */
  at = 0;
  /** Of the first lane. */
  start = 0;
  /** Undefined where lanes have to do with parts of words. */
  parts: readonly Part[] | undefined;
  /** Whoever watches has said so of all accesses that are told of with it. */
  isDefined = false;
  #offsets: Int32Array = new Int32Array(32);
  #first = 0;
  /** Of the first member. */
  #delta = 0;
  #since = 0;
  readonly #found: Found[] = [];

  constructor(region: Region) {
    this.region = region;
  }

  /** From now on offsets are others. */
  begin(): void {
    this.#since += 1;
    this.isDefined = false;
  }
  /** All bytes that are read are defined, and all that is written. */
  defined(): void {
    this.isDefined = true;
  }

  /**
   * `offsets`: from `first` on those of the lanes, from the beginning of the region, as words; with what each member adds, multiples of
   * `bytes`. They have not changed since `begin`.
   */
  set(region: Region, mask: number, offsets: Int32Array, first: number, bytes: number, site: Site): this {
    const { members } = site;
    const { at, delta } = members[0] as Member;
    this.region = region;
    this.mask = mask;
    this.bytes = bytes;
    this.members = members;
    this.at = at;
    this.#offsets = offsets;
    this.#first = first;
    this.#delta = delta;
    if (site.since !== this.#since || site.mask !== mask) {
      this.start = ((offsets[first + 31 - Math.clz32(mask & -mask)] as number) + delta) >>> 0;
      site.parts = bytes < wordBytes ? undefined : this.#find();
      site.start = this.start;
      site.since = this.#since;
      site.mask = mask;
    }
    this.start = site.start;
    this.parts = site.parts;
    return this;
  }

  offset(lane: number, delta = this.#delta): number {
    return ((this.#offsets[this.#first + lane] as number) + delta) >>> 0;
  }

  /** Each access of each lane, instruction by instruction. */
  each(visit: (lane: number, offset: number, at: number) => void): void {
    for (const { at, delta } of this.members) forEachLane(this.mask, (lane) => visit(lane, this.offset(lane, delta), at));
  }

  /** The line of the first lane. */
  get line(): number {
    return Math.floor(this.start / lineBytes);
  }

  #find(): readonly Part[] {
    const phase = this.start % lineBytes;
    const shape = shapes[this.at]?.[phase];
    const found = this.#found[this.#first >>> 5] ?? this.#unknown();
    const fresh = found.since === this.#since && found.mask === this.mask ? found.distances : undefined;
    if (shape && shape.members === this.members && shape.mask === this.mask && shape.size === this.bytes) {
      if (fresh ? fresh === shape.distances : this.#has(shape.distances)) {
        if (!fresh) this.#remember(found, shape.distances);
        return shape.parts;
      }
    }
    return this.#learn(phase, found);
  }

  #unknown(): Found {
    const found: Found = { since: -1, mask: 0, distances: undefined };
    this.#found[this.#first >>> 5] = found;
    return found;
  }

  #remember(found: Found, distances: Int32Array): void {
    found.since = this.#since;
    found.mask = this.mask;
    found.distances = distances;
  }

  #has(distances: Int32Array): boolean {
    const own = this.#offsets;
    const first = this.#first;
    const start = (this.start - this.#delta) | 0;
    if (this.mask === -1) {
      for (let lane = 0; lane < 32; lane++) {
        if ((((own[first + lane] as number) - start) | 0) !== (distances[lane] as number)) return false;
      }
      return true;
    }
    for (let rest = this.mask; rest !== 0; rest &= rest - 1) {
      const lane = 31 - Math.clz32(rest & -rest);
      if ((((own[first + lane] as number) - start) | 0) !== (distances[lane] as number)) return false;
    }
    return true;
  }

  #learn(phase: number, found: Found): readonly Part[] {
    if (known++ > mostShapes) forgetAll();
    const parts = partsOf(this, phase);
    const own = Int32Array.from({ length: 32 }, (_, lane) => ((this.mask >>> lane) & 1 ? this.offset(lane) - this.start : 0));
    const key = own.join();
    const same = distances.get(key) ?? own;
    distances.set(key, same);
    this.#remember(found, same);
    let phases = shapes[this.at];
    if (!phases) {
      phases = [];
      shapes[this.at] = phases;
    }
    phases[phase] = { mask: this.mask, size: this.bytes, members: this.members, distances: same, parts };
    return parts;
  }
}
