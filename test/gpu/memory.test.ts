import { afterAll, describe, expect, it } from "vitest";
import { type Device, openDevice } from "warpsmith";
import { cases, distance, elementCases, type Float, layouts } from "../unit/kernels/memory-cases.ts";

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
});
