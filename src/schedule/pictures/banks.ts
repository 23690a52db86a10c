/** Where elements of shared memory lie. */

import { elementBytes } from "../../base/element-types.ts";
import { offsetIn, swizzled } from "../../layout/modes/index.ts";
import type { Buffer } from "../ir/types.ts";
import { placesIn } from "../lower/storage/shared-homes.ts";
import { refuse, shapeOf } from "./laid-out.ts";

/** The byte at which an element begins, from that of the first: as the kernel lays the buffer out. W5545. */
export function addressesIn(buffer: Buffer): (element: readonly number[]) => number {
  const row = (shapeOf(buffer).at(-1) ?? 1) * elementBytes[buffer.dtype];
  if (buffer.swizzle === "xor" && row !== 2 ** Math.round(Math.log2(row)))
    refuse(`'${buffer.name}'`, `its rows are permuted, and a row takes ${row} bytes, which is no power of two`);
  const { layout, swizzle } = placesIn(buffer);
  return (element) =>
    swizzled(
      layout.reduce((sum, dimension, d) => sum + offsetIn(dimension, element[d] ?? 0), 0),
      swizzle,
    );
}
