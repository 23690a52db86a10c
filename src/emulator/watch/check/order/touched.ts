/** What a launch has touched of global memory, for who has to know of it: other threads that watch, and the next launch. */
import { lineBytes } from "../../../machine/lane-accesses.ts";
import type { Region } from "../../../machine/memory.ts";
import { type Touched, touchedWords } from "../../../run/watcher.ts";
import type { Access } from "./access.ts";
import type { Home } from "./clock.ts";
import type { Shadow } from "./shadow.ts";
import { silent, Touching } from "./touching.ts";

export type { Touched } from "../../../run/watcher.ts";

/** Words of a region that have a bit for each byte. */
const wordsOfLine = lineBytes / 32;

/** Entries of `Touched`, as many as there come to be. */
class Entries {
  #words = new Int32Array(64 * touchedWords);
  #used = 0;
  /** Where those of the last line begin. */
  #line = 0;

  begin(): void {
    this.#line = this.#used;
  }

  /** Bytes of the line from a word of `bytes` on. */
  add(line: number, at: number, writes: boolean, word: number, bytes: number): void {
    const place = this.#find(at, writes) ?? this.#make(line, at, writes);
    this.#words[place + 1 + word] = (this.#words[place + 1 + word] as number) | bytes;
  }

  #find(at: number, writes: boolean): number | undefined {
    const words = this.#words;
    for (let place = this.#line; place < this.#used; place += touchedWords)
      if (words[place + 5] === at && words[place + 6] === Number(writes)) return place;
    return undefined;
  }

  #make(line: number, at: number, writes: boolean): number {
    const place = this.#used;
    this.#used += touchedWords;
    if (this.#used > this.#words.length) {
      const more = new Int32Array(2 * this.#words.length);
      more.set(this.#words);
      this.#words = more;
    }
    this.#words[place] = line;
    this.#words[place + 5] = at;
    this.#words[place + 6] = Number(writes);
    return place;
  }

  get all(): Int32Array {
    return this.#words.slice(0, this.#used);
  }
}

/** Of global memory. */
export function touchedOf(shadows: ReadonlyMap<Region, Shadow>): readonly Touched[] {
  return [...shadows].flatMap(([region, shadow]) => {
    if (region.space !== "global") return [];
    const entries = new Entries();
    shadow.eachLine((line, visit) => {
      entries.begin();
      visit((access, word, bytes) => entries.add(line, access.at, access.writes, word, bytes));
    });
    return [{ base: region.base, entries: entries.all }];
  });
}

/** Calls `visit` with each entry of a list. */
export function eachTouched(
  { entries }: Touched,
  visit: (line: number, word: number, bytes: number, at: number, writes: boolean) => void,
): void {
  for (let place = 0; place < entries.length; place += touchedWords) {
    for (let word = 0; word < wordsOfLine; word++) {
      const bytes = entries[place + 1 + word] as number;
      if (bytes !== 0) visit(entries[place] as number, word, bytes, entries[place + 5] as number, entries[place + 6] === 1);
    }
  }
}

/** Whether one of several has written what another one has touched. `sizeOf`: of the region that begins at an address. */
export function meet(parties: readonly (readonly Touched[])[], sizeOf: (base: number) => number): boolean {
  const known = new Map<number, { readonly read: Int32Array; readonly written: Int32Array }>();
  const of = (base: number) => {
    const words = Math.ceil(sizeOf(base) / lineBytes) * wordsOfLine;
    const before = known.get(base) ?? { read: new Int32Array(words), written: new Int32Array(words) };
    known.set(base, before);
    return before;
  };
  let met = false;
  for (const party of parties) {
    for (const touched of party) {
      const { read, written } = of(touched.base);
      eachTouched(touched, (line, word, bytes, _, writes) => {
        const at = line * wordsOfLine + word;
        if ((bytes & (written[at] as number)) !== 0 || (writes && (bytes & (read[at] as number)) !== 0)) met = true;
      });
    }
    if (met) return true;
    for (const touched of party) {
      const { read, written } = of(touched.base);
      eachTouched(touched, (line, word, bytes, _, writes) => {
        const [at, into] = [line * wordsOfLine + word, writes ? written : read];
        into[at] = (into[at] as number) | bytes;
      });
    }
  }
  return false;
}

/** Enters in a shadow what somebody has touched, as by one slot of a home. */
export function enter(shadow: Shadow, touched: Touched, home: Home, agent: Access["agent"]): void {
  const accesses = new Map<number, Access>();
  eachTouched(touched, (line, word, bytes, at, writes) => {
    const key = 2 * at + Number(writes);
    const access = accesses.get(key) ?? { home, slot: 0, tick: 1, at, writes, proxy: "generic", strong: "", agent };
    accesses.set(key, access);
    for (let rest = bytes; rest !== 0; ) {
      const from = 31 - Math.clz32(rest & -rest);
      // Bits that follow each other.
      const inverse = ~(rest >>> from);
      const count = inverse === 0 ? 32 : Math.min(32 - from, 31 - Math.clz32(inverse & -inverse));
      shadow.touchRange(line * lineBytes + 32 * word + from, count, new Touching(access, 1, silent));
      rest &= count >= 32 ? 0 : ~(((1 << count) - 1) << from);
    }
  });
}
