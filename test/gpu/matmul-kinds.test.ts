/** Kinds of products on a GPU: many M by one kernel, rows whose bits do not depend on M, batches. */
import { afterAll, describe, expect, it } from "vitest";
import { type Device, helper, openDevice } from "warpsmith";
import { gatedMatmul, matmul, matmulKernel } from "warpsmith/kernels";
import { randn } from "warpsmith/testing";
import { gatedDistance, pairOf } from "../unit/kernels/pairs.ts";
import { distance, operandsOf, rowsOf } from "../unit/kernels/products.ts";

/** A device that runs kernels, or why there is none. */
async function findDevice(): Promise<Device | string> {
  try {
    return await openDevice("cuda");
  } catch (error) {
    return error instanceof Error ? (error.message.split("\n")[0] ?? "no CUDA device") : String(error);
  }
}

const gpu = await findDevice();
if (typeof gpu === "string") console.warn(`kinds of products do not run on a GPU: ${gpu}`);
const opened = (): Device => {
  if (typeof gpu === "string") throw new Error(gpu);
  return gpu;
};

describe.skipIf(typeof gpu === "string")("kinds of products on the GPU", () => {
  afterAll(() => opened().dispose());
  const most = 2100;
  const counts = [...Array.from({ length: 300 }, (_, i) => i + 1), 512, 777, 1024, 1537, 2048, most];

  it.each([
    [4096, 4096],
    [256, 8192],
  ] as const)("rows have the same bits for every M of 1 to 300, and above: N %d, K %d", async (n, k) => {
    const { a, b } = operandsOf(opened(), "bf16", "nt", { m: most, n, k });
    const all = await matmul(a, b, { dtype: "f32", invariant: true }).read();
    const kernels = new Set<unknown>();
    for (const m of counts) {
      const [rows, options] = [a.slice([0, m]), { dtype: "f32", invariant: true, dynamicM: true } as const];
      kernels.add(matmulKernel(rows, b, options).kernel);
      using d = matmul(rows, b, options);
      const got = await d.read();
      expect(
        got.findIndex((value, i) => value !== all[i]),
        `M ${m}`,
      ).toBe(-1);
    }
    expect(kernels.size).toBeLessThan(15);
  });

  it.each(["nt", "nn", "tn"] as const)("every M by kernels that read it: %s", async (layout) => {
    for (const m of [1, 8, 9, 63, 65, 129, 300, 1000]) {
      const { a, b } = operandsOf(opened(), "f16", layout, { m, n: 520, k: 1032 });
      using d = matmul(a, b, { dynamicM: true });
      expect(await distance(d, a, b, (value) => value, [0, m >> 1, m - 1]), `M ${m}`).toBeLessThan(1);
    }
  });

  it.each([
    ["f16", "nt", [1, 4096, 1024]],
    ["bf16", "nt", [16, 1408, 4096]],
    ["bf16", "nn", [64, 776, 1032]],
    ["f16", "nt", [300, 1001, 515]],
    ["bf16", "tn", [1000, 776, 1032]],
    ["bf16", "nt", [2048, 2816, 512]],
  ] as const)("a gated pair: %s, %s, %o", async (dtype, layout, [m, n, k]) => {
    const pair = pairOf(opened(), dtype, layout, { m, n, k });
    const rows = [0, m >> 1, m - 1];
    using d = gatedMatmul(pair.a, pair.gate, pair.up);
    expect(await gatedDistance(d, pair, undefined, rows)).toBeLessThan(1);
    const residual = rowsOf(opened(), dtype, m, n, 5);
    const before = await residual.read();
    const epilogue = helper(
      (gate: number, up: number, { residual }: { readonly residual: number }) => Math.max(gate, 0) * up + residual,
    );
    gatedMatmul(pair.a, pair.gate, pair.up, { out: residual, inputs: { residual }, epilogue, dynamicM: true });
    const finish = (gate: number, up: number, row: number, col: number) =>
      Math.max(gate, 0) * up + (before[row * n + col] ?? Number.NaN);
    expect(await gatedDistance(residual, pair, finish, rows)).toBeLessThan(1);
  });

  it.each([
    [1, 4096, 1024],
    [16, 11008, 512],
    [300, 1001, 515],
    [1000, 776, 1032],
    [4096, 4096, 512],
  ] as const)("sums and the greatest of rows, the same each time: %d × %d × %d", async (m, n, k) => {
    const { a, b } = operandsOf(opened(), "bf16", "nt", { m, n, k });
    const [squares, top] = [opened().empty("f32", [m]), opened().empty("f32", [m, 1])];
    const epilogue = helper((value: number) => ({ value, squares: value * value, top: Math.abs(value) }));
    const options = { epilogue, outputs: { squares: { sum: squares }, top: { max: top } }, dtype: "f32" } as const;
    using d = matmul(a, b, options);
    const [elements, sums, tops] = [await d.read(), await squares.read(), await top.read()];
    for (let row = 0; row < m; row += Math.ceil(m / 40)) {
      const line = elements.subarray(row * n, (row + 1) * n);
      const sum = line.reduce((total, value) => total + value * value, 0);
      expect(Math.abs((sums[row] ?? Number.NaN) - sum)).toBeLessThan(sum * 1e-5);
      expect(tops[row]).toBe(line.reduce((most, value) => Math.max(most, Math.abs(value)), 0));
    }
    for (let i = 0; i < 5; i++) {
      matmul(a, b, { ...options, out: d });
      expect(await squares.read()).toEqual(sums);
    }
  });

  it.each([
    [7, 200, 136, 328],
    [64, 64, 64, 128],
    [3, 1000, 776, 1032],
    [40, 1, 512, 128],
  ] as const)("a batch: %d of %d × %d × %d", async (count, m, n, k) => {
    const tensor = (rows: number, columns: number, seed: number) =>
      opened().tensor("bf16", [count, rows, columns], randn(count * rows * columns, seed));
    const [a, b] = [tensor(m, k, 1), tensor(n, k, 2).transpose(0, 2, 1)];
    using d = matmul(a, b);
    for (const i of [0, count >> 1, count - 1]) {
      const [x, y, z] = [a, b, d].map((all) => all.slice([i, i + 1]).reshape(...(all.shape.slice(1) as [number, number])));
      if (!x || !y || !z) throw new Error("there are three");
      expect(await distance(z, x, y, (value) => value, [0, m >> 1, m - 1]), `${i}`).toBeLessThan(1);
    }
  });
});
