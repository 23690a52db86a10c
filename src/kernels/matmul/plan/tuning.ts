/** What `warpsmith tune` tries for `matmul` and `gatedMatmul`: shapes of plans, as data. */

import type { Tunable } from "../../tune/names.ts";
import { type Product, ProductBench } from "../../tune/product-bench.ts";
import type { Candidate, Family } from "../../tune/types.ts";
import { classOf, type Problem } from "../problem/problem.ts";
import { checkPlan } from "./check-plan.ts";
import { choosePlan, costOf, planOf } from "./choose-plan.ts";
import { type Plan, type Shape, shape } from "./plan.ts";

const steps = (from: number, to: number, by: number): readonly number[] =>
  Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, i) => from + i * by);

/** Every tile that a block can have, with every way to share it out. */
const tiles: readonly Shape[] = [
  ...([1, 2, 4, 8] as const).flatMap((splits) =>
    steps(32, 256, 32).map((n) => shape([64, n], { consumers: 1, stores: "warp", ...(splits > 1 ? { splits } : {}) })),
  ),
  ...steps(64, 256, 16).map((n) => shape([128, n])),
  ...steps(64, 192, 16).map((n) => shape([256, n])),
  ...steps(64, 256, 32).map((n) => shape([64, n], { schedule: "pingpong" })),
  ...steps(64, 192, 32).map((n) => shape([128, n], { schedule: "pingpong" })),
];
const clusters: readonly Shape["cluster"][] = [
  [1, 1],
  [2, 1],
  [1, 2],
];

/** What may be changed of a shape, a field at a time. */
const changes: readonly Partial<Shape>[] = [
  ...[1, 2, 4, 8, 16].map((group) => ({ group })),
  ...([0, 1] as const).map((wait) => ({ wait })),
  ...[0, 1, 2].map((leftFirst) => ({ leftFirst })),
  ...(["warp", "warpgroup"] as const).map((stores) => ({ stores })),
  ...[true, false].map((splitTail) => ({ splitTail })),
  ...(["none", "128B", "256B"] as const).map((promotion) => ({ promotion })),
  ...[3, 4, 5, 6, 8].map((stages) => ({ stages })),
  ...clusters.map((cluster) => ({ cluster })),
  ...([1, 2, 4, 8] as const).map((splits) => ({ splits })),
  { order: "hilbert" as const },
];

/** Whether lines of the operands, dense ones, lie apart as no memory is read; those that TMA could not load are copied. */
function asTuned({ m, n, k, aMajor, bMajor }: Problem) {
  const isApart = (pitch: number): boolean => pitch % 8 === 0 && pitch % 64 !== 0;
  return { a: isApart(aMajor === "k" ? k : m), b: isApart(bMajor === "k" ? k : n) };
}

function planFor(of: Shape, problem: Problem, multiprocessors: number): Plan | undefined {
  const plan = planOf(of, problem, multiprocessors);
  try {
    checkPlan(plan, problem);
    return plan.stages >= 2 ? plan : undefined;
  } catch {
    return undefined;
  }
}

const fits = (of: Shape, problem: Problem, multiprocessors: number): boolean =>
  planFor(of, problem, multiprocessors) !== undefined;

function candidates(problem: Problem, multiprocessors: number): readonly Shape[] {
  const all = tiles.flatMap((tile) => clusters.map((cluster): Shape => ({ ...tile, cluster })));
  const cost = (of: Shape): number => costOf(of, problem, { multiprocessors, misaligned: asTuned(problem) });
  return all.filter((of) => fits(of, problem, multiprocessors)).sort((x, y) => cost(x) - cost(y));
}

function variations(problem: Problem, multiprocessors: number, of: Shape): readonly Shape[] {
  const same = JSON.stringify(planFor(of, problem, multiprocessors));
  return changes
    .map((change): Shape => ({ ...of, ...change }))
    .filter((other) => {
      const plan = planFor(other, problem, multiprocessors);
      return plan !== undefined && JSON.stringify(plan) !== same;
    });
}

const asCandidate = (of: Shape): Candidate => ({ ...of });

const familyOf = (name: Tunable, of: Pick<Problem, "pair">): Family<Product> => ({
  name,
  problem(size, dtype, layout) {
    const extents = size.split("x").map(Number);
    const [m = 0, n = 0, k = 0] = extents;
    const whole = extents.length === 3 && extents.every((x) => Number.isSafeInteger(x) && x >= 1 && x <= 2 ** 20);
    if (!whole || (dtype !== "f16" && dtype !== "bf16") || !/^[nt]{2}$/.test(layout)) return undefined;
    const [aMajor, bMajor] = [layout[0] === "n" ? "k" : "mn", layout[1] === "t" ? "k" : "mn"] as const;
    const byTma = n % 8 === 0;
    return { m, n, k, dtype, aMajor, bMajor, ...of, ...(byTma ? {} : { lines: { pitch: n, begin: 0 } }) };
  },
  classOf,
  candidates: (problem, multiprocessors) => candidates(problem, multiprocessors).map(asCandidate),
  variations: (problem, multiprocessors, of) => variations(problem, multiprocessors, of as Shape).map(asCandidate),
  usual(problem, multiprocessors) {
    const { stages: _, buffers: __, blocks: ___, ...of } = choosePlan(problem, { multiprocessors, misaligned: asTuned(problem) });
    return asCandidate(of);
  },
  open: async (device, problem) => new ProductBench(device, problem),
});

export const matmulFamily = familyOf("matmul", {});
/** A size is that of the result, and either weight is [K, N]. What becomes of both sums is silu(gate) · up. */
export const gatedFamily = familyOf("gatedMatmul", { pair: true });
