import { afterAll, describe, expect, it } from "vitest";
import { type Device, openDevice } from "warpsmith";
import { sort, topK } from "warpsmith/kernels";
import { cases, distance, elementCases, type Float, layouts } from "../unit/kernels/memory-cases.ts";
import { columnsInOrder, type Kind, matrix, rowsOf } from "../unit/kernels/select-cases.ts";

/** A device that runs kernels, or why there is none. */
async function findDevice(): Promise<Device | string> {
  try {
    return await openDevice("cuda");
  } catch (error) {
    return error instanceof Error ? (error.message.split("\n")[0] ?? "no CUDA device") : String(error);
  }
}

const gpu = await findDevice();
if (typeof gpu === "string") console.warn(`functions of rows and elements do not run on a GPU: ${gpu}`);
const opened = (): Device => {
  if (typeof gpu === "string") throw new Error(gpu);
  return gpu;
};

const dtypes: readonly Float[] = ["bf16", "f16", "f32"];
/** What the emulator runs, and rows that it would take minutes for. */
const shapes: readonly (readonly number[])[] = [
  [300, 8192],
  [7, 16384],
  [4, 128256],
  [1, 300_000],
  [3, 50257],
  [1000, 777],
  [4097, 64],
  [2, 3, 1000],
];
const all = [...cases, ...elementCases].flatMap((of, c) =>
  shapes.flatMap((shape, s) =>
    (["dense", "crooked"] as const).map((layout, l) => ({
      of,
      name: of.name,
      shape,
      layout,
      dtype: dtypes[(c + s + l) % 3] ?? "f32",
    })),
  ),
);

describe.skipIf(typeof gpu === "string")("functions of rows and elements on the GPU, against f64", () => {
  afterAll(() => opened().dispose());
  it.each(all)("$name of $dtype $shape, $layout", async ({ of, dtype, shape, layout }) => {
    const { out, want } = of.run(layouts[layout](opened()), dtype, shape, {});
    expect(await distance(of, out, want)).toBeLessThanOrEqual(1);
  });

  it.each([
    ["bf16", [64, 128256], 50, "normal", true],
    ["f32", [5, 128257], 1000, "special", false],
    ["f16", [20, 40000], 2048, "ties", true],
    ["bf16", [3, 50257], 64, "same", false],
    ["bf16", [1000, 256], 8, "ties", true],
  ] as const)("topK of %s %j, the first %i: %s", async (dtype, shape, k, kind: Kind, dense) => {
    const x = matrix(opened(), dtype, shape, kind, dense);
    const { values, indices } = topK(x, k);
    const [rows, got, at] = [await rowsOf(x), await rowsOf(values), await rowsOf(indices)];
    for (const r of [0, 1, rows.length - 1]) {
      const want = columnsInOrder(rows[r] ?? []).slice(0, k);
      expect([at[r], got[r]]).toEqual([want, want.map((c) => rows[r]?.[c])]);
    }
  });

  it.each([
    ["i32", [1_000_003]],
    ["f32", [300, 4000]],
    ["u32", [5, 100_000]],
  ] as const)("sort of %s %j", async (dtype, shape) => {
    const count = shape.reduce((a: number, b) => a * b, 1);
    const data = Array.from({ length: count }, (_, i) => (Math.imul(i, 0x9e3779b1) >>> 4) % 100_003);
    const x = opened().tensor(dtype, [...shape], data);
    const { keys, values } = sort(x, { values: "columns" });
    const [rows, got, at] = [await rowsOf(x), await rowsOf(keys), values ? await rowsOf(values) : []];
    for (const r of [0, rows.length - 1]) {
      const row = rows[r] ?? [];
      const want = row.map((_, i) => i).sort((a, b) => (row[a] ?? 0) - (row[b] ?? 0) || a - b);
      expect(at[r]).toEqual(want);
      expect(got[r]).toEqual(want.map((c) => row[c]));
    }
  });
});
