/** Which bits of memory nothing has written: by byte in the region itself; of bytes that a store has left half defined, here. */
import { type LaneAccesses, lineBytes } from "../../../machine/lane-accesses.ts";
import type { Region } from "../../../machine/memory.ts";
import { firstUnwritten, forgetWritten, markWritten, type WrittenBytes } from "../../../machine/written-bytes.ts";

/** Shared and local memory begin unwritten; global memory is tracked where it was allocated, and what is not counts as written. */
const writtenOf = (region: Region): WrittenBytes | undefined =>
  region.written ?? (region.space === "global" ? undefined : region.track());

const byteBits = 255;
/** Words of `WrittenBytes` that a line has. */
const wordsOfLine = lineBytes / 32;

export class UndefinedMemory {
  /** Bits of bytes that are written in part, by offset. */
  readonly #partial = new WeakMap<Region, Map<number, number>>();
  /** There have been such bytes. */
  #some = false;

  /** Of the bytes of a range the first that is not defined as a whole; -1 where all are. */
  first(region: Region, offset: number, bytes: number): number {
    const written = writtenOf(region);
    const missing = written ? firstUnwritten(written, offset, bytes) : -1;
    const partial = this.#partial.get(region);
    if (!partial || partial.size === 0) return missing;
    const end = missing < 0 ? offset + bytes : missing;
    for (let at = offset; at < end; at++) if (partial.has(at)) return at;
    return missing;
  }

  /** The undefined bits of a range, lowest byte first. */
  bitsOf(region: Region, offset: number, bytes: number): bigint {
    if (this.first(region, offset, bytes) < 0) return 0n;
    const written = writtenOf(region);
    const partial = this.#partial.get(region);
    let bits = 0n;
    for (let n = 0; n < bytes; n++) {
      const missing = written !== undefined && firstUnwritten(written, offset + n, 1) >= 0;
      bits |= BigInt(missing ? byteBits : (partial?.get(offset + n) ?? 0)) << BigInt(8 * n);
    }
    return bits;
  }

  /** Whether all bytes of whole words are known to be defined; of parts of words nothing is known here. */
  areDefined(accesses: LaneAccesses): boolean {
    return this.#wholeWords(accesses, false);
  }

  /** Defines all bytes; does nothing and gives false where lanes have to do with parts of words, or stores have left some half defined. */
  defineAll(accesses: LaneAccesses): boolean {
    return this.#wholeWords(accesses, true);
  }

  /** Whether all of their bytes are defined, or become so. */
  #wholeWords({ region, parts, line }: LaneAccesses, define: boolean): boolean {
    const written = writtenOf(region);
    if (this.#isPartial(region)) return false;
    if (!written) return true;
    if (!parts) return false;
    for (let p = 0; p < parts.length; p++) {
      const part = parts[p] as (typeof parts)[number];
      const first = (line + part.line) * wordsOfLine;
      for (let i = 0; i < wordsOfLine; i++) {
        const known = written[first + i] as number;
        const missing = (part.bytes[i] as number) & ~known;
        if (missing === 0) continue;
        if (!define) return false;
        written[first + i] = known | missing;
      }
    }
    return true;
  }

  #isPartial(region: Region): boolean {
    if (!this.#some) return false;
    return (this.#partial.get(region)?.size ?? 0) > 0;
  }

  define(region: Region, offset: number, bytes: number): void {
    const written = writtenOf(region);
    if (written) markWritten(written, offset, bytes);
    const partial = this.#partial.get(region);
    if (partial && partial.size > 0) for (let n = 0; n < bytes; n++) partial.delete(offset + n);
  }

  /** As if nobody had written them. */
  forget(region: Region, offset: number, bytes: number): void {
    const written = writtenOf(region);
    if (written) forgetWritten(written, offset, bytes);
  }

  /** A store leaves these bits undefined, all others of its bytes defined. */
  leave(region: Region, offset: number, bytes: number, bits: bigint): void {
    this.define(region, offset, bytes);
    const partial = this.#partial.get(region) ?? new Map<number, number>();
    this.#partial.set(region, partial);
    for (let n = 0; n < bytes; n++) {
      const own = Number((bits >> BigInt(8 * n)) & 255n);
      if (own === byteBits) this.forget(region, offset + n, 1);
      else if (own !== 0) {
        partial.set(offset + n, own);
        this.#some = true;
      }
    }
  }
}
