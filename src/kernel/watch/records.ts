/** What the warps of a watched launch have recorded, read back (src/base/watch-layout.ts). */
import type { Dim3 } from "../../base/types.ts";
import { answered, launchesApart, watchLayout, zBits } from "../../base/watch-layout.ts";

/** One wait of a warp, or of some of its lanes. */
export interface RecordedWait {
  readonly site: number;
  /** All that have not ended, where nobody has told. */
  readonly lanes: number;
  /** Of a wait for an mbarrier: whether it is known which one, and for which phase. */
  readonly told: boolean;
  /** Of a barrier of the block its number. */
  readonly number: number;
  /** Of an mbarrier: where it is in the block's dynamic shared memory, and which phase is waited for. */
  readonly place: number;
  readonly parity: number;
  readonly found: bigint;
  readonly address: bigint;
  /** Of an mbarrier that was asked: where it is, and the state that it has. */
  readonly answer: { readonly place: number; readonly state: bigint } | undefined;
}

export interface RecordedWarp {
  /** Its number among the slots. */
  readonly slot: number;
  readonly block: Dim3;
  readonly warp: number;
  /** Lanes that have not ended. */
  readonly live: number;
  /** None where it runs, or has ended. */
  readonly waits: readonly RecordedWait[];
}

const { rows, warpsPerRow, slotBytes, places, toldWords } = watchLayout;
const slotWords = slotBytes / 4;

/** Without the parity that is waited for. */
const placeOf = (number: number): number => (number & ~1) >>> 0;

function readWaits(words: Uint32Array, slot: number, launch: number, live: number): readonly RecordedWait[] {
  const waits: RecordedWait[] = [];
  for (let i = 0; i < places; i++) {
    const { lanes, number, found, address } = watchLayout;
    const begin = slot + watchLayout.told + i * toldWords;
    const word = (at: number): number => words[begin + at] ?? 0;
    const site = word(watchLayout.site);
    if (site === 0) continue;
    const pair = (at: number): bigint => BigInt(word(at)) | (BigInt(word(at + 1)) << 32n);
    const told = word(address + 1);
    const isAnswer = told >= answered && word(address) === launch;
    waits.push({
      site: site - 1,
      lanes: word(lanes) || live,
      told: word(lanes) !== 0,
      number: word(number),
      place: placeOf(word(number)),
      parity: word(number) & 1,
      found: pair(found),
      address: pair(address),
      answer: isAnswer ? { place: placeOf(told - answered), state: pair(found) } : undefined,
    });
  }
  return waits;
}

/** The warps of one launch whose records are still there, in the order of their blocks' numbers. */
export function readWarps(words: Uint32Array, launch: number): readonly RecordedWarp[] {
  const warps: RecordedWarp[] = [];
  for (let i = 0; i < rows * warpsPerRow; i++) {
    const slot = i * slotWords;
    const word = (at: number): number => words[slot + at] ?? 0;
    const number = word(watchLayout.launch);
    const warp = number % launchesApart;
    if (number - warp !== launch) continue;
    const [live, yz] = [word(watchLayout.live), word(watchLayout.yz)];
    warps.push({
      slot: i,
      block: [word(watchLayout.x), yz % 2 ** zBits, yz >>> zBits],
      warp,
      live,
      waits: live === 0 ? [] : readWaits(words, slot, launch, live),
    });
  }
  const order = ({ block: [x, y, z], warp }: RecordedWarp): readonly number[] => [z, y, x, warp];
  // A graph launches its kernels with the same numbers again: what ended in an earlier launch of it is no warp of this one.
  const name = ({ block, warp }: RecordedWarp): string => `${block.join()} ${warp}`;
  const living = new Set(warps.filter(({ live }) => live !== 0).map(name));
  const there = warps.filter((warp) => warp.live !== 0 || !living.has(name(warp)));
  return there.toSorted((a, b) => {
    const [left, right] = [order(a), order(b)];
    const at = left.findIndex((n, i) => n !== right[i]);
    return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
  });
}
