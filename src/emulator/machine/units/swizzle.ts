/**
 * Swizzles of shared memory (PTX ISA 5.5.7): the 16-byte chunk of a 128-byte line changes places by the number of the line,
 * counted in absolute addresses. The compiler's are in passes/tile-level/expand/addresses.ts and layout/modes.
 */
import type { Swizzle } from "../../../base/types.ts";

/** Which bits of the line's number go into the chunk's. */
export const swizzleMask: Readonly<Record<Swizzle, number>> = { none: 0, "32B": 1, "64B": 3, "128B": 7 };

/** Where the byte of an address lies. Addresses of one block: below 2 ** 31. `first`: the line that the pattern begins at. */
export const swizzled = (address: number, mask: number, first = 0): number => address ^ ((((address >> 7) - first) & mask) << 4);

/** Bytes with a view of them as words; without, where they are not aligned to 4. */
export interface Line {
  readonly bytes: Uint8Array;
  readonly words: Int32Array | undefined;
}

export const lineOf = (bytes: Uint8Array): Line => ({
  bytes,
  words: bytes.byteOffset % 4 === 0 ? new Int32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 4)) : undefined,
});

/** Shared memory as a swizzle sees it: `place` is the address of byte 0 in its block. */
export interface Image extends Line {
  readonly place: number;
  readonly mask: number;
}

/** Copies bytes of a line, from `offset` on, to the image at an address of the block. */
export function copyIn(image: Image, address: number, from: Line, offset: number, length: number): void {
  const { bytes, place, mask } = image;
  if (mask === 0) {
    bytes.set(from.bytes.subarray(offset, offset + length), address - place);
    return;
  }
  if (image.words && from.words && inWords(address | length, offset | place)) {
    moveWords(image, from, true, address, offset / 4, length);
    return;
  }
  for (let i = 0; i < length; i += 1) bytes[swizzled(address + i, mask) - place] = from.bytes[offset + i] ?? 0;
}

/** Copies bytes of the image at an address of the block to a line, from `offset` on. */
export function copyOut(image: Image, address: number, to: Line, offset: number, length: number): void {
  const { bytes, place, mask } = image;
  if (mask === 0) {
    to.bytes.set(bytes.subarray(address - place, address - place + length), offset);
    return;
  }
  if (image.words && to.words && inWords(address | length, offset | place)) {
    moveWords(image, to, false, address, offset / 4, length);
    return;
  }
  for (let i = 0; i < length; i += 1) to.bytes[offset + i] = bytes[swizzled(address + i, mask) - place] ?? 0;
}

/** Whether whole chunks move, and both sides begin at words. */
const inWords = (chunks: number, words: number): boolean => (chunks & 15) === 0 && (words & 3) === 0;

/** Moves whole chunks into the image, or out of it. `first`: the first word of the line. */
function moveWords(
  { words, place, mask }: Image,
  line: Line,
  into: boolean,
  address: number,
  first: number,
  length: number,
): void {
  const from = (into ? line.words : words) as Int32Array;
  const to = (into ? words : line.words) as Int32Array;
  for (let i = 0; i < length; i += 16) {
    const a = (swizzled(address + i, mask) - place) >> 2;
    const b = first + (i >> 2);
    const source = into ? b : a;
    const target = into ? a : b;
    to[target] = from[source] ?? 0;
    to[target + 1] = from[source + 1] ?? 0;
    to[target + 2] = from[source + 2] ?? 0;
    to[target + 3] = from[source + 3] ?? 0;
  }
}
