import { watchBytes, watchLayout, zBits } from "../../src/base/watch-layout.ts";

/** What a test says of a wait: words by their names in the layout. */
export interface WrittenWait {
  readonly site: number;
  readonly lanes?: number;
  readonly number?: number;
  readonly place?: number;
  readonly found?: bigint;
  readonly address?: bigint;
}

export interface WrittenWarp {
  readonly launch: number;
  readonly block: readonly [number, number, number];
  readonly warp: number;
  readonly present?: number;
  readonly ended?: number;
  readonly waits?: readonly WrittenWait[];
}

/** Writes the record of a warp into slot `slot`, as a kernel does. */
export function writeWarp(
  words: Uint32Array,
  slot: number,
  { launch, block, warp, present = 0xffff_ffff, ended = 0, waits = [] }: WrittenWarp,
): void {
  const at = (slot * watchLayout.slotBytes) / 4;
  const [x, y, z] = block;
  words.set([launch + warp, x, y + z * 2 ** zBits, present & ~ended], at);
  for (const { site, lanes = 0xffff_ffff, number = 0, place = 0, found = 0n, address = 0n } of waits) {
    const index = site % watchLayout.places;
    const pair = (value: bigint): readonly number[] => [Number(value & 0xffff_ffffn), Number(value >> 32n)];
    const told = [site + 1, 0, lanes, place + number, ...pair(found), ...pair(address)];
    words.set(told, at + watchLayout.told + index * watchLayout.toldWords);
  }
}

/** The records of a device on which these warps are. */
export function recordsOf(warps: readonly WrittenWarp[]): Uint32Array {
  const words = new Uint32Array(watchBytes / 4);
  for (const [i, warp] of warps.entries()) writeWarp(words, i, warp);
  return words;
}
