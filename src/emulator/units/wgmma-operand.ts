/**
 * What wgmma reads of A and B, as f32 (PTX ISA 9.7.15.5): tiles behind matrix descriptors, and A's fragments in registers. Every
 * type's values and products are exact in f32. A tile is K rows of `extent` numbers: element (mn, k) at k * extent + mn.
 */
import { fail } from "../../diag/index.ts";
import { floatTable } from "./floats.ts";
import { byteTable, inputBytes, registerReader } from "./register-elements.ts";
import { hex } from "./shared-place.ts";
import { swizzled } from "./swizzle.ts";
import type { DescriptorBits, SharedWindow, WarpRegisters, WgmmaInput } from "./types.ts";

export interface MatrixDescriptor {
  /** Addresses and offsets in bytes. */
  readonly start: number;
  readonly leading: number;
  readonly stride: number;
  /** 16-byte chunks in a row of the swizzle's atom: 1, 2, 4 or 8. */
  readonly width: 1 | 2 | 4 | 8;
}

/** Bits 62 and 63: no swizzle, 128, 64 and 32 bytes. */
const widths = [1, 8, 4, 2] as const;

/** PTX ISA 9.7.15.5.1.2.2. W9120. */
export function readDescriptor({ low, high }: DescriptorBits, operand: string): MatrixDescriptor {
  const offset = (high >>> 17) & 7;
  if (offset !== 0) fail("W9120", { operand, offset });
  return {
    start: (low & 0x3fff) << 4,
    leading: ((low >>> 16) & 0x3fff) << 4,
    stride: (high & 0x3fff) << 4,
    width: widths[high >>> 30] ?? 1,
  };
}

/** Elements along K of one instruction: 32 bytes. */
export const depthOf = (type: WgmmaInput): number => 32 / inputBytes[type];

interface Tile {
  readonly values: Float32Array;
  readonly extent: number;
}

/** Writes the values of consecutive elements, the first at index `at`, the next ones `step` further each. */
type Unpack = (tile: Float32Array, at: number, step: number, byte: number) => void;

function unpackerOf(type: WgmmaInput, bytes: Uint8Array): Unpack {
  if (inputBytes[type] === 1) return unpackBytes(byteTable(type), bytes);
  const size = Math.floor(bytes.length / inputBytes[type]);
  if (type === "tf32") return unpackTf32(new Int32Array(bytes.buffer, bytes.byteOffset, size));
  const halves = new Uint16Array(bytes.buffer, bytes.byteOffset, size);
  return type === "bf16" ? unpackBf16(halves) : unpackF16(floatTable("f16"), halves);
}

const unpackF16 =
  (table: Float32Array, halves: Uint16Array): Unpack =>
  (tile, at, step, byte) => {
    const first = byte >> 1;
    for (let i = 0; i < 8; i += 1) tile[at + i * step] = table[halves[first + i] ?? 0] ?? 0;
  };

const unpackBf16 = (halves: Uint16Array): Unpack => {
  return (tile, at, step, byte) => {
    const words = wordsOf(tile);
    const first = byte >> 1;
    for (let i = 0; i < 8; i += 1) words[at + i * step] = (halves[first + i] ?? 0) << 16;
  };
};

/** The tensor core does not look at the lowest 13 bits. */
const unpackTf32 = (source: Int32Array): Unpack => {
  return (tile, at, step, byte) => {
    const words = wordsOf(tile);
    const first = byte >> 2;
    for (let i = 0; i < 4; i += 1) words[at + i * step] = (source[first + i] ?? 0) & 0xffffe000;
  };
};

const unpackBytes =
  (table: Float32Array, bytes: Uint8Array): Unpack =>
  (tile, at, step, byte) => {
    for (let i = 0; i < 16; i += 1) tile[at + i * step] = table[bytes[byte + i] ?? 0] ?? 0;
  };

const wordViews = new WeakMap<Float32Array, Int32Array>();

/** The same numbers as bits. */
function wordsOf(tile: Float32Array): Int32Array {
  const known = wordViews.get(tile);
  if (known) return known;
  const words = new Int32Array(tile.buffer, tile.byteOffset, tile.length);
  wordViews.set(tile, words);
  return words;
}

/** A tile behind a descriptor. W9120–W9122. */
export function gatherTile(
  tile: Tile,
  type: WgmmaInput,
  bits: DescriptorBits,
  transposed: boolean,
  shared: SharedWindow,
  operand: string,
): void {
  const descriptor = readDescriptor(bits, operand);
  if (transposed && inputBytes[type] !== 2) fail("W9122", { type });
  const chunkAt = chunkReader(tile.values, unpackerOf(type, shared.bytes), descriptor, shared, operand);
  if (transposed) gatherMnMajor(tile, descriptor, chunkAt);
  else gatherKMajor(tile, descriptor, 16 / inputBytes[type], chunkAt);
}

/** Unpacks the chunk that lies at an offset from the start. */
type ChunkAt = (offset: number, at: number, step: number) => void;

function chunkReader(
  tile: Float32Array,
  unpack: Unpack,
  descriptor: MatrixDescriptor,
  shared: SharedWindow,
  operand: string,
): ChunkAt {
  const mask = descriptor.width - 1;
  const base = shared.base % 2 ** 24;
  const last = shared.bytes.length - 16;
  const { start } = descriptor;
  return (offset, at, step) => {
    // 18 bits, as the descriptor has them.
    const address = swizzled((start + offset) & 0x3ffff, mask);
    const byte = address - base;
    if (byte < 0 || byte > last) fail("W9121", { operand, address: hex(address) });
    unpack(tile, at, step, byte);
  };
}

/** Rows of 32 bytes of K, in atoms of 8 rows (9.7.15.5.1.1, K-major). */
function gatherKMajor({ values, extent }: Tile, descriptor: MatrixDescriptor, perChunk: number, chunkAt: ChunkAt): void {
  const { leading, stride, width } = descriptor;
  const second = width === 1 ? leading : 16;
  if (values.length < 2 * perChunk * extent) throw new RangeError("the tile is too small");
  for (let row = 0; row < extent; row += 1) {
    const offset = (row & 7) * 16 * width + (row >> 3) * stride;
    chunkAt(offset, row, extent);
    chunkAt(offset + second, perChunk * extent + row, extent);
  }
}

/** Rows of M or N, 16 of them along K (9.7.15.5.1.1, MN-major; 16-bit types). */
function gatherMnMajor({ extent }: Tile, { leading, stride, width }: MatrixDescriptor, chunkAt: ChunkAt): void {
  for (let c = 0; c < extent / 8; c += 1) {
    const across = width === 1 ? c * stride : (c % width) * 16 + Math.floor(c / width) * leading;
    for (let k = 0; k < 16; k += 1) {
      const along = (k & 7) * 16 * width + (k >> 3) * (width === 1 ? leading : stride);
      chunkAt(across + along, k * extent + 8 * c, 1);
    }
  }
}

/** A's fragments (9.7.15.5.1.3.1): four registers per lane, 64 rows over four warps. */
export function gatherFragments(tile: Tile, type: WgmmaInput, warps: readonly WarpRegisters[], rows: readonly number[]): void {
  const size = inputBytes[type];
  const perRegister = 4 / size;
  const packed = new Uint8Array(4);
  const value = registerReader(type, packed);
  const word = new Int32Array(packed.buffer);
  for (let i = 0; i < 4; i += 1) {
    for (let row = 0; row < 64; row += 1) {
      const registers = warps[row >> 4]?.i32;
      if ((row & 8) >> 3 !== (i & 1) || !registers) continue;
      for (let t = 0; t < 4; t += 1) {
        word[0] = registers[(rows[i] ?? 0) + 4 * (row & 7) + t] ?? 0;
        const k = perRegister * t + 4 * perRegister * (i >> 1);
        for (let e = 0; e < perRegister; e += 1) tile.values[(k + e) * tile.extent + row] = value(e);
      }
    }
  }
}
