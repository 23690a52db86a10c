import type { Plan } from "./plan.ts";

/** What a plan is, but for what follows from the problem: its stages, its buffers and its blocks. */
export type Shape = Omit<Plan, "stages" | "buffers" | "blocks"> & { readonly stages?: number };

const usual = {
  consumers: 2,
  schedule: "cooperative",
  cluster: [1, 1],
  group: 8,
  wait: 1,
  stores: "warpgroup",
  splitTail: false,
  promotion: "128B",
} as const;
export const shape = (tile: Plan["tile"], rest: Partial<Shape> = {}): Shape => ({ ...usual, tile, ...rest });
