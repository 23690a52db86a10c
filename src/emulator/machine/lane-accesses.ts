/**
 * What lanes of a warp do to memory by one instruction, or by several loads that differ by constants. They do it again and again in
 * the same shape, somewhere else: which words of which lines belong to which lanes is found once for each shape.
 */
import { forEachLane } from "./lanes.ts";
import { Region } from "./memory.ts";

/** Bytes of a line: 32 words. */
export const lineBytes = 128;
/** The line of a byte of a region, which has up to 4 GiB. */
export const lineAt = (offset: number): number => offset >>> 7;
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
  readonly instructionOf?: ((lane: number, word: number) => number | undefined) | undefined;
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

interface Shape {
  readonly mask: number;
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

/** Equal ones are one object. */
const lanesOfWords = new Map<string, Int32Array>();

/** What lanes do to one line, while it is found out. Objects are used again: lanes that go here and there do so each time elsewhere. */
class Gathering {
  line = 0;
  words = 0;
  lanes = 0;
  /** Of each word; none of those that nobody has to do with. */
  readonly lanesOf = new Int32Array(32);

  begin(line: number): this {
    this.line = line;
    this.words = this.lanes = 0;
    this.lanesOf.fill(0);
    return this;
  }

  add(word: number, lanes: number): void {
    this.words |= 1 << word;
    this.lanes |= lanes;
    this.lanesOf[word] = (this.lanesOf[word] as number) | lanes;
  }

  get all(): Words {
    const { words, lanes, lanesOf } = this;
    let [apart, alike] = [true, true];
    for (let rest = words; rest !== 0; rest &= rest - 1) {
      const own = lanesOf[31 - Math.clz32(rest & -rest)] as number;
      if (own !== lanes) alike = false;
      if ((own & (own - 1)) !== 0) apart = false;
    }
    if (alike) return { words, lanes, lanesOf: undefined, apart };
    const key = lanesOf.join();
    const same = lanesOfWords.get(key) ?? lanesOf.slice();
    lanesOfWords.set(key, same);
    return { words, lanes, lanesOf: same, apart };
  }

  /** All but the first lane of each word. */
  get others(): number {
    return this.lanesOf.reduce((found, own) => found | (own & (own - 1)), 0);
  }
}

const gatherings: Gathering[] = [];
function gatheringAt(index: number): Gathering {
  if (index === gatherings.length) gatherings.push(new Gathering());
  return gatherings[index] as Gathering;
}
const lastOnes = new Gathering();

/** The last lane alone of each word. */
function lastOf({ line, words, lanesOf }: Gathering): Words {
  lastOnes.begin(line);
  for (let rest = words; rest !== 0; rest &= rest - 1) {
    const word = 31 - Math.clz32(rest & -rest);
    lastOnes.add(word, 1 << (31 - Math.clz32(lanesOf[word] as number)));
  }
  return lastOnes.all;
}

function partOf(from: Gathering, instructionOf: Words["instructionOf"]): Part {
  const all = from.all;
  const { words, lanes, lanesOf, apart } = all;
  const last = apart ? all : lastOf(from);
  const others = apart ? 0 : from.others;
  return { words, lanes, lanesOf, apart, line: from.line, last, others, bytes: bytesOf(words), instructionOf };
}

const deltaOf = ({ members }: LaneAccesses, member: Member): number => member.delta - (members[0]?.delta ?? 0);

/** Gives the number of lines, which `gatherings` begins with. `from`: of each lane, from the beginning of the line of the first one. */
function gather(of: LaneAccesses, from: readonly number[]): number {
  const lines = new Map<number, Gathering>();
  let latest: Gathering | undefined;
  for (const member of of.members) {
    const delta = deltaOf(of, member);
    for (let rest = of.mask; rest !== 0; rest &= rest - 1) {
      const lane = 31 - Math.clz32(rest & -rest);
      const first = (from[lane] as number) + delta;
      for (let byte = first; byte < first + of.bytes; byte += wordBytes) {
        const line = Math.floor(byte / lineBytes);
        if (latest?.line !== line) {
          latest = lines.get(line);
          if (!latest) {
            latest = gatheringAt(lines.size).begin(line);
            lines.set(line, latest);
          }
        }
        latest.add((byte - line * lineBytes) / wordBytes, 1 << lane);
      }
    }
  }
  return lines.size;
}

function partsOf(of: LaneAccesses, phase: number): readonly Part[] {
  const { members, mask, bytes } = of;
  const from = new Array<number>(32).fill(0);
  forEachLane(mask, (lane) => {
    from[lane] = of.offset(lane) - of.start + phase;
  });
  const instructionOf = (line: number) => (lane: number, word: number) => {
    const byte = line * lineBytes + word * wordBytes - (from[lane] ?? 0);
    return (members.find((one) => byte >= deltaOf(of, one) && byte < deltaOf(of, one) + bytes) ?? { at: of.at }).at;
  };
  const parts: Part[] = [];
  for (let i = 0, count = gather(of, from); i < count; i++) {
    const one = gatherings[i] as Gathering;
    parts.push(partOf(one, members.length > 1 ? instructionOf(one.line) : undefined));
  }
  return parts;
}

/** Counts what is remembered of shapes; where that is too much, all of it is forgotten. */
let known = 0;
let generation = 0;
const mostShapes = 2 ** 14;
/** Equal ones are one object. */
const distances = new Map<string, Int32Array>();

function remembered(own: Int32Array): Int32Array {
  const key = own.join();
  const same = distances.get(key) ?? own;
  distances.set(key, same);
  return same;
}

function remember(): void {
  if (known++ < mostShapes) return;
  known = 0;
  generation += 1;
  distances.clear();
  lanesOfWords.clear();
}

/** By the first, then the second. */
const joined = new WeakMap<Words, WeakMap<Words, Words>>();

/** Both, of the same lanes at each word: what stands for one access by several instructions. */
export function joinWords(a: Words, b: Words): Words {
  if (a === b || !(a.instructionOf || b.instructionOf)) return a;
  const known = joined.get(a) ?? new WeakMap<Words, Words>();
  joined.set(a, known);
  const before = known.get(b);
  if (before) return before;
  remember();
  const instructionOf = (lane: number, word: number): number | undefined =>
    ((b.words >>> word) & 1 ? b : a).instructionOf?.(lane, word);
  const both: Words = { words: a.words | b.words, lanes: a.lanes, lanesOf: undefined, apart: a.apart && b.apart, instructionOf };
  known.set(b, both);
  return both;
}

const nowhere = new Region("global", 0, 0);

/** What lanes do by some instructions. There is one object for each list of them: it is used again. */
export class LaneAccesses {
  /** In their order. */
  readonly members: readonly Member[];
  /** Of each lane, by each of them. */
  readonly bytes: number;
  /** Index of the first instruction. */
  readonly at: number;
  region = nowhere;
  mask = 0;
  /** Of the first lane. */
  start = 0;
  /** Its line. */
  line = 0;
  /** Undefined where lanes have to do with parts of words. */
  parts: readonly Part[] | undefined;
  /** All bytes that are read are defined, and all that is written: whoever watches has said so. */
  isDefined = false;
  #offsets: Int32Array = new Int32Array(0);
  #first = 0;
  /** Of the first member. */
  readonly #delta: number;
  /** By where in a line the first lane is. */
  #shapes: (Shape | undefined)[] = [];
  #generation = generation;

  /** `members`: at least one; what each adds to the offsets of the lanes is a multiple of `bytes`. */
  constructor(members: readonly Member[], bytes: number) {
    const [{ at, delta }] = members as readonly [Member];
    this.members = members;
    this.bytes = bytes;
    this.at = at;
    this.#delta = delta;
  }

  /** `offsets`: from `first` on those of the lanes, from the beginning of the region, as words. They are not copied. */
  set(region: Region, mask: number, offsets: Int32Array, first: number): this {
    this.region = region;
    this.mask = mask;
    this.isDefined = false;
    this.#offsets = offsets;
    this.#first = first;
    const start = ((offsets[first + 31 - Math.clz32(mask & -mask)] as number) + this.#delta) >>> 0;
    this.start = start;
    this.line = lineAt(start);
    this.parts = this.bytes < wordBytes ? undefined : this.#find(start & (lineBytes - 1));
    return this;
  }

  offset(lane: number, delta = this.#delta): number {
    return ((this.#offsets[this.#first + lane] as number) + delta) >>> 0;
  }

  /** Each access of each lane, instruction by instruction. */
  each(visit: (lane: number, offset: number, at: number) => void): void {
    for (const { at, delta } of this.members) forEachLane(this.mask, (lane) => visit(lane, this.offset(lane, delta), at));
  }

  #find(phase: number): readonly Part[] {
    const shape = this.#generation === generation ? this.#shapes[phase] : undefined;
    return shape && shape.mask === this.mask && this.#has(shape.distances) ? shape.parts : this.#learn(phase);
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

  #learn(phase: number): readonly Part[] {
    remember();
    if (this.#generation !== generation) {
      this.#generation = generation;
      this.#shapes = [];
    }
    const parts = partsOf(this, phase);
    const own = new Int32Array(32);
    forEachLane(this.mask, (lane) => {
      own[lane] = this.offset(lane) - this.start;
    });
    // What has changed once will change again: it is not looked for elsewhere.
    const same = this.#shapes[phase] ? own : remembered(own);
    this.#shapes[phase] = { mask: this.mask, distances: same, parts };
    return parts;
  }
}
