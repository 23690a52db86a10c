/** Where the operands of wgmma lie in shared memory: matrix descriptors, and the walk over what they describe (PTX ISA 9.7.15.5.1). */
import { fail } from "../../errors/index.ts";
import { KernelFault } from "../fault.ts";
import { inputBytes } from "./register-elements.ts";
import { hex } from "./shared-place.ts";
import { swizzled } from "./swizzle.ts";
import type { DescriptorBits, SharedWindow, WgmmaInput } from "./types.ts";

interface MatrixDescriptor {
  /** Addresses and offsets in bytes. */
  readonly start: number;
  readonly leading: number;
  readonly stride: number;
  /** 16-byte chunks in a row of the swizzle's atom: 1, 2, 4 or 8. */
  readonly width: 1 | 2 | 4 | 8;
  /** Lines of 128 bytes that the pattern of the swizzle begins after a multiple of its own size (docs/hardware.md). */
  readonly lines: number;
}

/** Bits 62 and 63: no swizzle, 128, 64 and 32 bytes. */
const widths = [1, 8, 4, 2] as const;

/** PTX ISA 9.7.15.5.1.2.2. */
function readDescriptor({ low, high }: DescriptorBits): MatrixDescriptor {
  return {
    start: (low & 0x3fff) << 4,
    leading: ((low >>> 16) & 0x3fff) << 4,
    stride: (high & 0x3fff) << 4,
    width: widths[high >>> 30] ?? 1,
    lines: (high >>> 17) & 7,
  };
}

/**
 * Offsets from the start. Rows of so many chunks of K, 2 for each step of 32 bytes, in atoms of 8 rows: chunk j of row r is number
 * r * chunks + j (9.7.15.5.1.1, K-major).
 */
function kMajorOffsets({ leading, stride, width }: MatrixDescriptor, extent: number, chunks: number): Int32Array {
  const offsets = new Int32Array(chunks * extent);
  for (let row = 0; row < extent; row += 1) {
    const offset = (row & 7) * 16 * width + (row >> 3) * stride;
    for (let j = 0; j < chunks; j += 1) offsets[chunks * row + j] = offset + j * (width === 1 ? leading : 16);
  }
  return offsets;
}

/** Rows of M or N, `depth` of them along K: chunk depth * c + k is elements 8 c to 8 c + 7 at k (MN-major; 16-bit types). */
function mnMajorOffsets({ leading, stride, width }: MatrixDescriptor, extent: number, depth: number): Int32Array {
  const offsets = new Int32Array((depth * extent) / 8);
  for (let i = 0; i < offsets.length; i += 1) {
    const [c, k] = [Math.floor(i / depth), i % depth];
    const across = width === 1 ? c * stride : (c % width) * 16 + Math.floor(c / width) * leading;
    offsets[i] = across + (k & 7) * 16 * width + (k >> 3) * (width === 1 ? leading : stride);
  }
  return offsets;
}

/** From the start of the operand to the window. W9121. */
function placeIn(shared: SharedWindow, descriptor: MatrixDescriptor, offsets: Int32Array, operand: string): Int32Array {
  const base = shared.base % 2 ** 24;
  const last = shared.bytes.length - 16;
  return offsets.map((offset) => {
    // 18 bits, as the descriptor has them.
    const address = swizzled((descriptor.start + offset) & 0x3ffff, descriptor.width - 1, descriptor.lines);
    if (address < base || address - base > last) fail("W9121", { operand, address: hex(address) });
    return address - base;
  });
}

/** Operands of windows of one size. A kernel has few, and uses them again and again. */
interface Known {
  readonly place: number;
  readonly bytes: number;
  /** Those of one step along K, and of two. */
  readonly operands: readonly [Map<number, Int32Array>, Map<number, Int32Array>];
}
const nothingKnown = (place: number, bytes: number): Known => ({ place, bytes, operands: [new Map(), new Map()] });
let known = nothingKnown(0, 0);
const mostKnown = 2048;

function operandsIn({ base, bytes }: SharedWindow, steps: 1 | 2): Map<number, Int32Array> {
  const place = base % 2 ** 24;
  const full = known.operands.some((operands) => operands.size >= mostKnown);
  if (known.place !== place || known.bytes !== bytes.length || full) known = nothingKnown(place, bytes.length);
  return known.operands[steps === 1 ? 0 : 1];
}

/** All that the offsets depend on: 47 bits of the descriptor, the extent in eights, the order. Below 2 ** 53. */
const keyOf = ({ low, high }: DescriptorBits, extent: number, transposed: boolean): number =>
  (((low & 0x3fff) * 2 ** 14 + ((low >>> 16) & 0x3fff)) * 2 ** 14 + (high & 0x3fff)) * 2 ** 11 +
  (high >>> 30) * 2 ** 9 +
  ((high >>> 17) & 7) * 2 ** 6 +
  ((extent >> 3) - 1) * 2 +
  (transposed ? 1 : 0);

/**
 * The 16-byte chunks that an operand of wgmma is read from, as offsets into the window; `extent` is M or N. Their order is that of
 * the walk: K-major two for each row and step, transposed 16 (along K) and step for each 8 elements. A step is 32 bytes of K; B has two of
 * them where A is sparse. W9121, W9122.
 */
export function operandChunks(
  bits: DescriptorBits,
  type: WgmmaInput,
  extent: number,
  transposed: boolean,
  shared: SharedWindow,
  operand: string,
  steps: 1 | 2 = 1,
): Int32Array {
  if (transposed && inputBytes[type] !== 2) fail("W9122", { type });
  const descriptor = readDescriptor(bits);
  // Rows of an atom have 32 bytes, and nothing says where the others lie.
  if (steps === 2 && !transposed && descriptor.width === 2)
    throw new KernelFault(`it used ${operand} of a sparse wgmma with a swizzle of 32 bytes, and 64 of each row along K`);
  const operands = operandsIn(shared, steps);
  const key = keyOf(bits, extent, transposed);
  const found = operands.get(key);
  if (found) return found;
  const offsets = transposed ? mnMajorOffsets(descriptor, extent, 16 * steps) : kMajorOffsets(descriptor, extent, 2 * steps);
  const chunks = placeIn(shared, descriptor, offsets, operand);
  operands.set(key, chunks);
  return chunks;
}
