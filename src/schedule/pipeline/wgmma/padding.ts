/**
 * A product that tiles do not divide, on matrices that they do: copies of A and B with zeros, what is computed of the product over all of its tiles, and
 * a copy back of what belongs to the result. Passes compute the copies where tiles are moved; TMA makes both with the copies of tiles.
 */

import { readBuffers, writtenBuffers } from "../../facts/touches.ts";
import type { Buffer } from "../../ir/types.ts";
import { blocksOf } from "../../ir/walk.ts";
import type { BlockRef, Schedule } from "../../schedule.ts";
import type { Padding, WgmmaWorking } from "./working.ts";

/** Pads the product and the blocks behind it. */
export function padShape({ sch, plan, product }: WgmmaWorking): Padding | undefined {
  const { pad, contraction } = plan;
  if (!pad) return undefined;
  const operands: BlockRef[] = [];
  let back = apart(sch, product, sch.pad(product, pad.product), operands);
  for (const [n, { name }] of contraction.after.entries()) {
    if (back) sch.computeInline(back);
    const block = sch.getBlock(name);
    const beside: BlockRef[] = [];
    back = apart(sch, block, sch.pad(block, pad.after[n] ?? []), beside);
    for (const copy of beside) sch.computeInline(copy);
  }
  return { operands, back };
}

/** Of copies around a block the one behind it; those before it go into `before`. */
function apart(sch: Schedule, block: BlockRef, copies: readonly BlockRef[], before: BlockRef[]): BlockRef | undefined {
  const behind = new Set(sch.getConsumers(block).map((b) => b.name));
  for (const copy of copies) if (!behind.has(copy.name)) before.push(copy);
  return copies.find((c) => behind.has(c.name));
}

/** The buffer that the product reads in the place of a matrix: its copy, or itself. */
export function paddedOperand(
  { sch, padding }: WgmmaWorking,
  buffer: Buffer,
): { readonly buffer: Buffer; readonly copy?: BlockRef } {
  for (const copy of padding?.operands ?? []) {
    const block = blocksOf(sch.program).find((b) => b.name === copy.name);
    const [made] = block && readBuffers(block).includes(buffer) ? writtenBuffers(block) : [];
    if (made) return { buffer: made, copy };
  }
  return { buffer };
}
