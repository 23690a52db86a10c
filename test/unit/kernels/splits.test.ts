import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, helper, openDevice } from "warpsmith";
import { matmul, type Plan } from "warpsmith/kernels";
import { rotating, some } from "../../support/amount.ts";
import { distance, type Half, type Layout, operandsOf, rowsOf, type Size, smallPlan } from "./products.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator", { check: "strict" });
});
afterAll(() => device.dispose());

const by = (splits: 2 | 4 | 8, plan: Partial<Plan> = {}): Plan => ({
  ...smallPlan,
  tile: [64, 16 * splits],
  splits,
  blocks: splits,
  wait: 1,
  ...plan,
});

const run = async (size: Size, plan: Plan, layout: Layout = "nt", dtype: Half = "bf16"): Promise<number> => {
  const { a, b } = operandsOf(device, dtype, layout, size);
  return distance(matmul(a, b, { plan }), a, b);
};

describe("K split over the blocks of a cluster", () => {
  const sizes: readonly (readonly [Size, Plan])[] = [
    [{ m: 3, n: 72, k: 328 }, by(4)],
    [{ m: 1, n: 64, k: 256 }, by(2)],
    [{ m: 8, n: 40, k: 512 }, by(2, { tile: [64, 64], stages: 3 })],
    [{ m: 17, n: 136, k: 328 }, by(8)],
    [{ m: 136, n: 72, k: 200 }, by(2, { tile: [128, 64], consumers: 2, stores: "warp" })],
    [{ m: 64, n: 200, k: 264 }, by(2, { tile: [64, 96], stores: "warp", wait: 0 })],
    [{ m: 72, n: 40, k: 200 }, by(2, { blocks: 4 })],
    [{ m: 136, n: 72, k: 136 }, by(2, { tile: [128, 32], buffers: 1 })],
  ];
  it.each(some(sizes, 1).map(([size, plan]) => [size, plan.splits, plan.tile, plan] as const))(
    "%o by %d, tile %o",
    async (size, _splits, _tile, plan) => expect(await run(size, plan)).toBeLessThan(1),
  );

  it("with parts that have nothing of K", rotating, async () => {
    for (const [size, splits] of some(
      [
        [{ m: 5, n: 24, k: 8 }, 4],
        [{ m: 17, n: 72, k: 72 }, 8],
      ] as const,
      1,
    ))
      expect(await run(size, by(splits))).toBeLessThan(1);
  });

  const turned = (["tt", "nn", "tn"] as const).flatMap((layout) => [
    [layout, "f16", by(2, { tile: [64, 64] })] as const,
    [layout, "bf16", by(4, { tile: [64, 192] })] as const,
  ]);
  it.each(some(turned, 0))("%s of %s", async (layout, dtype, plan) => {
    expect(await run({ m: 24, n: 72, k: 200 }, plan, layout, dtype)).toBeLessThan(1);
  });

  it("gives the same bits each time", rotating, async () => {
    const { a, b } = operandsOf(device, "bf16", "nt", { m: 17, n: 72, k: 328 });
    const bits = async () => (await matmul(a, b, { plan: by(4) }).read()).toString();
    const first = await bits();
    for (let i = 0; i < 3; i++) expect(await bits()).toBe(first);
  });
});

describe("the result of parts of K", () => {
  const size = { m: 24, n: 72, k: 200 };

  it("goes where TMA cannot store, and touches nothing beside it", rotating, async () => {
    const { a, b } = operandsOf(device, "f16", "nt", size);
    const wide = device.tensor("f16", [24, 96], new Float32Array(24 * 96).fill(5));
    const out = wide.slice(undefined, [3, 75]);
    matmul(a, b, { out, plan: by(2) });
    expect(await distance(out, a, b)).toBeLessThan(1);
    for (const part of [wide.slice(undefined, [0, 3]), wide.slice(undefined, [75, 96])])
      expect(new Set(await part.read())).toEqual(new Set([5]));
  });

  const all = helper(
    (value: number, { bias, scale, residual }: { readonly bias: number; readonly scale: number; readonly residual: number }) =>
      Math.max(value * scale + bias, 0) + residual,
  );

  it.each(some(["out", "apart"] as const, 0))("goes through an epilogue whose residual is %s", async (where) => {
    const { m, n } = size;
    const { a, b } = operandsOf(device, "f16", "nt", size);
    const [bias, scale] = [
      device.tensor(
        "f32",
        [n],
        Array.from({ length: n }, (_, i) => i / 8),
      ),
      device.tensor(
        "f32",
        [m, 1],
        Array.from({ length: m }, (_, i) => i - 4),
      ),
    ];
    const residual = rowsOf(device, "f16", m, n, 5);
    const [c, s, r] = [await bias.read(), await scale.read(), await residual.read()];
    const out = where === "out" ? residual : device.empty("f16", [m, n]);
    matmul(a, b, { out, epilogue: all, inputs: { bias, scale, residual }, plan: by(4, { tile: [64, 64], stores: "warp" }) });
    const at = (x: ArrayLike<number>, i: number) => x[i] ?? Number.NaN;
    const finish = (value: number, row: number, col: number) =>
      Math.max(value * at(s, row) + at(c, col), 0) + at(r, row * n + col);
    expect(await distance(out, a, b, finish)).toBeLessThan(1);
  });
});
