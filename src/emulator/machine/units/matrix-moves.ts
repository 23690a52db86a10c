/** `ldmatrix` and `stmatrix` of 8 x 8 matrices of 16-bit elements (PTX ISA 9.7.14.5.15, 9.7.14.5.16). */
import { offsetIn } from "./shared-place.ts";
import type { SharedWindow, WarpRegisters } from "./types.ts";

const rowBytes = 16;

/**
 * Moves one 32-bit register per lane and matrix: lane l holds row l / 4, columns 2 (l % 4) and one more; transposed, column and
 * rows. `addresses[8 i + r]` is the address of row r of matrix i. `rows[i]` names the register of matrix i. W9111, W9112.
 */
type MatrixMove = (
  shared: SharedWindow,
  addresses: ArrayLike<number>,
  transposed: boolean,
  registers: WarpRegisters,
  rows: readonly number[],
) => void;

const checkedRows = (shared: SharedWindow, addresses: ArrayLike<number>, matrix: number): number[] =>
  Array.from({ length: 8 }, (_, r) => offsetIn(shared, addresses[8 * matrix + r] ?? 0, rowBytes, rowBytes, "a row of a matrix"));

/** Byte of the low (part 0) or high element of a lane's register. */
function place(starts: readonly number[], lane: number, part: number, transposed: boolean): number {
  const major = lane >> 2;
  const minor = 2 * (lane & 3) + part;
  return transposed ? (starts[minor] ?? 0) + 2 * major : (starts[major] ?? 0) + 2 * minor;
}

export const loadMatrices: MatrixMove = (shared, addresses, transposed, registers, rows) => {
  const { bytes } = shared;
  const half = (at: number): number => (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
  const loaded = rows.map((_, matrix) => {
    const starts = checkedRows(shared, addresses, matrix);
    return Int32Array.from(
      { length: 32 },
      (_, lane) => half(place(starts, lane, 0, transposed)) | (half(place(starts, lane, 1, transposed)) << 16),
    );
  });
  // The addresses may lie in a register that is written.
  loaded.forEach((words, matrix) => void registers.i32.set(words, rows[matrix] ?? 0));
};

export const storeMatrices: MatrixMove = (shared, addresses, transposed, registers, rows) => {
  const { bytes } = shared;
  rows.forEach((row, matrix) => {
    const starts = checkedRows(shared, addresses, matrix);
    for (let lane = 0; lane < 32; lane += 1) {
      const word = registers.i32[row + lane] ?? 0;
      const low = place(starts, lane, 0, transposed);
      const high = place(starts, lane, 1, transposed);
      bytes[low] = word;
      bytes[low + 1] = word >> 8;
      bytes[high] = word >> 16;
      bytes[high + 1] = word >> 24;
    }
  });
};
