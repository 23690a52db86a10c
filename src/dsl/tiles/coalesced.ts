import { coalescedIn } from "../../layout/coalesced.ts";
import { elementBytes } from "../../tensor-map.ts";
import type { DType } from "../../types.ts";
import { BlockedLayout } from "./layouts.ts";

/**
 * The layout in which a tile is loaded and stored fastest, where rows lie as they do in memory: neighbouring lanes have neighbouring vectors of 16
 * bytes, and of smaller tiles as much as there is for each thread. Extents are powers of two.
 */
export function coalesced(shape: readonly number[], dtype: DType, warps: number): BlockedLayout {
  const last = shape.at(-1) ?? 1;
  const each = Math.max(1, shape.reduce((n, extent) => n * extent, 1) / (32 * warps));
  const count = Math.min(16 / elementBytes[dtype], last, each);
  const { perThread, threads, warps: dealt } = coalescedIn(shape, { count, along: shape.length - 1 }, warps);
  return new BlockedLayout({ perThread, threads, warps: dealt });
}
