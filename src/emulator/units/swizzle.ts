/**
 * Swizzles of shared memory (PTX ISA 5.5.7): the 16-byte chunk of a 128-byte line changes places by the number of the line,
 * counted in absolute addresses.
 */
import type { Swizzle } from "../../types.ts";

/** Which bits of the line's number go into the chunk's. */
export const swizzleMask: Readonly<Record<Swizzle, number>> = { none: 0, "32B": 1, "64B": 3, "128B": 7 };

/** Where the byte of an address lies. Addresses of one block: below 2 ** 31. */
export const swizzled = (address: number, mask: number): number => address ^ (((address >> 7) & mask) << 4);

export interface Linear {
  readonly bytes: Uint8Array;
  readonly offset: number;
}

/** Shared memory as a swizzle sees it: `place` is the address of `bytes[0]` in its block. */
export interface SwizzledBytes {
  readonly bytes: Uint8Array;
  readonly place: number;
  readonly mask: number;
}

/** Copies bytes to the image that begins at an address of the block. */
export function copyIn(shared: SwizzledBytes, address: number, from: Linear, length: number): void {
  if (shared.mask === 0) {
    shared.bytes.set(from.bytes.subarray(from.offset, from.offset + length), address - shared.place);
    return;
  }
  if (wordCopy(shared, address, from, length, true)) return;
  for (let i = 0; i < length; i += 1) {
    shared.bytes[swizzled(address + i, shared.mask) - shared.place] = from.bytes[from.offset + i] ?? 0;
  }
}

/** Copies bytes from the image that begins at an address of the block. */
export function copyOut(shared: SwizzledBytes, address: number, to: Linear, length: number): void {
  if (shared.mask === 0) {
    const start = address - shared.place;
    to.bytes.set(shared.bytes.subarray(start, start + length), to.offset);
    return;
  }
  if (wordCopy(shared, address, to, length, false)) return;
  for (let i = 0; i < length; i += 1) {
    to.bytes[to.offset + i] = shared.bytes[swizzled(address + i, shared.mask) - shared.place] ?? 0;
  }
}

/** The same by words of 4 bytes, a chunk at a time; false where something is not aligned to them. */
function wordCopy(shared: SwizzledBytes, address: number, linear: Linear, length: number, isIn: boolean): boolean {
  const start = linear.bytes.byteOffset + linear.offset;
  if (((start | shared.bytes.byteOffset | shared.place) & 3) !== 0 || (address & 15) !== 0 || (length & 15) !== 0) return false;
  const image = new Int32Array(shared.bytes.buffer, shared.bytes.byteOffset, shared.bytes.length >> 2);
  const line = new Int32Array(linear.bytes.buffer, start, length >> 2);
  const { mask, place } = shared;
  for (let i = 0; i < length; i += 16) {
    const a = (swizzled(address + i, mask) - place) >> 2;
    const b = i >> 2;
    if (isIn) {
      image[a] = line[b] ?? 0;
      image[a + 1] = line[b + 1] ?? 0;
      image[a + 2] = line[b + 2] ?? 0;
      image[a + 3] = line[b + 3] ?? 0;
    } else {
      line[b] = image[a] ?? 0;
      line[b + 1] = image[a + 1] ?? 0;
      line[b + 2] = image[a + 2] ?? 0;
      line[b + 3] = image[a + 3] ?? 0;
    }
  }
  return true;
}
