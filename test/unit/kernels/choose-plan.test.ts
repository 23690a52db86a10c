import { expect, it } from "vitest";
import { checkPlan } from "../../../src/kernels/matmul/plan/check-plan.ts";
import { choosePlan } from "../../../src/kernels/matmul/plan/choose-plan.ts";
import type { Problem } from "../../../src/kernels/matmul/problem/problem.ts";
import { uniform } from "../../cases/numbers.ts";
import { amount } from "../../support/amount.ts";

const problems = amount(20_000, 500);
const random = uniform(problems * 12);
let at = 0;
const below = (end: number): number => Math.floor((random[at++] ?? 0) * end);
const oneOf = <T>(list: readonly T[]): T => list[below(list.length)] as T;

/** Mostly small, for what is small is split; sometimes of no round size. */
const size = (): number => Math.max(1, 2 ** below(14) + oneOf([0, 0, -1, 8, 40]));

function problem(): Problem {
  const [m, n, k] = [size(), size(), size()];
  return {
    ...{ m, n, k, dtype: "f16", aMajor: oneOf(["k", "mn"]), bMajor: oneOf(["k", "mn"]) },
    ...(below(2) > 0 ? { result: "f32" } : {}),
    ...(below(4) > 0 ? {} : { pair: true }),
    ...(below(2) > 0 ? { invariant: true } : {}),
  };
}

const circumstances = { multiprocessors: 132, misaligned: { a: false, b: false } };

it("chosen plans are plans that a kernel can follow, and split K where bits may depend on the number of rows", () => {
  const splits = new Set<number>();
  for (let i = 0; i < problems; i++) {
    const of = problem();
    const plan = choosePlan(of, circumstances);
    expect(() => checkPlan(plan, of), JSON.stringify(of)).not.toThrow();
    splits.add(of.invariant ? -(plan.splits ?? 1) : (plan.splits ?? 1));
  }
  expect([...splits].toSorted((a, b) => a - b)).toEqual([-1, 1, 2, 4, 8]);
});
