import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, openDevice } from "warpsmith";
import { matmul, matmulKernel, type Plan } from "warpsmith/kernels";
import { randn } from "warpsmith/testing";
import { chain, distance, type Half, layouts, operandsOf, rowsOf, type Size, smallPlan } from "./products.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator", { check: "strict" });
});
afterAll(() => device.dispose());

const ragged: Size = { m: 72, n: 40, k: 88 };
const plan = smallPlan;

async function check(dtype: Half, layout: (typeof layouts)[number], size: Size, plan: Plan): Promise<void> {
  const { a, b } = operandsOf(device, dtype, layout, size);
  const product = matmul(a, b, { plan });
  expect(product.shape).toEqual([size.m, size.n]);
  expect(product.dtype).toBe(dtype);
  expect(await distance(product, a, b)).toBeLessThan(1);
}

describe("a product", () => {
  it.each(layouts.flatMap((layout) => (["f16", "bf16"] as const).map((dtype) => [dtype, layout] as const)))(
    "%s %s: ragged along M, N and K, and of whole tiles",
    async (dtype, layout) => {
      if (dtype === "f16") await check(dtype, layout, { m: 64, n: 64, k: 128 }, plan);
      await check(dtype, layout, ragged, plan);
    },
  );

  const plans: Readonly<Record<string, Plan>> = {
    pingpong: { ...plan, consumers: 2, schedule: "pingpong", wait: 1, stores: "warp" },
    cooperative: { ...plan, tile: [128, 64], consumers: 2, wait: 1 },
    "split tail": { ...plan, tile: [128, 64], wait: 1, splitTail: true },
    cluster: { ...plan, cluster: [2, 1] },
  };
  it.each(Object.keys(plans).flatMap((name) => (["nt", "tn"] as const).map((layout) => [name, layout] as const)))(
    "by a plan: %s, %s",
    async (name, layout) => {
      await check("f16", layout, { m: name === "split tail" ? 264 : 136, n: 64, k: 72 }, plans[name] ?? plan);
    },
  );

  it("of one row, of one column, and of a matrix as small as TMA takes", async () => {
    await check("f16", "nt", { m: 1, n: 8, k: 8 }, plan);
    await check("f16", "tt", { m: 1, n: 8, k: 8 }, plan);
    await check("f16", "nn", { m: 1, n: 16, k: 24 }, plan);
    await check("bf16", "nn", { m: 24, n: 1, k: 8 }, plan);
    const [row, column] = [rowsOf(device, "f16", 1, 16, 3), rowsOf(device, "f16", 1, 16, 4).reshape(16, 1)];
    expect(await distance(matmul(row, column, { plan }), row, column)).toBeLessThan(1);
    const turned = row.reshape(16, 1).transpose(1, 0);
    expect(await distance(matmul(turned, column, { plan }), row, column)).toBeLessThan(1);
  });

  it("of one row or column of any length: no second one has to begin anywhere", async () => {
    const row = (k: number, seed: number) => device.tensor("f16", [1, k], randn(k, seed));
    const rows = rowsOf(device, "f16", 45, 8, 5);
    expect(await distance(matmul(row(45, 6), rows, { plan }), row(45, 6), rows)).toBeLessThan(1);
    const part = rowsOf(device, "f16", 3, 48, 7).slice([1, 2], [0, 45]);
    expect(await distance(matmul(part, rows, { plan }), part, rows)).toBeLessThan(1);
    const [column, other] = [row(45, 8).reshape(45, 1), row(13, 9)];
    expect(await distance(matmul(part, column, { plan }), part, column)).toBeLessThan(1);
    expect(await distance(matmul(column, other, { plan }), column, other)).toBeLessThan(1);
  });

  it("without a plan", async () => {
    await check("f16", "nt", { m: 40, n: 24, k: 16 }, plan);
    const { a, b } = operandsOf(device, "bf16", "nn", { m: 40, n: 24, k: 16 });
    expect(await distance(matmul(a, b), a, b)).toBeLessThan(1);
  });

  it.each([41, 1])("of %d columns, whose rows TMA cannot store", async (n) => {
    await check("f16", "nt", { ...ragged, n }, plan);
  });
});

describe("the result", () => {
  it("goes to the memory given, and that is what the call returns", async () => {
    const { a, b } = operandsOf(device, "f16", "nt", ragged);
    const out = device.zeros("f16", [ragged.m, ragged.n]);
    expect(matmul(a, b, { out, plan })).toBe(out);
    expect(await distance(out, a, b)).toBeLessThan(1);
  });

  it("goes between the columns of wider memory, and touches nothing beside it", async () => {
    const { a, b } = operandsOf(device, "f16", "nt", ragged);
    const { m, n } = ragged;
    for (const first of [16, 3]) {
      const wide = device.tensor("f16", [m, 96], new Float32Array(m * 96).fill(5));
      const out = wide.slice(undefined, [first, first + n]);
      matmul(a, b, { out, plan });
      expect(await distance(out, a, b)).toBeLessThan(1);
      const beside = [wide.slice(undefined, [0, first]), wide.slice(undefined, [first + n, 96])];
      for (const part of beside) expect(new Set(await part.read())).toEqual(new Set([5]));
    }
  });

  it("may lie beside the operands in the same memory", async () => {
    const { m, n, k } = { m: 64, n: 32, k: 64 };
    const memory = rowsOf(device, "f16", m, k + n, 5);
    const [a, out] = [memory.slice(undefined, [0, k]), memory.slice(undefined, [k, k + n])];
    const { b } = operandsOf(device, "f16", "nt", { m, n, k });
    expect(await distance(matmul(a, b, { out, plan }), a, b)).toBeLessThan(1);
    expect(() => matmul(a, b, { out: memory.slice(undefined, [k - 8, k - 8 + n]), plan })).toThrow(/W7608/);
  });

  it("is of what the tensors hold now, call after call", async () => {
    const { a, b } = operandsOf(device, "f16", "nt", ragged);
    const others = operandsOf(device, "f16", "nt", { ...ragged, m: ragged.n });
    const out = device.zeros("f16", [ragged.m, ragged.n]);
    matmul(a, b, { out, plan });
    const before = await out.read();
    a.fill(0.5);
    matmul(a, b, { out, plan });
    expect(await out.read()).not.toEqual(before);
    expect(await distance(out, a, b)).toBeLessThan(1);
    const other = matmul(a, others.a.transpose(1, 0), { out, plan });
    expect(await distance(other, a, others.a.transpose(1, 0))).toBeLessThan(1);
  });

  it("comes from a stream of one's own and from a graph", async () => {
    const { a, b } = operandsOf(device, "f16", "nt", { m: 64, n: 64, k: 64 });
    const out = device.zeros("f16", [64, 64]);
    const stream = device.stream();
    matmul(a, b, { out, stream, plan });
    await stream.sync();
    expect(await distance(out, a, b)).toBeLessThan(1);
    using graph = device.capture(() => void matmul(a, b, { out, plan }));
    out.fill(0);
    graph.launch();
    expect(await distance(out, a, b)).toBeLessThan(1);
  });

  it.each([false, true])("is what the product before has left: many in a row, overlapPrevious %s", async (overlapPrevious) => {
    expect(await chain(device, "f16", "nt", { m: 72, n: 40 }, 20, { plan, overlapPrevious })).toBe(0);
    const inTurns = { ...plan, consumers: 2, schedule: "pingpong", stores: "warp" } as const;
    expect(await chain(device, "bf16", "nn", { m: 136, n: 72 }, 7, { plan: inTurns, overlapPrevious })).toBe(0);
  });

  it("begins before its predecessor has ended, and waits for it", () => {
    const { a, b } = operandsOf(device, "f16", "nt", { m: 64, n: 64, k: 64 });
    const out = device.empty("f16", [64, 64]);
    const ptx = (overlapPrevious: boolean): string => {
      const { kernel, args } = matmulKernel(a, b, { out, plan, overlapPrevious });
      return kernel.compile(...args).ptx;
    };
    expect(ptx(true)).toMatch(/griddepcontrol\.wait[\s\S]*griddepcontrol\.launch_dependents/);
    expect(ptx(false)).not.toContain("griddepcontrol");
  });
});
