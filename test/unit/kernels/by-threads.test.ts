import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, type DeviceTensor, helper, openDevice } from "warpsmith";
import { gatedMatmul, gatedMatmulKernel, type MatmulOptions, matmul, matmulKernel, type Plan } from "warpsmith/kernels";
import { randn } from "warpsmith/testing";
import { rotating, some } from "../../support/amount.ts";
import { type AmidNaN, matrixAmidNaN, operandsAmidNaN } from "./amid-nan.ts";
import { gatedDistance } from "./pairs.ts";
import { changedBeside, partOf } from "./parts.ts";
import { distance, type Half, type Layout, layouts, type Matrix, rowsOf, type Size, smallPlan } from "./products.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator", { check: "strict" });
});
afterAll(() => device.dispose());

const small: Plan = { ...smallPlan, unaligned: "threads" };
const plans: Readonly<Record<string, Plan>> = {
  small,
  together: { ...small, tile: [128, 144], consumers: 2, wait: 1, leftFirst: 1, stages: 3 },
  narrow: { ...small, tile: [64, 16], stores: "warp" },
  "in turns": { ...small, tile: [64, 48], consumers: 2, schedule: "pingpong", wait: 1, stages: 3 },
  halves: { ...small, tile: [128, 64], splitTail: true, blocks: 3 },
  "parts of K": { ...small, tile: [64, 32], splits: 2, stores: "warp" },
};

/** Of operands whose lines are `more` elements longer than they have to be, from `begin` on. */
const operands = <D extends Half>(dtype: D, layout: Layout, size: Size, more = 0, begin = 0) =>
  operandsAmidNaN(device, dtype, layout, size, { more, begin });
const amidNaN = <D extends Half>(dtype: D, ...rest: AmidNaN): Matrix<D> => matrixAmidNaN(device, dtype, ...rest);

const isLoadedByThreads = (a: Matrix, b: Matrix, options: MatmulOptions): boolean => {
  const { before, kernel, args } = matmulKernel(a, b, options as never);
  const [first, second] = args as unknown as readonly [object, { readonly lines?: unknown }];
  return before.length === 0 && ("strides" in first || second.lines !== undefined) && kernel.compile(...args).ptx.length > 0;
};

const ways = Object.keys(plans).flatMap((name, i) =>
  layouts.flatMap((layout, j) =>
    [9, 18, 45, 76, 133].filter((_, l) => (i + 2 * j + l) % 5 === 0).map((k) => [name, layout, k] as const),
  ),
);
/** `npm test` asks one way. */
const isFirst = ([name, layout]: (typeof ways)[number]): boolean => name === "narrow" && layout === "tt";

describe("operands that threads load", () => {
  const isRight = async (name: string, layout: Layout, k: number) => {
    const plan = plans[name] ?? small;
    const size = { m: plan.tile[0] + 3, n: plan.tile[1] + 2, k };
    const { a, b } = operands(k % 2 === 0 ? "bf16" : "f16", layout, size, 1);
    expect(isLoadedByThreads(a, b, { plan })).toBe(true);
    expect(await distance(matmul(a, b, { plan }), a, b)).toBeLessThan(1);
  };
  it.each(ways.filter(isFirst))("%s, %s, K = %d", isRight);
  it.each(ways.filter((way) => !isFirst(way)))("%s, %s, K = %d", rotating, isRight);

  it.each(
    some(
      [
        [2, 1, 1],
        [2, 2, 2],
        [4, 4, 4],
        [1, 3, 1],
        [12, 4, 4],
      ],
      1,
    ),
  )("lines %d elements longer, from %d on, by %d at a time", async (more, begin, vector) => {
    const { a, b } = operands("f16", "nt", { m: 20, n: 36, k: 28 }, more, begin);
    const { kernel, args } = matmulKernel(a, b, { plan: small });
    const loads = [...kernel.compile(...args).ptx.matchAll(/ld\.global\S*?(?:\.v(\d))?\.\w(\d+)\s/g)];
    expect(new Set(loads.map(([, count = 1, bits]) => (Number(count) * Number(bits)) / 16))).toEqual(new Set([vector]));
    expect(await distance(matmul(a, b, { plan: small }), a, b)).toBeLessThan(1);
  });

  it("one of the two, whichever: TMA loads the other", rotating, async () => {
    const pairs = [
      [amidNaN("f16", 40, 75, 77, 1, 1), rowsOf(device, "f16", 75, 24, 2)],
      [amidNaN("f16", 1, 29, 40, 3, 3), amidNaN("f16", 29, 16, 16, 0, 4)],
      [rowsOf(device, "f16", 40, 75, 1), amidNaN("f16", 75, 25, 26, 1, 2)],
    ] as const;
    for (const [a, b] of some(pairs, 1)) expect(await distance(matmul(a, b, { plan: small }), a, b)).toBeLessThan(1);
  });

  it.each(["bf16", "f16", "f32"] as const)(
    "stored as %s into a part of wider rows, and nothing beside it",
    rotating,
    async (dtype) => {
      const places = [
        [73, 3],
        [80, 0],
        [74, 2],
      ] as const;
      for (const [pitch, begin] of places) {
        const { a, b } = operands("bf16", "nt", { m: 70, n: 67, k: 21 });
        const { memory, part } = partOf(device, dtype, [70, 67], { pitch, begin });
        matmul(a, b, { out: part, plan: small });
        expect(await distance(part, a, b)).toBeLessThan(1);
        expect(await changedBeside(memory, 67, begin)).toBe(0);
      }
    },
  );

  it.each(
    some(
      [
        ["in turns", true],
        ["small", false],
        ["small", true],
        ["in turns", false],
      ] as const,
      0,
    ),
  )("with alpha, beta and an epilogue that reads columns, rows and a tile: %s, by the pipeline: %s", async (name, pipe) => {
    const [m, n, k] = [70, 56, 75];
    const given = { c: randn(n, 3), r: randn(m, 4) };
    const fn = helper(
      (value: number, { c, r, x }: { readonly c: number; readonly r: number; readonly x: number }) =>
        Math.max(value + c, 0) + r + x,
    );
    const plan = { ...(plans[name] ?? small), stages: 3 };
    const { a, b } = operands("f16", "nt", { m, n, k });
    const x = pipe ? rowsOf(device, "f16", m, n, 5) : amidNaN("f16", m, n, n + 1, 1, 5);
    const xs = await x.read();
    const [c, r] = [device.tensor("f32", [n], given.c), device.tensor("f32", [m, 1], given.r)];
    const out = device.tensor("f16", [m, n], randn(m * n, 6));
    const before = await out.read();
    matmul(a, b, { out, plan, alpha: 0.5, beta: 2, inputs: { c, r, x }, epilogue: fn });
    const finish = (value: number, row: number, col: number) =>
      Math.max(0.5 * value + 2 * (before[row * n + col] ?? 0) + (given.c[col] ?? 0), 0) +
      (given.r[row] ?? 0) +
      (xs[row * n + col] ?? 0);
    expect((await distance(out, a, b, finish)) / 4).toBeLessThan(1);
  });

  it("of a batch whose matrices begin anywhere, all with one matrix or each with its own", rotating, async () => {
    const [count, m, n, k] = [3, 20, 24, 21];
    const memory = device.tensor("f16", [count, m, k + 2], randn(count * m * (k + 2), 1)) as DeviceTensor<"f16", 3>;
    const a = memory.slice(undefined, undefined, [1, k + 1]);
    const weights = device.tensor("f16", [count, n, k], randn(count * n * k, 2)) as DeviceTensor<"f16", 3>;
    const alike = device.tensor("f16", [k, n], randn(k * n, 3)) as Matrix<"f16">;
    const of = (batch: DeviceTensor<"f16", 3>, i: number) => batch.slice([i, i + 1]).reshape(batch.shape[1], batch.shape[2]);
    const all = matmul(a, weights.transpose(0, 2, 1), { plan: small });
    const one = matmul(a, alike, { plan: small });
    for (let i = 0; i < count; i++) {
      const left = device.tensor("f16", [m, k], await dense(a, i)) as Matrix;
      expect(await distance(of(all, i), left, of(weights, i).transpose(1, 0) as Matrix)).toBeLessThan(1);
      expect(await distance(of(one, i), left, alike)).toBeLessThan(1);
    }
  });

  it("of a batch that no launch copies, whatever the estimate says of long K", rotating, async () => {
    const [count, m, n, k] = [2, 5, 8, 3999];
    const memory = device.tensor("f16", [count, m + 1, k], randn(count * (m + 1) * k, 1)) as DeviceTensor<"f16", 3>;
    const b = device.tensor("f16", [k, n], randn(k * n, 2)) as Matrix<"f16">;
    const dense = matmulKernel(memory, b);
    dense.out.dispose();
    expect(dense.before).toHaveLength(1);
    const result = matmul(memory.slice(undefined, [0, m]), b);
    const first = memory.slice([0, 1], [0, m]).reshape(m, k) as Matrix<"f16">;
    expect(await distance(result.slice([0, 1]).reshape(m, n), first, b)).toBeLessThan(1);
  });

  /** A matrix of a batch whose lines are apart, as it is read. */
  async function dense(batch: DeviceTensor<"f16", 3>, i: number): Promise<Float32Array> {
    const [, rows, columns] = batch.shape;
    const all = await batch.read();
    return Float32Array.from({ length: rows * columns }, (_, j) => all[i * rows * columns + j] ?? Number.NaN);
  }

  it("with rows that the launch says, one kernel for all of them", rotating, async () => {
    const kernels = new Set<unknown>();
    for (const m of some([40, 1, 130, 65], 2)) {
      const { a, b } = operands("f16", "nt", { m, n: 20, k: 77 });
      kernels.add(matmulKernel(a, b, { plan: small, dynamicM: true }).kernel);
      expect(await distance(matmul(a, b, { plan: small, dynamicM: true }), a, b)).toBeLessThan(1);
    }
    expect(kernels.size).toBe(1);
  });

  it("of a gated pair", rotating, async () => {
    for (const layout of some(["nt", "nn"] as const, 1)) {
      const [m, n, k] = [40, 37, 75];
      const { a, b: gate } = operands("bf16", layout, { m, n, k });
      const up = operands("bf16", layout, { m, n, k }, 2, 2).b;
      const options = { plan: { ...small, tile: [64, 32], stages: 3 }, dtype: "f32" } as const;
      const { before, out } = gatedMatmulKernel(a, gate, up, options);
      out.dispose();
      expect(before).toEqual([]);
      expect(await gatedDistance(gatedMatmul(a, gate, up, options), { a, gate, up } as never)).toBeLessThan(1);
    }
  });

  it("are read anew by each call, in streams and graphs: no memory is kept", rotating, async () => {
    const { a, b } = operands("f16", "nt", { m: 40, n: 24, k: 33 });
    const out = device.empty("f16", [40, 24]);
    using graph = device.capture(() => void matmul(a, b, { out, plan: small, overlapPrevious: true }));
    graph.launch();
    expect(await distance(out, a, b)).toBeLessThan(1);
    a.write(randn(40 * 33, 9));
    graph.launch();
    expect(await distance(out, a, b)).toBeLessThan(1);
  });

  it("are refused to blocks that load for each other", () => {
    const { a, b } = operands("f16", "nt", { m: 40, n: 24, k: 33 });
    expect(() => matmul(a, b, { plan: { ...small, tile: [64, 64], cluster: [2, 1] } })).toThrow(/W7613/);
  });
});
