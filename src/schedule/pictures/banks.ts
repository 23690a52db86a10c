/** Where elements of shared memory lie, and what an access of a warp takes. Shared memory has 32 banks of 4 bytes. */

import { elementBytes } from "../../base/element-types.ts";
import { offsetIn, swizzled } from "../../layout/modes/index.ts";
import type { Buffer } from "../ir/types.ts";
import { placesIn } from "../lower/storage/shared-homes.ts";
import { refuse, shapeOf } from "./laid-out.ts";

export const [banks, wordBytes] = [32, 4];

/** The byte at which an element begins, from that of the first: as the kernel lays the buffer out. W5545. */
export function addressesIn(buffer: Buffer): (element: readonly number[]) => number {
  const row = (shapeOf(buffer).at(-1) ?? 1) * elementBytes[buffer.dtype];
  if (buffer.swizzle === "xor" && row !== 2 ** Math.round(Math.log2(row)))
    refuse(`'${buffer.name}'`, `its rows are permuted, and a row takes ${row} bytes, which is no power of two`);
  const { layout, swizzle } = placesIn(buffer);
  return (element) =>
    swizzled(
      layout.reduce((sum, dimension, d) => sum + offsetIn(dimension, element[d] ?? 0), 0),
      swizzle,
    );
}

/** What the lanes of a warp get in one instruction. */
export interface Served {
  /** In which wavefront each of them is served, from 0. */
  readonly wavefront: readonly number[];
  readonly wavefronts: number;
  /** Of each bank, how many of its words are wanted in the group of lanes that wants most. */
  readonly wanted: readonly number[];
}

/**
 * Lanes of 16 bytes are served by quarters of a warp and those of 8 by halves. Among lanes that are served together, each further word of a bank is one more
 * wavefront, and a word that several want is given to all at once.
 */
export function served(addresses: readonly number[], bytes: number): Served {
  const together = (banks * wordBytes) / Math.max(bytes, wordBytes);
  const wavefront: number[] = [];
  const wanted = Array.from({ length: banks }, () => 0);
  let count = 0;
  for (let begin = 0; begin < addresses.length; begin += together) {
    const perBank = new Map<number, number[]>();
    let most = 1;
    for (const address of addresses.slice(begin, begin + together)) {
      let own = 0;
      for (let byte = 0; byte < bytes; byte += wordBytes) {
        const word = Math.floor((address + byte) / wordBytes);
        const words = perBank.get(word % banks) ?? [];
        if (!words.includes(word)) words.push(word);
        perBank.set(word % banks, words);
        own = Math.max(own, words.indexOf(word));
      }
      wavefront.push(count + own);
      most = Math.max(most, own + 1);
    }
    for (const [bank, words] of perBank) wanted[bank] = Math.max(wanted[bank] ?? 0, words.length);
    count += most;
  }
  return { wavefront, wavefronts: count, wanted };
}
