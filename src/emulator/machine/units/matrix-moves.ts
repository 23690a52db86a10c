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

/** Where the rows of all matrices begin. */
const starts = new Int32Array(32);

function findRows(shared: SharedWindow, addresses: ArrayLike<number>, matrices: number): void {
  for (let row = 0; row < 8 * matrices; row += 1)
    starts[row] = offsetIn(shared, addresses[row] ?? 0, rowBytes, rowBytes, "a row of a matrix");
}

/** Byte of the low (part 0) or high element of a lane's register. */
function place(matrix: number, lane: number, part: number, transposed: boolean): number {
  const major = lane >> 2;
  const minor = 2 * (lane & 3) + part;
  return transposed ? (starts[8 * matrix + minor] as number) + 2 * major : (starts[8 * matrix + major] as number) + 2 * minor;
}

export const loadMatrices: MatrixMove = (shared, addresses, transposed, { i32 }, rows) => {
  const { bytes } = shared;
  findRows(shared, addresses, rows.length);
  for (let matrix = 0; matrix < rows.length; matrix += 1) {
    const row = rows[matrix] as number;
    for (let lane = 0; lane < 32; lane += 1) {
      const low = place(matrix, lane, 0, transposed);
      const high = place(matrix, lane, 1, transposed);
      i32[row + lane] =
        (bytes[low] as number) |
        ((bytes[low + 1] as number) << 8) |
        ((bytes[high] as number) << 16) |
        ((bytes[high + 1] as number) << 24);
    }
  }
};

export const storeMatrices: MatrixMove = (shared, addresses, transposed, { i32 }, rows) => {
  const { bytes } = shared;
  findRows(shared, addresses, rows.length);
  for (let matrix = 0; matrix < rows.length; matrix += 1) {
    const row = rows[matrix] as number;
    for (let lane = 0; lane < 32; lane += 1) {
      const word = i32[row + lane] as number;
      const low = place(matrix, lane, 0, transposed);
      const high = place(matrix, lane, 1, transposed);
      bytes[low] = word;
      bytes[low + 1] = word >> 8;
      bytes[high] = word >> 16;
      bytes[high + 1] = word >> 24;
    }
  }
};
