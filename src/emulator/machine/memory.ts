/**
 * Memory of the emulated machine. Addresses are doubles: all of them lie below 2^53. The windows of generic addresses
 * (PTX ISA 6.4.1.1) are chosen so that no address of one space is one of another.
 */
import { fail } from "../errors/index.ts";
import { KernelFault } from "./fault.ts";
import { markWritten, nothingWritten, type WrittenBytes } from "./written-bytes.ts";

/** Where the shared memory of a program begins: what lies below is reserved, as on the hardware. */
export const sharedOrigin = 0x400;
/** What `%reserved_smem_offset_end` says: cooperative groups have their barriers below it. */
export const reservedEnd = 0x120;
/** Of the block of that rank in its cluster, as an address of shared::cluster (32 bits). */
const sharedBase = (rank: number): number => sharedOrigin + rank * 0x1000000;
/** The rank in the cluster that an address of shared::cluster belongs to. */
export const sharedRank = (address: number): number => (address >>> 24) & 0xff;
/** Clusters have no more blocks. A greater rank is that of an address that was computed wrongly. */
const mostRanks = 16;
/** Refuses the address of a block that a cluster of `size` blocks does not have. W9116. */
export function checkRank(address: number, size: number): void {
  const rank = sharedRank(address);
  if (size > 1 && rank >= size && rank < mostRanks) fail("W9116", { rank, size });
}

/** Generic address of shared address 0, of local address 0. */
export const sharedWindow = 2 ** 44;
export const localWindow = 2 ** 45;
/** Where functions have their addresses: no memory is there. */
export const codeOrigin = 2 ** 46;
const windowBytes = 2 ** 32;
const globalOrigin = 0x7f_0000_0000;
const allocationAlignment = 0x1000;
/** Of one allocation: offsets in it are indices of 32 bits, and no array of this engine has more elements. */
export const mostBytes = 2 ** 32;
/** Between allocations lies at least so much that belongs to nobody. */
const redZone = 0x10000;

/** Which space a generic address names, and the address there. */
export type Generic = { readonly space: "shared" | "local" | "global"; readonly address: number };

export function resolveGeneric(address: number): Generic {
  if (address >= sharedWindow && address < sharedWindow + windowBytes)
    return { space: "shared", address: address - sharedWindow };
  if (address >= localWindow && address < localWindow + windowBytes) return { space: "local", address: address - localWindow };
  return { space: "global", address };
}

/** An allocation that other threads can get, too. */
export interface SharedRegion {
  readonly base: number;
  readonly size: number;
  readonly buffer: SharedArrayBuffer;
  /** Where it is noted: a copy. */
  readonly written?: WrittenBytes | undefined;
}

/** Bytes of a buffer whose views hold so many, whatever their width. */
const roomFor = (size: number): number => Math.min(Math.ceil(size / 16) * 16 + 16, mostBytes);

/** Bytes that begin at an address, with a view for each width. `size` may be less than what the views cover. */
export class Region {
  readonly space: "global" | "shared" | "local";
  readonly base: number;
  readonly size: number;
  /** The words of `base`; the upper one is -1, which no address has, where not all of the region shares it. */
  readonly high: number;
  readonly low: number;
  /** The upper word of its generic addresses; -1, too, where those of each lane are its own. */
  readonly genericHigh: number;
  readonly bytes: Uint8Array;
  readonly i8: Int8Array;
  readonly u16: Uint16Array;
  readonly i16: Int16Array;
  readonly i32: Int32Array;
  readonly u32: Uint32Array;
  readonly f32: Float32Array;
  readonly f64: Float64Array;
  readonly i64: BigInt64Array;
  readonly u64: BigUint64Array;
  /** What has been written, if somebody wants to know; without, all of it counts. */
  written: WrittenBytes | undefined;
  /** So many bytes at its beginning count as written. */
  known = 0;
  /** The host has made it to read what kernels leave there, also of those that fail. */
  ofHost = false;

  constructor(space: Region["space"], base: number, size: number, buffer: ArrayBufferLike = new ArrayBuffer(roomFor(size))) {
    this.space = space;
    this.base = base;
    this.size = size;
    const high = Math.floor(base / 2 ** 32);
    this.high = Math.floor((base + size) / 2 ** 32) === high ? high : -1;
    this.low = base | 0;
    this.genericHigh = space === "local" ? -1 : space === "shared" ? sharedWindow / 2 ** 32 : this.high;
    this.bytes = new Uint8Array(buffer, 0, size);
    this.i8 = new Int8Array(buffer);
    this.u16 = new Uint16Array(buffer);
    this.i16 = new Int16Array(buffer);
    this.i32 = new Int32Array(buffer);
    this.u32 = new Uint32Array(buffer);
    this.f32 = new Float32Array(buffer);
    this.f64 = new Float64Array(buffer);
    this.i64 = new BigInt64Array(buffer);
    this.u64 = new BigUint64Array(buffer);
  }

  /** From now on it is known what has been written: nothing yet. */
  track(): WrittenBytes {
    this.written = nothingWritten(this.size);
    if (this.known > 0) markWritten(this.written, 0, this.known);
    return this.written;
  }

  /** The host has written. Where that is all, nothing need be noted any more. */
  filled(offset: number, bytes: number): void {
    if (offset === 0 && bytes >= this.size) this.written = undefined;
    else if (this.written) markWritten(this.written, offset, bytes);
  }

  holds(address: number, bytes: number): boolean {
    const offset = address - this.base;
    return offset >= 0 && offset + bytes <= this.size;
  }
}

/** A byte of memory, and the region that holds it. */
export interface MemoryLocation {
  readonly region: Region;
  /** From the beginning of the region. */
  readonly offset: number;
}

const hex = (address: number): string => `0x${address.toString(16)}`;

/** Throws what is wrong with an access that no region holds, or that is not aligned. */
export function badAccess(space: string, address: number, bytes: number, nearest: Region | undefined, alignment = bytes): never {
  if (address % alignment !== 0) {
    throw new KernelFault(
      `it used ${bytes} bytes of ${space} memory at ${hex(address)}, which is not a multiple of ${alignment}`,
      { space, address, bytes, aligned: false },
    );
  }
  const where = nearest
    ? `; the nearest that is has ${nearest.size} bytes from ${hex(nearest.base)}`
    : address === 0
      ? ": a null pointer"
      : "";
  const reason = `it used ${bytes} bytes of ${space} memory at ${hex(address)}, which belong to nothing${where}`;
  throw new KernelFault(reason, { space, address, bytes, aligned: true });
}

/** Global memory: allocations, each with a buffer of its own. Addresses that were freed are not used again. */
export class GlobalMemory {
  #regions: Region[] = [];
  #next = globalOrigin;
  /** What was found last. */
  #last: Region | undefined;
  /** What instructions have found last, by their index: for whoever runs them, and to be looked at before it is used. */
  recent: (Region | undefined)[] = [];

  /** All of it is memory that other threads can get, from the beginning. */
  readonly #shares: boolean;

  /** With allocations of another thread. `shares`: whoever holds a region may hold it for as long as it is there. */
  constructor(shared: readonly SharedRegion[] = [], shares = false) {
    this.#shares = shares;
    this.#regions = shared.map(({ base, size, buffer, written }) => {
      const region = new Region("global", base, size, buffer);
      region.written = written;
      return region;
    });
  }

  /** What is allocated, in the order of addresses. */
  get regions(): readonly Region[] {
    return this.#regions;
  }

  /** Bytes of all of it. */
  get size(): number {
    return this.#regions.reduce((bytes, region) => bytes + region.size, 0);
  }

  /** Keeps all of it as it is; gives what puts it back. Nothing may be allocated or freed meanwhile. */
  keep(): () => void {
    const kept = this.#regions.map((region) => ({ region, bytes: region.bytes.slice(), written: region.written?.slice() }));
    return () => {
      for (const { region, bytes, written } of kept) {
        region.bytes.set(bytes);
        region.written = written;
      }
    };
  }

  /** Makes all of it memory that other threads can get; views from before no longer belong to it. */
  share(): readonly SharedRegion[] {
    const shared: SharedRegion[] = [];
    this.#forget();
    this.#regions = this.#regions.map((region) => {
      const { base, size, written } = region;
      const known = region.bytes.buffer;
      const buffer = known instanceof SharedArrayBuffer ? known : new SharedArrayBuffer(roomFor(size));
      shared.push({ base, size, buffer, written });
      if (buffer === known) return region;
      const moved = new Region("global", base, size, buffer);
      moved.bytes.set(region.bytes);
      return moved;
    });
    return shared;
  }

  /** `shared`: other threads can get it. Throws a `RangeError` where there is no room. */
  allocate(bytes: number, shared = this.#shares): Region {
    if (bytes > mostBytes) throw new RangeError("more than an offset counts");
    const buffer = shared ? new SharedArrayBuffer(roomFor(bytes)) : undefined;
    const region = new Region("global", this.#next, bytes, buffer);
    this.#next += Math.ceil((bytes + redZone) / allocationAlignment) * allocationAlignment;
    this.#regions.push(region);
    return region;
  }

  /** Gives false where no allocation begins there. */
  free(base: number): boolean {
    const at = this.#indexAt(base);
    const region = this.#regions[at];
    if (region?.base !== base) return false;
    this.#regions.splice(at, 1);
    this.#forget();
    return true;
  }

  clear(): void {
    this.#regions = [];
    this.#forget();
  }

  #forget(): void {
    this.#last = undefined;
    this.recent = [];
  }

  /** The allocation that holds all of these bytes, if one does. */
  find(address: number, bytes: number): Region | undefined {
    if (this.#last?.holds(address, bytes)) return this.#last;
    const region = this.#regions[this.#indexAt(address)];
    if (!region?.holds(address, bytes)) return undefined;
    this.#last = region;
    return region;
  }

  /** The allocation of an access of 1, 2, 4, 8 or 16 aligned bytes. */
  access(address: number, bytes: number): Region {
    const region = this.find(address, bytes);
    if (!region || address % bytes !== 0) badAccess("global", address, bytes, this.#regions[this.#indexAt(address)]);
    return region;
  }

  /** The bytes of a range that one allocation holds. */
  view(address: number, length: number): { readonly bytes: Uint8Array; readonly offset: number } {
    const region = this.find(address, length);
    if (!region) badAccess("global", address, length, this.#regions[this.#indexAt(address)], 1);
    return { bytes: region.bytes, offset: address - region.base };
  }

  /** The last allocation that begins at or before the address; -1 where there is none. Allocations are in order of their bases. */
  #indexAt(address: number): number {
    let low = 0;
    let high = this.#regions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#regions[middle]?.base ?? 0) <= address) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** The shared memory of the blocks of a cluster, by rank. */
export class SharedMemory {
  readonly blocks: readonly Region[];

  /** `reserved`: with the memory below the program's, which holds zeros. */
  constructor(blocks: number, bytes: number, reserved = false) {
    const below = reserved ? sharedOrigin : 0;
    this.blocks = Array.from({ length: blocks }, (_, rank) => new Region("shared", sharedBase(rank) - below, bytes + below));
    for (const region of this.blocks) region.known = below;
  }

  /** Looks an address of shared::cluster up. */
  find(address: number, bytes: number): Region | undefined {
    const region = this.blocks[sharedRank(address)];
    return region?.holds(address, bytes) ? region : undefined;
  }

  access(address: number, bytes: number): Region {
    const region = this.find(address, bytes);
    if (!region) checkRank(address, this.blocks.length);
    if (!region || address % bytes !== 0) badAccess("shared", address, bytes, this.blocks[sharedRank(address)]);
    return region;
  }
}
