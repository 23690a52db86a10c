/**
 * Registers whose content is undefined while wgmma works on them (PTX ISA 9.7.15.7): NaN stands in them, and what wgmma knows of
 * them is kept here, until the last product on them has landed.
 */
import { spoiltByte } from "./async-queue.ts";
import type { WarpRegisters } from "./types.ts";

const lanes = 32;
const spoilt = spoiltByte * 0x01010101;

interface HeldRow {
  readonly values: Int32Array;
  /** Products on it that are under way. */
  products: number;
}

const heldBy = new WeakMap<WarpRegisters, Map<number, HeldRow>>();

function rowsHeldBy(warp: WarpRegisters): Map<number, HeldRow> {
  const known = heldBy.get(warp) ?? new Map<number, HeldRow>();
  heldBy.set(warp, known);
  return known;
}

/** One more product is under way on these rows. */
export function holdRows(warp: WarpRegisters, rows: readonly number[]): void {
  const held = rowsHeldBy(warp);
  for (const row of rows) {
    const known = held.get(row);
    if (known) known.products += 1;
    else held.set(row, { values: warp.i32.slice(row, row + lanes), products: 1 });
    warp.i32.fill(spoilt, row, row + lanes);
  }
}

/** Puts back what was there, for a product that lands. */
export function restoreRows(warp: WarpRegisters, rows: readonly number[]): void {
  const held = rowsHeldBy(warp);
  for (const row of rows) {
    const known = held.get(row);
    if (known) warp.i32.set(known.values, row);
  }
}

/** A product has landed: its rows are there, if no other is under way on them. */
export function releaseRows(warp: WarpRegisters, rows: readonly number[]): void {
  const held = rowsHeldBy(warp);
  for (const row of rows) {
    const known = held.get(row);
    if (!known) continue;
    known.products -= 1;
    if (known.products === 0) held.delete(row);
    else {
      known.values.set(warp.i32.subarray(row, row + lanes));
      warp.i32.fill(spoilt, row, row + lanes);
    }
  }
}
