import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, helper, openDevice } from "warpsmith";
import { matmul, matmulKernel, type Plan } from "warpsmith/kernels";
import { openFake } from "../cuda/open-fake.ts";
import { distance, type Half, type Layout, operandsOf, rowsOf, type Size, smallPlan } from "./products.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator", { check: "strict" });
});
afterAll(() => device.dispose());

async function distanceBy(plan: Partial<Plan>, size: Size, layout: Layout = "nn", dtype: Half = "f16"): Promise<number> {
  const { a, b } = operandsOf(device, dtype, layout, size);
  return distance(matmul(a, b, { plan: { ...smallPlan, ...plan } }), a, b);
}

/** More iterations along K than stages; the second tile along N is cut. */
const over = (tileN: number): Size => ({ m: 72, n: tileN + 24, k: 136 });
const two = { consumers: 2, wait: 1 } as const;

describe("tiles whose B lies along N and ends inside a panel", () => {
  const plans: readonly [plan: Partial<Plan>, size: Size, layout?: Layout, dtype?: Half][] = [
    [{ tile: [64, 144] }, over(144)],
    [{ tile: [64, 144] }, { m: 64, n: 288, k: 128 }, "nn", "bf16"],
    [{ tile: [64, 224], stores: "warp" }, over(224), "nn", "bf16"],
    [{ tile: [64, 96] }, over(96), "tn"],
    [{ tile: [64, 176] }, over(176)],
    [
      { tile: [128, 144], ...two, cluster: [2, 1] },
      { ...over(144), m: 136 },
    ],
    [{ tile: [64, 96], cluster: [1, 2] }, over(96), "tn"],
    [{ tile: [64, 144], ...two, schedule: "pingpong", cluster: [2, 1] }, over(144)],
    [
      { tile: [128, 96], splitTail: true, blocks: 3 },
      { ...over(96), m: 136 },
    ],
    [{ tile: [64, 112], cluster: [8, 1], blocks: 8 }, over(112)],
    [{ tile: [128, 208], ...two, stages: 3, leftFirst: 2 }, over(208)],
  ];
  it.each(plans)("%o, %o %s %s", async (plan, size, layout, dtype) => {
    expect(await distanceBy(plan, size, layout, dtype)).toBeLessThan(1);
  });

  it("share the pipeline with an input of the epilogue", async () => {
    const size = { m: 72, n: 168, k: 136 };
    const { a, b } = operandsOf(device, "f16", "nn", size);
    const inputs = { x: rowsOf(device, "f16", size.m, size.n, 3) };
    const epilogue = helper((value: number, { x }: { readonly x: number }) => value + x);
    const x = await inputs.x.read();
    const plan: Plan = { ...smallPlan, tile: [64, 144], stages: 4, ...two, schedule: "pingpong" };
    const finish = (value: number, row: number, col: number) => value + (x[row * size.n + col] ?? Number.NaN);
    expect(await distance(matmul(a, b, { inputs, epilogue, plan }), a, b, finish)).toBeLessThan(1);
  });

  it("take the shared memory of whole panels", () => {
    const { a, b } = operandsOf(device, "f16", "nn", over(144));
    const by = (stages: number) => () => matmulKernel(a, b, { plan: { ...smallPlan, tile: [128, 144], ...two, stages } }).kernel;
    expect(by(5)).not.toThrow();
    expect(by(6)).toThrow(/W7614 .* 6 stages of 40960/);
  });
});

/** Sizes for which `measured` has a tile that is no multiple of 64 wide. */
it.each([
  [1536, 1536, 1536, "f16"],
  [512, 14336, 4096, "bf16"],
] as const)("the plan timed for %d x %d x %d goes for either layout of B", async (m, n, k, dtype) => {
  const { device: fake } = await openFake();
  const a = fake.empty(dtype, [m, k]);
  const ptx = (b: Parameters<typeof matmulKernel<Half>>[1]): string => {
    const { kernel, args } = matmulKernel(a, b as never);
    return kernel.compile(...(args as Parameters<typeof kernel.compile>)).ptx;
  };
  const [along, across] = [ptx(fake.empty(dtype, [k, n])), ptx(fake.empty(dtype, [n, k]).transpose(1, 0))];
  const products = (text: string) => new Set(text.match(/wgmma\.mma_async\.sync\.aligned\.m64n\d+k16/g));
  expect(products(along)).toEqual(products(across));
});
