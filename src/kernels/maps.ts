import { type DeviceTensor, TMA } from "warpsmith";
import type { HalfType } from "./gemm.ts";

/** Tensor maps made before, by tensor and box: making one costs more than a launch. */
const known = new WeakMap<object, Map<string, TMA<HalfType, 2>>>();

/** A tensor map of rows of that tensor; `promotion`: how much of the level 2 cache a miss fills. */
export function mapOf(
  tensor: DeviceTensor<HalfType, 2>,
  box: readonly [number, number],
  swizzle: "128B" | "64B" | "32B",
  l2Promotion: "128B" | "256B",
): TMA<HalfType, 2> {
  const maps = known.get(tensor) ?? new Map<string, TMA<HalfType, 2>>();
  known.set(tensor, maps);
  const key = `${box}|${swizzle}|${l2Promotion}`;
  const map = maps.get(key) ?? new TMA(tensor, { box, swizzle, l2Promotion });
  maps.set(key, map);
  return map;
}
