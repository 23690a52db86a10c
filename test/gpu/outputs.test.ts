/** What an epilogue gives beside the result on a GPU: other elements, sums, the greatest and its column. */
import { afterAll, describe, expect, it } from "vitest";
import { type Device, type DeviceTensor, helper, openDevice } from "warpsmith";
import { gatedMatmul, type MatmulOptions, matmul } from "warpsmith/kernels";
import { outputPlans } from "../unit/kernels/output-plans.ts";
import { gatedDistance, pairOf } from "../unit/kernels/pairs.ts";
import { distance, type Layout, layouts, operandsOf, plain, type Size } from "../unit/kernels/products.ts";

/** A device that runs kernels, or why there is none. */
async function findDevice(): Promise<Device | string> {
  try {
    return await openDevice("cuda");
  } catch (error) {
    return error instanceof Error ? (error.message.split("\n")[0] ?? "no CUDA device") : String(error);
  }
}

const gpu = await findDevice();
if (typeof gpu === "string") console.warn(`outputs of epilogues do not run on a GPU: ${gpu}`);
const opened = (): Device => {
  if (typeof gpu === "string") throw new Error(gpu);
  return gpu;
};

const all = helper((value: number) => ({ value: Math.max(value, 0), z: value * -0.5, exact: value, top: value, total: value }));
const reads = helper((value: number, { added }: { readonly added: number }) => ({ value: value + added, z: value - added }));
const types = ["f16", "bf16", "f32"] as const;

/** All that an epilogue can give, of one product: picked rows of what is stored beside sums in f64, and what becomes of each row beside what is stored. */
async function checkAll(size: Size, layout: Layout, i: number, more: Pick<MatmulOptions, "plan" | "dynamicM">) {
  const { m, n } = size;
  const { a, b } = operandsOf(opened(), i % 2 ? "f16" : "bf16", layout, size);
  const [ofD, ofZ] = [types[i % 3], types[(i + 1 + (i >> 1)) % 3]] as ["f16", "f32"];
  using z = opened().empty(ofZ, [m, n]) as DeviceTensor<"f32", 2>;
  using memory = opened().empty("f32", [m + 1, n + 8]) as DeviceTensor<"f32", 2>;
  const exact = memory.slice([1, m + 1], [0, n]) as DeviceTensor<"f32", 2>;
  using top = opened().empty("f32", [m]);
  using column = opened().empty("i32", [m]);
  using total = opened().empty("f32", [m]);
  for (const tensor of [z, memory, top, total]) tensor.fill(Number.NaN);
  const outputs = { z, exact, top: { max: top, column }, total: { sum: total } };
  using d = matmul(a, b, { ...more, epilogue: all, outputs, dtype: ofD });
  const rows = [...new Set([0, 1, m >> 1, m - 2, m - 1])].filter((row) => row >= 0 && row < m);
  expect(await distance(d, a, b, (value) => Math.max(value, 0), rows)).toBeLessThan(1);
  expect(await distance(z, a, b, (value) => value * -0.5, rows)).toBeLessThan(1);
  expect(await distance(exact, a, b, (value) => value, rows)).toBeLessThan(1);
  const [elements, tops, columns, sums] = [await plain(exact), await top.read(), await column.read(), await total.read()];
  for (let row = 0; row < m; row++) {
    const line = elements.subarray(row * n, (row + 1) * n);
    const most = line.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
    expect([row, tops[row], columns[row]]).toEqual([row, most, line.indexOf(most)]);
    const size = line.reduce((sum, value) => sum + Math.abs(value), 0);
    expect(Math.abs((sums[row] ?? Number.NaN) - line.reduce((sum, value) => sum + value, 0))).toBeLessThan(size * 1e-5 + 1e-6);
  }
}

describe.skipIf(typeof gpu === "string")("what an epilogue gives on the GPU", () => {
  afterAll(() => opened().dispose());

  const cases = Object.entries(outputPlans).flatMap(([name, [plan]], i) =>
    [0, 1, 2].map((j) => {
      const layout = layouts[(i + j) % 4] as Layout;
      return [`${name}, ${layout}`, { ...plan, blocks: plan.blocks * 4 }, layout, i + j] as const;
    }),
  );
  it.each(cases)("by a plan: %s", async (_, plan, layout, i) => {
    const m = plan.splits ? 61 : 712;
    await checkAll({ m, n: i % 3 === 0 ? 523 : 648, k: 200 }, layout, i, { plan });
  });

  it.each([
    [1, 4096, 512],
    [64, 1000, 1024],
    [520, 1304, 520],
    [1024, 4096, 256],
    [2051, 1031, 136],
    [4096, 2048, 128],
  ] as const)("by the plan that is chosen: %d × %d × %d", async (m, n, k) => {
    for (const [i, layout] of (["nt", "nn", "tt"] as const).entries())
      await checkAll({ m, n, k }, layout, i, { dynamicM: i === 1 });
  });

  it("not by a plan: with what it reads, and in pairs, again and again", async () => {
    const [m, n, k] = [1000, 776, 520];
    const { a, b } = operandsOf(opened(), "bf16", "nt", { m, n, k });
    using z = opened().empty("bf16", [m, n]) as DeviceTensor<"bf16", 2>;
    const { a: added } = operandsOf(opened(), "bf16", "nn", { m, n: 8, k: n });
    const more = await plain(added);
    const rows = [0, 333, m - 1];
    for (let i = 0; i < 20; i++) {
      using d = matmul(a, b, { inputs: { added }, epilogue: reads, outputs: { z } });
      expect(await distance(d, a, b, (value, row, col) => value + (more[row * n + col] ?? 0), rows)).toBeLessThan(1);
      expect(await distance(z, a, b, (value, row, col) => value - (more[row * n + col] ?? 0), rows)).toBeLessThan(1);
    }
    const pair = pairOf(opened(), "bf16", "nt", { m, n, k });
    const of = helper((gate: number, up: number) => ({ value: gate * up, g: gate, z: up }));
    using g = opened().empty("f32", [m, n]) as DeviceTensor<"f32", 2>;
    using d = gatedMatmul(pair.a, pair.gate, pair.up, { epilogue: of, outputs: { g, z } });
    expect(await gatedDistance(d, pair, (g, u) => g * u, rows)).toBeLessThan(1);
    expect(await distance(g, pair.a, pair.gate, (value) => value, rows)).toBeLessThan(1);
    expect(await distance(z, pair.a, pair.up, (value) => value, rows)).toBeLessThan(1);
  });

  it("not by a plan: sums rows with the same bits for every M, where that is asked for", async () => {
    const [most, n, k] = [2100, 1000, 520];
    const { a, b } = operandsOf(opened(), "bf16", "nt", { m: most, n, k });
    const sumsOf = async (m: number, dynamicM: boolean) => {
      using total = opened().empty("f32", [m]);
      matmul(a.slice([0, m]), b, {
        epilogue: all,
        outputs: { ...none(m), total: { sum: total } },
        invariant: true,
        dynamicM,
      }).dispose();
      return total.read();
    };
    const none = (m: number) => {
      const matrix = () => opened().empty("bf16", [m, n]);
      return { z: matrix(), exact: matrix(), top: { max: opened().empty("f32", [m]) } };
    };
    const first = await sumsOf(most, false);
    for (const m of [1, 7, 16, 33, 64, 65, 128, 129, 300, 512, 777, 1024, 1537]) {
      const sums = await sumsOf(m, m % 2 === 0);
      expect(
        sums.findIndex((value, i) => value !== first[i]),
        `M ${m}`,
      ).toBe(-1);
    }
  });
});
