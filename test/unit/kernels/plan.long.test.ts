import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, helper, openDevice } from "warpsmith";
import { matmul, matmulKernel, type Plan } from "warpsmith/kernels";
import { distance, type Layout, operandsOf, rowsOf, smallPlan } from "./products.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator", { check: "strict" });
});
afterAll(() => device.dispose());

/** More iterations along K than stages, and more tiles than blocks. */
const size = { m: 136, n: 72, k: 200 };

async function distanceBy(plan: Partial<Plan>, layout: Layout = "nt"): Promise<number> {
  const { a, b } = operandsOf(device, "f16", layout, size);
  return distance(matmul(a, b, { plan: { ...smallPlan, ...plan } }), a, b);
}

describe("a plan that no kernel can follow is refused before anything runs", () => {
  const refused: readonly [name: string, plan: unknown, layout?: Layout][] = [
    ["`tile`", { tile: [96, 64] }],
    ["`tile`", { tile: [64] }],
    ["`tile`", { tile: 64 }],
    ["`tile`", { tile: [0, 64] }],
    ["`tile`", { tile: [512, 16] }],
    ["`tile`", { tile: [384, 16], consumers: 2 }],
    ["`tile`", { tile: [64, 8] }],
    ["`tile`", { tile: [256, 256], consumers: 2 }],
    ["`tile`", { tile: [64, 272] }],
    ["`tile`", { tile: [64, 64], consumers: 2 }],
    ["`tile`", { tile: [64, 64], splitTail: true }],
    ["`tile`", { tile: [64, 16], cluster: [4, 1], blocks: 4 }],
    ["`stages`", { stages: 0 }],
    ["`stages`", { stages: 1, wait: 1 }],
    ["`stages`", { stages: 1.5 }],
    ["`consumers`", { consumers: 3 }],
    ["`consumers`", { schedule: "pingpong" }],
    ["`schedule`", { schedule: "x" }],
    ["`splitTail`", { schedule: "pingpong", consumers: 2, splitTail: true }],
    ["`cluster`", { cluster: [3, 1], blocks: 3 }],
    ["`cluster`", { cluster: [1] }],
    ["`cluster`", { cluster: [2, 2], blocks: 4 }],
    ["`cluster`", { cluster: [4, 4], blocks: 16 }],
    ["`splits`", { splits: 3 }],
    ["`splits`", { splits: 2, cluster: [2, 1], blocks: 4 }],
    ["`splits`", { splits: 2, consumers: 2, schedule: "pingpong", blocks: 2 }],
    ["`splits`", { splits: 2, tile: [128, 64], splitTail: true, blocks: 2 }],
    ["`splits`", { splits: 2, tile: [64, 128], stages: 3, leftFirst: 1, blocks: 2 }],
    ["`tile`", { splits: 4, tile: [64, 48], blocks: 4 }],
    ["`blocks`", { splits: 4, blocks: 6 }],
    ["`group`", { group: Number.NaN }],
    ["`order`", { order: "row" }],
    ["`wait`", { wait: 2 }],
    ["`leftFirst`", { leftFirst: -1 }],
    ["`leftFirst`", { leftFirst: 1.5 }],
    ["`leftFirst`", { stages: 3, leftFirst: 4 }],
    ["`leftFirst`", { stages: 3, leftFirst: 3, wait: 1 }],
    ["`leftFirst`", { schedule: "pingpong", consumers: 2, leftFirst: 1 }],
    ["`stores`", { stores: undefined }],
    ["`buffers`", { buffers: undefined }],
    ["`splitTail`", { splitTail: "yes" }],
    ["`promotion`", { promotion: "1B" }],
    ["`blocks`", { blocks: 0 }],
    ["`blocks`", { blocks: 1e10 }],
    ["`blocks`", { cluster: [2, 1], blocks: 3 }],
  ];
  it.each(refused)("%s: %o %s", (name, plan, layout = "nt") => {
    const { a, b } = operandsOf(device, "f16", layout, size);
    const call = () => matmul(a, b, { plan: { ...smallPlan, ...(plan as Plan) } });
    expect(call).toThrow(`W7613  ${name} of the plan is`);
  });

  it("what takes more shared memory than there is, and what is no plan", () => {
    const { a, b } = operandsOf(device, "f16", "nt", size);
    const call = (plan: unknown) => () => matmul(a, b, { plan: plan as Plan });
    expect(call({ ...smallPlan, stages: 100 })).toThrow(/W7614 .* 100 stages of 16384.*\n(.*\n)+.*fewer stages/);
    expect(call({ ...smallPlan, buffers: 100 })).toThrow(/W7614 .*\n(.*\n)+.*fewer buffers/);
    for (const plan of [7, "fast", null]) expect(call(plan)).toThrow("W2602  The plan takes");
    expect(call({ ...smallPlan, stage: 4 })).toThrow("W2601  The plan has no option `stage`");
  });
});

it("the plan that is chosen asks how far apart lines lie in memory, not how long they are", () => {
  const [m, n, k] = [512, 2048, 1000];
  /** The kernel where the lines of A, and of B along K or along N, are that far apart. */
  const kernelOf = (pitchA: number, pitchB: number, layout: "nt" | "nn" = "nt") => {
    using wideA = device.empty("f16", [m, pitchA]);
    using wideB = device.empty("f16", [layout === "nt" ? n : k, pitchB]);
    const a = wideA.slice(undefined, [0, k]);
    const b = layout === "nt" ? wideB.slice(undefined, [0, k]).transpose(1, 0) : wideB.slice(undefined, [0, n]);
    using out = device.empty("f16", [m, n]);
    return matmulKernel(a, b, { out }).kernel;
  };
  const [misaligned, aligned] = [kernelOf(1000, 1000), kernelOf(1024, 1024)];
  expect(aligned).not.toBe(misaligned);
  expect(kernelOf(1088, 1152)).toBe(aligned);
  expect(kernelOf(1032, 1032)).toBe(misaligned);
  expect(kernelOf(1088, 1000)).toBe(kernelOf(1024, 1032));
  expect(kernelOf(1024, 2048, "nn")).not.toBe(kernelOf(1024, 2056, "nn"));
  expect(kernelOf(1024, 2112, "nn")).toBe(kernelOf(1024, 2048, "nn"));
});

it("consumers that take turns and read an input from a pipeline of few stages", async () => {
  const { a, b } = operandsOf(device, "f16", "nt", size);
  const inputs = { x: rowsOf(device, "f16", size.m, size.n, 3) };
  const epilogue = helper((value: number, { x }: { readonly x: number }) => value + x);
  const x = await inputs.x.read();
  const by = (stages: number): Plan => ({ ...smallPlan, tile: [64, 80], stages, consumers: 2, schedule: "pingpong" });
  expect(() => matmul(a, b, { inputs, epilogue, plan: by(2) })).not.toThrow();
  const tall: Plan = { ...by(3), tile: [256, 144] };
  expect(() => matmul(a, b, { inputs, epilogue, plan: tall })).toThrow("W7613  `stages` of the plan is 3");
  const out = matmul(a, b, { inputs, epilogue, plan: { ...tall, tile: [128, 144], stages: 3 } });
  const finish = (value: number, row: number, col: number) => value + (x[row * size.n + col] ?? Number.NaN);
  expect(await distance(out, a, b, finish)).toBeLessThan(1);
});

describe("stages of left columns that wait for their right ones, and an input from the pipeline between them", () => {
  const epilogue = helper((value: number, { x }: { readonly x: number }) => value + x);
  const by = (stages: number, leftFirst: number, wait: 0 | 1 = 0): Plan => ({
    ...smallPlan,
    tile: [64, 128],
    stages,
    leftFirst,
    wait,
  });
  const given = () => ({ ...operandsOf(device, "f16", "nt", size), inputs: { x: rowsOf(device, "f16", size.m, size.n, 3) } });

  it.each([by(2, 2), by(3, 2, 1)])("refused: %o", (plan) => {
    const { a, b, inputs } = given();
    expect(() => matmul(a, b, { inputs, epilogue, plan })).toThrow("W7613  `leftFirst` of the plan is 2");
  });

  const few: Plan = { ...smallPlan, tile: [256, 144], consumers: 2 };
  it.each([by(2, 1), by(3, 2), by(3, 1, 1), by(4, 2, 1), few])("%o", async (plan) => {
    const { a, b, inputs } = given();
    const x = await inputs.x.read();
    const finish = (value: number, row: number, col: number) => value + (x[row * size.n + col] ?? Number.NaN);
    expect(await distance(matmul(a, b, { inputs, epilogue, plan }), a, b, finish)).toBeLessThan(1);
  });
});

describe("the outermost plans that are taken are right", () => {
  const taken: readonly [plan: Partial<Plan>, layout?: Layout][] = [
    [{ tile: [64, 16], buffers: 1 }],
    [{ tile: [256, 16], stores: "warp", wait: 1 }],
    [{ tile: [64, 256], buffers: 9 }],
    [{ tile: [64, 16] }, "nn"],
    [{ tile: [512, 16], consumers: 2 }],
    [{ tile: [64, 128], stages: 3, leftFirst: 3 }],
    [{ tile: [64, 128], stages: 4, leftFirst: 3, wait: 1 }],
    [{ tile: [64, 80], stages: 4, leftFirst: 1, wait: 1, stores: "warp" }, "nn"],
    [{ tile: [256, 144], consumers: 2, stages: 3, leftFirst: 2, buffers: 1, splitTail: true, blocks: 3 }],
    [{ tile: [64, 128], stages: 6, leftFirst: 5 }],
    [{ leftFirst: 1 }],
    [{ tile: [128, 64], splitTail: true, blocks: 3 }, "tn"],
    [{ cluster: [1, 8], blocks: 8, wait: 1 }, "tn"],
    [{ tile: [64, 16], cluster: [2, 1], blocks: 2, group: 2 ** 31 - 1, order: "hilbert" }],
    [{ consumers: 2, schedule: "pingpong", wait: 1, cluster: [2, 1], blocks: 2, buffers: 1 }],
    [{ blocks: 30 }],
  ];
  it.each(taken)("%o %s", async (plan, layout) => expect(await distanceBy(plan, layout)).toBeLessThan(1));
});
