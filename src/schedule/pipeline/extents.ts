/** Rows, columns and summands of a tile, or of an instruction. */
export interface Extents {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}
