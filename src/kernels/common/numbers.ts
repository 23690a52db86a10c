/** Numbers in kernels: rounding to what memory has, and sums in an order that never changes. */
import { bf16, f16, f32 } from "warpsmith";
import type { FloatType } from "./tensors.ts";

/** Rounded to that type. */
export function rounded(dtype: FloatType, value: number): number {
  "use kernel";
  if (dtype === "bf16") return bf16(value);
  return dtype === "f16" ? f16(value) : f32(value);
}

/** Neighbours two by two, then these two by two; the last of an odd number waits. */
export function tree(values: readonly number[], combine: (a: number, b: number) => number): number {
  "use kernel";
  let level = values;
  while (level.length > 1) {
    const odd = level.length % 2 === 1 ? level.slice(-1) : [];
    const pairs = Math.trunc(level.length / 2);
    level = [...Array.from({ length: pairs }, (_, i) => combine(level[2 * i] ?? 0, level[2 * i + 1] ?? 0)), ...odd];
  }
  return level[0] ?? 0;
}
