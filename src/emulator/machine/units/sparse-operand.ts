/**
 * Sparse A of `wgmma.mma_async.sp` (PTX ISA 9.7.15.6): half of its elements are stored, in their order; metadata say where along K they
 * stand. A row has 4 bits for each chunk of 4 elements, two indices of 2 bits, the one of the first stored element lowest. For tf32 a chunk is 2
 * elements, counted in halves.
 */
import { KernelFault } from "../fault.ts";
import { inputBytes } from "./register-elements.ts";
import type { SparseMetadata, WgmmaInput } from "./types.ts";

const rows = 64;

/** The 4 bits of chunk `chunk` of a row of A: which thread of four has them, and where. */
function chunkBits({ words, selector }: SparseMetadata, bytes: number, row: number, chunk: number): number {
  const [group, upper] = [row & 7, (row >> 3) & 1];
  // 8-bit types: all four threads; a thread has 8 chunks of one row. Else two of them; a thread has 4 chunks of two rows.
  const [thread, shift] =
    bytes === 1 ? [upper + 2 * (chunk >> 3), 4 * (chunk & 7)] : [2 * selector + (chunk >> 2), 16 * upper + 4 * (chunk & 3)];
  return ((words[row >> 4]?.[4 * group + thread] ?? 0) >>> shift) & 15;
}

/** Where along K the stored elements stand: element (row, e) at e * 64 + row. */
export function storedColumns(metadata: SparseMetadata, type: WgmmaInput): Int32Array {
  const bytes = inputBytes[type];
  const depth = 32 / bytes;
  const columns = new Int32Array(rows * depth);
  for (let row = 0; row < rows; row += 1) {
    for (let e = 0; e < depth; e += 1) {
      const chunk = bytes === 4 ? e : e >> 1;
      const bits = chunkBits(metadata, bytes, row, chunk);
      const [first, second] = [bits & 3, bits >> 2];
      const known = bytes === 4 ? bits === 0b0100 || bits === 0b1110 : first !== second;
      if (!known)
        throw new KernelFault(`it used metadata that mean nothing: 0x${bits.toString(16)} for chunk ${chunk} of row ${row} of A`);
      columns[e * rows + row] = bytes === 4 ? 2 * e + (first >> 1) : 4 * chunk + (e & 1 ? second : first);
    }
  }
  return columns;
}

/** out[i * n + j] = sum over the stored elements e of a[e * 64 + i] * b[columns[e * 64 + i] * n + j], from +0, each rounded to f32. */
export function multiplyStored(
  out: Float32Array,
  a: Float32Array,
  columns: Int32Array,
  b: Float32Array,
  n: number,
  depth: number,
): void {
  out.fill(0, 0, rows * n);
  for (let i = 0; i < rows; i += 1) {
    for (let e = 0; e < depth; e += 1) {
      const x = a[e * rows + i] as number;
      const from = (columns[e * rows + i] as number) * n;
      const to = i * n;
      for (let j = 0; j < n; j += 1) out[to + j] = (out[to + j] as number) + Math.fround(x * (b[from + j] as number));
    }
  }
}
