/**
 * What wgmma reads of A and B, as f32 (PTX ISA 9.7.15.5): tiles behind matrix descriptors, and A's fragments in registers. Every
 * type's values and products are exact in f32. A tile is K rows of `extent` numbers: element (mn, k) at k * extent + mn.
 */
import { floatTable } from "./floats.ts";
import { operandChunks } from "./operand-chunks.ts";
import { byteTable, inputBytes, registerReader } from "./register-elements.ts";
import type { DescriptorBits, SharedWindow, WarpRegisters, WgmmaInput } from "./types.ts";

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

/** A tile behind a descriptor, of one or two steps of 32 bytes along K. W9121, W9122. */
export function gatherTile(
  tile: Tile,
  type: WgmmaInput,
  bits: DescriptorBits,
  transposed: boolean,
  shared: SharedWindow,
  operand: string,
  steps: 1 | 2 = 1,
): void {
  const { values, extent } = tile;
  const unpack = unpackerOf(type, shared.bytes);
  const chunks = operandChunks(bits, type, extent, transposed, shared, operand, steps);
  if (values.length < steps * depthOf(type) * extent) throw new RangeError("the tile is too small");
  if (transposed) {
    const mask = 16 * steps - 1;
    const shift = 3 + steps;
    for (let i = 0; i < chunks.length; i += 1) unpack(values, (i & mask) * extent + 8 * (i >> shift), 1, chunks[i] as number);
    return;
  }
  const next = (16 / inputBytes[type]) * extent;
  const perRow = 2 * steps;
  for (let row = 0; row < extent; row += 1)
    for (let j = 0; j < perRow; j += 1) unpack(values, j * next + row, extent, chunks[perRow * row + j] as number);
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
