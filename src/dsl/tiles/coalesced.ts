import { elementBytes } from "../../tensor-map.ts";
import type { DType } from "../../types.ts";
import { BlockedLayout } from "./layouts.ts";

/** Gives dimensions, the last one first, as much of `count` as fits beside what they have; what is left over goes to the first one. */
function dealt(count: number, room: readonly number[]): number[] {
  let rest = count;
  const taken = room.map(() => 1);
  for (let d = room.length - 1; d >= 0; d--) {
    const n = Math.min(rest, room[d] ?? 1);
    taken[d] = n;
    rest /= n;
  }
  taken[0] = (taken[0] ?? 1) * rest;
  return taken;
}

/**
 * The layout in which a tile is loaded and stored fastest, where rows lie as they do in memory: neighbouring lanes have neighbouring vectors of 16
 * bytes, and of smaller tiles as much as there is for each thread. Extents are powers of two.
 */
export function coalesced(shape: readonly number[], dtype: DType, warps: number): BlockedLayout {
  const last = shape.at(-1) ?? 1;
  const each = Math.max(1, shape.reduce((n, extent) => n * extent, 1) / (32 * warps));
  const vector = Math.min(16 / elementBytes[dtype], last, each);
  const perThread = shape.map((_, d) => (d === shape.length - 1 ? vector : 1));
  const beside = (taken: readonly number[]): number[] => shape.map((extent, d) => Math.max(1, extent / (taken[d] ?? 1)));
  const threads = dealt(32, beside(perThread));
  const held = perThread.map((n, d) => n * (threads[d] ?? 1));
  return new BlockedLayout({ perThread, threads, warps: dealt(warps, beside(held)) });
}
