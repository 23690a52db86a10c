import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, type DeviceTensor, helper, openDevice } from "warpsmith";
import { gatedMatmul, gatedMatmulKernel, type Plan } from "warpsmith/kernels";
import { randn } from "warpsmith/testing";
import { rotating, some } from "../../support/amount.ts";
import { gatedDistance, pairOf } from "./pairs.ts";
import { type Half, type Layout, rowsOf, type Size, smallPlan } from "./products.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator", { check: "strict" });
});
afterAll(() => device.dispose());

const plans: Readonly<Record<string, readonly [plan: Plan, dtype: Half, layout: Layout, size: Size]>> = {
  "in turns": [
    { ...smallPlan, consumers: 2, schedule: "pingpong", wait: 1, stores: "warp" },
    "bf16",
    "nn",
    { m: 72, n: 72, k: 72 },
  ],
  small: [smallPlan, "f16", "nt", { m: 72, n: 40, k: 136 }],
  together: [{ ...smallPlan, tile: [128, 48], consumers: 2, wait: 1, stages: 3 }, "f16", "tt", { m: 136, n: 56, k: 72 }],
  "parts of K": [{ ...smallPlan, tile: [64, 32], splits: 2, stores: "warp" }, "bf16", "nt", { m: 8, n: 40, k: 200 }],
  "halves of the last wave": [
    { ...smallPlan, tile: [128, 80], cluster: [2, 1], splitTail: true, blocks: 2 },
    "f16",
    "nn",
    { m: 136, n: 88, k: 40 },
  ],
  "along a curve": [
    { ...smallPlan, tile: [64, 16], order: "hilbert", cluster: [1, 2], stages: 3 },
    "f16",
    "tn",
    { m: 40, n: 72, k: 72 },
  ],
};

describe("a gated pair", () => {
  it.each(some(Object.keys(plans), 1))("by a plan: %s", async (name) => {
    const [plan, dtype, layout, size] = plans[name] ?? [smallPlan, "f16", "nt", { m: 8, n: 8, k: 8 }];
    const pair = pairOf(device, dtype, layout, size);
    expect(await gatedDistance(gatedMatmul(pair.a, pair.gate, pair.up, { plan }), pair)).toBeLessThan(1);
  });

  it.each([
    ["loaded", undefined, 0],
    ["copied", smallPlan, 1],
  ] as const)("of odd extents, whose operands are %s and whose rows threads store", rotating, async (_, given, launches) => {
    const options = { dtype: "f32", ...(given ? { plan: given } : {}) } as const;
    const [m, n, k] = [5, 37, 75];
    const dense = (rows: number, columns: number, seed: number) =>
      device.tensor("bf16", [rows, columns], randn(rows * columns, seed)) as DeviceTensor<"bf16", 2>;
    const pair = { a: dense(m, k, 1), gate: dense(k, n, 2), up: dense(k, n, 3) };
    const { before, out } = gatedMatmulKernel(pair.a, pair.gate, pair.up, options);
    expect(before).toHaveLength(launches);
    out.dispose();
    expect(await gatedDistance(gatedMatmul(pair.a, pair.gate, pair.up, options), pair)).toBeLessThan(1);
  });

  it("of one tensor that holds both, rows of gate and up in turn, onto what is there", rotating, async () => {
    const { m, n, k } = { m: 40, n: 24, k: 72 };
    const a = rowsOf(device, "f16", m, k, 1);
    const both = device.tensor("f16", [n, 2, k], randn(2 * n * k, 2)) as DeviceTensor<"f16", 3>;
    const half = (i: number) =>
      both
        .slice(undefined, [i, i + 1])
        .reshape(n, k)
        .transpose(1, 0) as DeviceTensor<"f16", 2>;
    const pair = { a, gate: half(0), up: half(1) };
    const out = rowsOf(device, "f16", m, n, 4);
    const before = await out.read();
    const epilogue = helper(
      (g: number, u: number, { before, scale }: { readonly before: number; readonly scale: number }, row: number) =>
        Math.max(g, 0) * u + before * scale + (row < 3 ? 1 : 0),
    );
    const scale = device.tensor("f32", [n], randn(n, 5)) as DeviceTensor<"f32", 1>;
    const scales = await scale.read();
    const result = gatedMatmul(a, pair.gate, pair.up, { out, inputs: { before: out, scale }, epilogue, plan: smallPlan });
    expect(result).toBe(out);
    const at = (x: ArrayLike<number>, i: number): number => x[i] ?? Number.NaN;
    expect(
      await gatedDistance(
        out,
        pair,
        (g, u, row, col) => Math.max(g, 0) * u + at(before, row * n + col) * at(scales, col) + (row < 3 ? 1 : 0),
      ),
    ).toBeLessThan(1);
  });

  it("for every M by one kernel, and batches", rotating, async () => {
    const kernels = new Set<unknown>();
    const options = { plan: smallPlan, dynamicM: true } as const;
    const pair = pairOf(device, "f16", "nt", { m: 72, n: 40, k: 40 });
    for (const m of [72, 3]) {
      const a = pair.a.slice([0, m]);
      kernels.add(gatedMatmulKernel(a, pair.gate, pair.up, options).kernel);
      expect(await gatedDistance(gatedMatmul(a, pair.gate, pair.up, options), { ...pair, a })).toBeLessThan(1);
    }
    expect(kernels.size).toBe(1);
    const [count, m, k] = [2, 24, 40];
    const a = device.tensor("f16", [count, m, k], randn(count * m * k, 7)) as DeviceTensor<"f16", 3>;
    const d = gatedMatmul(a, pair.gate, pair.up, { plan: smallPlan });
    for (let i = 0; i < count; i++) {
      const one = { ...pair, a: a.slice([i, i + 1]).reshape(m, k) };
      expect(await gatedDistance(d.slice([i, i + 1]).reshape(m, 40), one)).toBeLessThan(1);
    }
  });

  it("finds a launch again by the same tensors, and by other views of the same memory", () => {
    const { a, gate, up } = pairOf(device, "f16", "nn", { m: 8, n: 16, k: 16 });
    const out = device.empty("f16", [8, 16]) as DeviceTensor<"f16", 2>;
    const all = [1, 2].map(() => gatedMatmulKernel(a, gate, up, { out, plan: smallPlan }));
    expect(all[0]?.args).toBe(all[1]?.args);
    const again = up.slice([0, 16]);
    expect(gatedMatmulKernel(a, gate, again, { out, plan: smallPlan }).args).toBe(all[0]?.args);
    expect(gatedMatmulKernel(a, gate, gate, { out, plan: smallPlan }).args).not.toBe(all[0]?.args);
  });
});

describe("of a gated pair is refused", () => {
  it("what does not fit, before anything runs", () => {
    const { a, gate, up } = pairOf(device, "f16", "nt", { m: 8, n: 16, k: 24 });
    const other = device.zeros("f16", [24, 8]) as DeviceTensor<"f16", 2>;
    expect(() => gatedMatmul(a, gate, other)).toThrow(/W7693 .*\[24, 16\] and up .*\[24, 8\]/);
    expect(() => gatedMatmul(a, gate, device.zeros("bf16", [24, 16]) as never)).toThrow(/W7693/);
    expect(() => gatedMatmul(a, gate, device.zeros("f16", [24, 16]))).toThrow(/W7694 .*along K, and up along N/);
    expect(() => gatedMatmul(a, gate.transpose(1, 0), up)).toThrow(
      /W7603 .*gatedMatmul takes a of .* pass gate.transpose\(1, 0\)/s,
    );
    expect(() => gatedMatmul(a, gate, 3 as never)).toThrow(/W7601 .*The operand up of gatedMatmul/);
    expect(() => gatedMatmul(a, gate, undefined as never)).toThrow(/W7601 .*The operand up of gatedMatmul is undefined/);
    expect(() => gatedMatmul(a, gate, up, { out: up.slice([0, 8]) as never })).toThrow(/W7608 .*up/);
    expect(() => gatedMatmul(a, gate, up, { epilogue: 2 as never })).toThrow(/W7609 .*\(gate, up, inputs, row, col\)/);
    const wide = { ...smallPlan, tile: [64, 208], blocks: 1 } as const;
    expect(() => gatedMatmul(a, gate, up, { plan: wide })).toThrow(/W7613 .*at most 12800 elements/);
    const left = { ...smallPlan, tile: [64, 128], stages: 3, leftFirst: 1 } as const;
    expect(() => gatedMatmul(a, gate, up, { plan: left })).toThrow(/W7613 .*`leftFirst`/);
  });
});
