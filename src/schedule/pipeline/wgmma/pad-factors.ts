/** By which multiples a product that tiles do not divide is padded, and the blocks behind it. */
import type { Buffer, Expr } from "../../ir/types.ts";
import { expressions } from "../../ir/walk.ts";
import type { Contraction } from "../contraction.ts";

/** Rows, columns and summands of a block's tile. */
export interface Tile {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/** What `pad` is given for the product, and for each block behind it. */
export interface PadFactors {
  readonly product: readonly number[];
  readonly after: readonly (readonly number[])[];
}

/** For each axis of the product, and of each block behind it, the extent of the tile that it goes over; 1 of what goes over neither rows nor columns. */
export function padFactorsOf({ axes, c, after }: Contraction, { m, n, k }: Tile): PadFactors {
  const product = [0, 1, 2].map((d) => (d === axes.m ? m : d === axes.n ? n : k));
  const ofBuffer = new Map<Buffer, readonly number[]>([[c, [m, n]]]);
  const behind = after.map((block) => {
    const ofAxis = new Map<Expr, number>();
    for (const e of expressions(block.body)) {
      const factors = e.kind === "load" ? ofBuffer.get(e.buffer) : undefined;
      if (e.kind === "load") e.indices.forEach((index, d) => void (factors && ofAxis.set(index, factors[d] ?? 1)));
    }
    if (block.body.kind === "store") {
      const { buffer, indices } = block.body;
      ofBuffer.set(
        buffer,
        indices.map((index) => ofAxis.get(index) ?? 1),
      );
    }
    return block.axes.map((a) => ofAxis.get(a.variable) ?? 1);
  });
  return { product, after: behind };
}
