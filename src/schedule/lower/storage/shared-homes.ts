/** Shared memory of a program's buffers: one of its own for each, and bytes in common for those that are packed. */

import { elementBytes } from "../../../base/element-types.ts";
import {
  denseRows,
  type Placing,
  placingOf,
  type SharedView,
  SwizzledSharedLayout,
  sharedMemory,
  sharedPool,
} from "../../../dsl/emit.ts";
import type { Buffer, Program } from "../../ir/types.ts";
import { packedAlign, sharedBytesOfAll, sharedShapeOf } from "../buffers/shared-bytes.ts";

type Ways = NonNullable<Parameters<typeof sharedMemory.alloc>[2]>;
type Alloc = (dtype: Buffer["dtype"], shape: readonly number[], ways?: Ways) => SharedView;

/** Eight rows one below the other, in the same column, are in eight different 16 bytes of the banks: of short rows several share 128 bytes. */
function exclusiveOr({ dtype }: Buffer, shape: readonly number[]): SwizzledSharedLayout {
  const perPhase = Math.max(1, Math.floor(128 / ((shape.at(-1) ?? 1) * elementBytes[dtype])));
  return new SwizzledSharedLayout({ vector: 16 / elementBytes[dtype], perPhase, maxPhase: 8 });
}

/** Where the elements of a shared buffer lie, with what lies behind its rows. W3014, W6231. */
export function placesIn(buffer: Buffer): Placing {
  const { swizzle = "none", dtype } = buffer;
  const shape = sharedShapeOf(buffer);
  return swizzle === "xor"
    ? placingOf(exclusiveOr(buffer, shape), dtype, shape)
    : { layout: denseRows(dtype, shape, swizzle), swizzle };
}

/** The room of a shared buffer: `placesIn` says of each element where it lies. */
function laidOut(buffer: Buffer, alloc: Alloc): SharedView {
  const { swizzle, dtype } = buffer;
  const shape = sharedShapeOf(buffer);
  if (swizzle === "xor") return alloc(dtype, shape, { layout: exclusiveOr(buffer, shape) });
  return alloc(dtype, shape, swizzle ? { swizzle } : {});
}

/** Where the shared buffers of a program lie. */
export function sharedHomes(program: Program): (buffer: Buffer) => SharedView {
  const packed = program.buffers.filter((b) => b.scope === "shared" && b.at !== undefined);
  // The phases of `xor` count from where the pool begins, those of the hardware from 0: no pattern of the hardware is larger than 1024 bytes.
  const align = Math.min(1024, Math.max(...packed.map(packedAlign)));
  const pool = packed.length > 0 ? sharedPool(sharedBytesOfAll(packed), align) : undefined;
  return (buffer) => {
    const { at } = buffer;
    const own: Alloc = (dtype, shape, ways = {}) => sharedMemory.alloc(dtype, shape, ways) as SharedView;
    return laidOut(buffer, pool && at !== undefined ? (...args) => pool(at, ...args) : own);
  };
}
