import type { Plan } from "./plan.ts";
import type { Problem } from "./problem.ts";

/** What a plan depends on. */
export interface Asked extends Pick<Problem, "d" | "dv" | "causal" | "window"> {
  readonly keys: number;
  /** Whether the author has a function of scores, which takes registers. */
  readonly score: boolean;
}

const usual = { consumers: 2, keys: 128, stages: 2, turns: true, overlap: true, persistent: true, group: 1 } as const;

export function choosePlan({ d, causal }: Asked): Plan {
  const group = causal ? 4 : 1;
  if (d <= 96) return { ...usual, consumers: 3, keys: d === 64 ? 128 : 96, group };
  if (d === 256) return { ...usual, keys: 80, turns: false, group };
  return { ...usual, group };
}
