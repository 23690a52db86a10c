/** Products whose rows end inside 16 bytes: where TMA would write on, threads store (docs/decisions/0024). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, type DeviceTensor, openDevice } from "warpsmith";
import { tensorCorePipeline, type WgmmaPipelineOptions } from "warpsmith/schedule";
import { rotating, some } from "../../../support/amount.ts";
import { type WarpgroupProduct, warpgroupProduct } from "./warpgroup-products.ts";

const small: WgmmaPipelineOptions = { instruction: "wgmma", tile: [64, 64, 64], workgroup: [128, 1, 1], depth: 2, pad: true };
const kernelOf = (product: WarpgroupProduct, options: Partial<WgmmaPipelineOptions> = {}) =>
  tensorCorePipeline(warpgroupProduct({ order: "nt", ...product }), { ...small, ...options }).schedule.kernel();

describe("rows of a result that end inside 16 bytes", () => {
  let device: Device;
  beforeAll(async () => {
    device = await openDevice("emulator", { check: "strict" });
  });
  afterAll(() => device.dispose());

  /** Ones times ones into part of a matrix of -1; all of that matrix. */
  async function multiplied(
    { shape: [m, n, k], ...rest }: WarpgroupProduct,
    pitch: number,
    options: Partial<WgmmaPipelineOptions> = {},
    filled = true,
  ): Promise<readonly number[]> {
    using a = device.empty("f16", [m, k]);
    using b = device.empty("f16", [n, k]);
    using memory = device.empty(rest.result ?? "f32", [m, pitch]) as DeviceTensor<"f16", 2>;
    for (const operand of [a, b]) operand.fill(1);
    if (filled) memory.fill(-1);
    kernelOf({ shape: [m, n, k], ...rest }, options).launch({}, a, b, memory.slice(undefined, [0, n]));
    return Array.from(await memory.read());
  }
  const wanted = (m: number, n: number, pitch: number, k: number) =>
    Array.from({ length: m * pitch }, (_, i) => (i % pitch < n ? k : -1));

  const byThreads = [
    ["rows that follow each other, of an odd length", { shape: [72, 37, 64], result: "f16" }, 37],
    ["a slice of wider memory, f16", { shape: [72, 44, 64], result: "f16" }, 64],
    ["padded rows whose padding is in use", { shape: [72, 44, 64], result: "f16" }, 48],
    ["f32", { shape: [72, 37, 64] }, 64],
  ] as const;
  it.each(some(byThreads, 0))("are stored by threads: %s", async (_, product, pitch) => {
    const [m, n, k] = product.shape;
    expect(await multiplied(product, pitch)).toEqual(wanted(m, n, pitch, k));
  });

  it("are stored by TMA where that is asked for, and what lies behind is padding", async () => {
    const product = { shape: [8, 44, 64], result: "f16" } as const;
    const all = await multiplied(product, 48, { stores: "warp" }, false);
    expect(all.filter((_, i) => i % 48 < 44)).toEqual(Array(8 * 44).fill(64));
    await expect(multiplied(product, 64, { stores: "warp" })).rejects.toThrow(
      /W7675 .*stores to C .*next row begins 40 bytes.*stores: "thread"/s,
    );
    await expect(multiplied(product, 48, { stores: "warpgroup" })).rejects.toThrow(/W9228 .*stores: "thread"/s);
  });

  it("of whole units go by TMA as before", rotating, async () => {
    expect(kernelOf({ shape: [72, 40, 64], result: "f16" }).compile(...specs([72, 64], [40, 64], [72, 40])).ptx).toContain(
      "cp.async.bulk.tensor.2d.global.shared::cta",
    );
    expect(await multiplied({ shape: [72, 40, 64], result: "f16" }, 64)).toEqual(wanted(72, 40, 64, 64));
  });
  const specs = (...shapes: readonly (readonly [number, number])[]) =>
    shapes.map((shape) => ({ dtype: "f16", rank: 2, shape, strides: [shape[1], 1] }) as const) as never[];
});
