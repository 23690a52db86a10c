/** What the warps of a watched launch have recorded, read back (src/watch-layout.ts). */
import type { Dim3 } from "../../types.ts";
import { answered, watchLayout } from "../../watch-layout.ts";

/** One wait of a warp, or of some of its lanes. */
export interface RecordedWait {
  readonly site: number;
  readonly lanes: number;
  readonly number: number;
  readonly place: number;
  readonly found: bigint;
  readonly address: bigint;
  /** Of an mbarrier that was asked, its state as `mbarrier.arrive` gives it. */
  readonly state: bigint | undefined;
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

function readWaits(words: Uint32Array, slot: number, launch: number): readonly RecordedWait[] {
  const waits: RecordedWait[] = [];
  for (let i = 0; i < places; i++) {
    const site = words[slot + watchLayout.sites + i] ?? 0;
    if (site === 0) continue;
    const { lanes, number, place, found, address } = watchLayout;
    const told = slot + watchLayout.told + i * toldWords;
    const word = (at: number): number => words[told + at] ?? 0;
    const pair = (at: number): bigint => BigInt(word(at)) | (BigInt(word(at + 1)) << 32n);
    const isAnswer = word(address + 1) === answered && word(address) === launch;
    waits.push({
      site: site - 1,
      lanes: word(lanes),
      number: word(number),
      place: word(place),
      found: pair(found),
      address: pair(address),
      state: isAnswer ? pair(found) : undefined,
    });
  }
  return waits;
}

/** The warps of one launch whose records are still there, in the order of their blocks' numbers. */
export function readWarps(words: Uint32Array, launch: number): readonly RecordedWarp[] {
  const warps: RecordedWarp[] = [];
  for (let i = 0; i < rows * warpsPerRow; i++) {
    const slot = i * slotWords;
    if (words[slot + watchLayout.launch] !== launch) continue;
    const word = (at: number): number => words[slot + at] ?? 0;
    const live = (word(watchLayout.present) & ~word(watchLayout.ended)) >>> 0;
    const { block, warp } = watchLayout;
    warps.push({
      slot: i,
      block: [word(block), word(block + 1), word(block + 2)],
      warp: word(warp),
      live,
      waits: live === 0 ? [] : readWaits(words, slot, launch),
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
