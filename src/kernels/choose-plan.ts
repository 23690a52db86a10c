import type { Problem } from "./gemm.ts";
import type { Plan } from "./plan.ts";

export function choosePlan({ m, n }: Problem, multiprocessors: number): Plan {
  const tile = [128, 256] as const;
  const tiles = Math.ceil(m / tile[0]) * Math.ceil(n / tile[1]);
  return {
    tile,
    stages: 4,
    consumers: 2,
    schedule: "cooperative",
    cluster: [1, 1],
    group: 16,
    wait: 0,
    releases: "warp",
    stores: "warpgroup",
    splitTail: false,
    promotion: "128B",
    blocks: Math.min(multiprocessors, tiles),
  };
}
