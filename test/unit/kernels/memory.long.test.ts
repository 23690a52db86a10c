import { afterAll, describe, expect, it } from "vitest";
import { openDevice } from "warpsmith";
import type { RowPlan } from "warpsmith/kernels";
import { some } from "../../support/amount.ts";
import { cases, distance, elementCases, type Float, layouts } from "./memory-cases.ts";

const gpu = await openDevice("emulator", { check: "strict" });
afterAll(() => gpu.dispose());

const dtypes: readonly Float[] = ["bf16", "f16", "f32"];
const shapes: readonly (readonly number[])[] = [
  [5, 64],
  [3, 1],
  [300],
  [2, 3, 1000],
  [2, 8192],
  [3, 777],
  [2, 1, 2056],
  [64, 32],
  [70, 130],
];
const plans: readonly (RowPlan | undefined)[] = [
  undefined,
  { threads: 64, group: "block" },
  { threads: 64, group: "warp" },
  { threads: 64, group: "block", keep: false, depth: 3 },
  { threads: 32, group: "block", cluster: 2 },
  { threads: 32, group: "block", cluster: 4, keep: false },
];

/** All of them would be two thousand. */
const kinds = Object.keys(layouts) as (keyof typeof layouts)[];
const all = cases.flatMap((of, c) =>
  shapes.flatMap((shape, s) =>
    kinds.map((layout, l) => ({
      of,
      name: of.name,
      shape,
      layout,
      dtype: dtypes[(c + s + l) % 3] ?? "f32",
      plan: plans[(c + 2 * s + l) % plans.length],
    })),
  ),
);
const elements = elementCases.flatMap((of, c) =>
  shapes.flatMap((shape, s) =>
    kinds.map((layout, l) => ({ of, name: of.name, shape, layout, dtype: dtypes[(c + s + l) % 3] ?? "f32" })),
  ),
);

describe("functions over rows, against sums in f64", () => {
  it.each(some(all, 40))("$name of $dtype $shape, $layout, $plan", async ({ of, dtype, shape, layout, plan }) => {
    const { out, want } = of.run(layouts[layout](gpu), dtype, shape, plan ? { plan } : {});
    expect(await distance(of, out, want)).toBeLessThanOrEqual(1);
  });
});

describe("functions of elements", () => {
  it.each(some(elements, 30))("$name of $dtype $shape, $layout", async ({ of, dtype, shape, layout }) => {
    const { out, want } = of.run(layouts[layout](gpu), dtype, shape, {});
    expect(await distance(of, out, want)).toBeLessThanOrEqual(1);
  });
});
