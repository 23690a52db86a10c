/** Where elements of shared memory lie, and what an access of a warp takes. Shared memory has 32 banks of 4 bytes. */

import { elementBytes } from "../../base/element-types.ts";
import { addressing, plainShared, sharedLayout, swizzledShared } from "../../layout/index.ts";
import type { Buffer } from "../ir/types.ts";
import { refuse, shapeOf } from "./laid-out.ts";

export const [banks, wordBytes] = [32, 4];

/** The byte at which an element begins, from that of the first: as the kernel lays the buffer out. W5545. */
export function addressesIn(buffer: Buffer): (element: readonly number[]) => number {
  const { padding = 0, swizzle, name } = buffer;
  const bytes = elementBytes[buffer.dtype];
  const extents = shapeOf(buffer);
  const strides = extents.map((_, d) =>
    extents.slice(d + 1).reduce((n, x, i) => n * (d + 1 + i === extents.length - 1 ? x + padding : x), bytes),
  );
  if (swizzle === undefined) return (element) => element.reduce((sum, i, d) => sum + i * (strides[d] ?? bytes), 0);
  const named = (values: readonly number[]): Record<string, number> => Object.fromEntries(values.map((n, d) => [`d${d}`, n]));
  const shape = named(extents);
  if (swizzle === "xor" && extents.some((n) => n !== 2 ** Math.round(Math.log2(n))))
    refuse(`'${name}'`, "its rows are permuted, and an extent is no power of two");
  const layout =
    swizzle === "xor"
      ? plainShared(swizzledShared({ shape, elementBytes: bytes, vector: 16 / bytes, perPhase: 1, maxPhase: 8 }))
      : sharedLayout({ shape, elementBytes: bytes, swizzle });
  const address = addressing(layout);
  return (element) => address(named(element));
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
