import type { Plan } from "warpsmith/kernels";
import { type Half, type Layout, type Size, smallPlan } from "./products.ts";

/** A plan of every kind, with a problem that has edges, for what an epilogue gives. */
export const outputPlans: Readonly<Record<string, readonly [plan: Plan, dtype: Half, layout: Layout, size: Size]>> = {
  small: [smallPlan, "f16", "nt", { m: 72, n: 136, k: 40 }],
  "in turns": [
    { ...smallPlan, consumers: 2, schedule: "pingpong", wait: 1, stores: "warp" },
    "bf16",
    "nn",
    { m: 72, n: 72, k: 72 },
  ],
  together: [{ ...smallPlan, tile: [128, 48], consumers: 2, wait: 1, stages: 3 }, "f16", "tt", { m: 136, n: 56, k: 72 }],
  "parts of K": [{ ...smallPlan, splits: 2, stores: "warp" }, "bf16", "nt", { m: 7, n: 72, k: 200 }],
  "halves of the last wave": [
    { ...smallPlan, tile: [128, 80], cluster: [2, 1], splitTail: true, blocks: 2 },
    "f16",
    "nn",
    { m: 136, n: 88, k: 40 },
  ],
  "left columns first": [
    { ...smallPlan, tile: [64, 128], stages: 4, leftFirst: 1, wait: 1 },
    "f16",
    "nt",
    { m: 24, n: 136, k: 136 },
  ],
  "along a curve": [{ ...smallPlan, order: "hilbert", cluster: [1, 2] }, "f16", "tn", { m: 40, n: 136, k: 24 }],
};
