import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, type DeviceTensor, helper, openDevice } from "warpsmith";
import { gatedMatmul, matmul, matmulKernel } from "warpsmith/kernels";
import { randn } from "warpsmith/testing";
import { rotating, some } from "../../support/amount.ts";
import { outputPlans } from "./output-plans.ts";
import { gatedDistance, pairOf } from "./pairs.ts";
import { distance, type Half, operandsOf, smallPlan } from "./products.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator", { check: "strict" });
});
afterAll(() => device.dispose());

type Type = Half | "f32";
const types: readonly Type[] = ["f16", "bf16", "f32"];

/** Memory whose elements are all 7: [rows, columns] of it begin at `at`. */
function placed(dtype: Type, [rows, columns]: readonly [number, number], [row, col]: readonly [number, number], more: number) {
  const memory = device.empty(dtype, [rows + row + 1, columns + col + more]) as DeviceTensor<Type, 2>;
  memory.fill(7);
  const view = memory.slice([row, row + rows], [col, col + columns]) as DeviceTensor<Type, 2>;
  /** Elements beside the view that are not what they were. */
  const spoilt = async () => {
    const [, width] = memory.shape;
    const inside = (i: number) => {
      const [r, c] = [Math.trunc(i / width) - row, (i % width) - col];
      return r >= 0 && r < rows && c >= 0 && c < columns;
    };
    return Array.from(await memory.read()).filter((value, i) => !inside(i) && value !== 7).length;
  };
  return { view, spoilt };
}

/** The element, what it was before, and its negative half. */
const three = helper((value: number) => ({ value: Math.max(value, 0), z: value, half: value * -0.5, top: value }));

describe("what else an epilogue gives of each element", () => {
  const names = ["in turns", ...Object.keys(outputPlans).filter((name) => name !== "in turns")];
  const ways = names.flatMap((name) => types.map((result, i) => [name, result, i] as const));
  it.each(some(ways, 0))("by a plan: %s, of %s", async (name, result, i) => {
    const [plan, dtype, layout, size] = outputPlans[name] ?? [smallPlan, "f16", "nt", { m: 8, n: 8, k: 8 }];
    const { a, b } = operandsOf(device, dtype, layout, size);
    const { m, n } = size;
    const [z, half] = [
      placed(types[(i + 1) % 3] ?? "f32", [m, n], [0, 0], 8),
      placed(types[(i + 2) % 3] ?? "f16", [m, n], [1, 8], 0),
    ];
    const top = device.empty("f32", [m]);
    const outputs = { z: z.view, half: half.view, top: { max: top } };
    using d = matmul(a, b, { epilogue: three, outputs, plan, dtype: result });
    expect(await distance(d, a, b, (value) => Math.max(value, 0))).toBeLessThan(1);
    expect(await distance(z.view, a, b)).toBeLessThan(1);
    expect(await distance(half.view, a, b, (value) => value * -0.5)).toBeLessThan(1);
    expect([await z.spoilt(), await half.spoilt()]).toEqual([0, 0]);
  });

  const places = [
    ["threads", "threads", [1, 5], [2, 3]],
    ["threads", "TMA", [1, 5], [0, 0]],
    ["TMA", "threads", [0, 0], [3, 1]],
  ] as const;
  const stored = places.flatMap((place) => (["warp", "warpgroup"] as const).map((stores) => [...place, stores] as const));
  it.each(some(stored, 0))("where %s stores the result, %s what else there is: %j, %j, %s", async (_, __, ofOut, ofZ, stores) => {
    const [m, n] = [40, 72];
    const { a, b } = operandsOf(device, "bf16", "nt", { m, n, k: 40 });
    const [out, z] = [placed("bf16", [m, n], ofOut, ofOut[1] ? 6 : 8), placed("f32", [m, n], ofZ, ofZ[1] ? 2 : 8)];
    const options = { out: out.view, epilogue: three, plan: { ...smallPlan, stores } } as const;
    matmul(a, b, {
      ...options,
      outputs: { z: z.view, half: device.empty("f16", [m, n]), top: { max: device.empty("f32", [m]) } },
    });
    expect(await distance(out.view, a, b, (value) => Math.max(value, 0))).toBeLessThan(1);
    expect(await distance(z.view, a, b)).toBeLessThan(1);
    expect([await out.spoilt(), await z.spoilt()]).toEqual([0, 0]);
  });

  it("without a plan, of odd extents", rotating, async () => {
    const [m, n, k] = [5, 37, 75];
    const { a, b } = operandsOf(device, "f16", "tn", { m, n, k });
    const z = placed("bf16", [m, n], [0, 0], 0);
    const of = helper((value: number) => ({ value: -value, z: value }));
    const d = matmul(a, b, { epilogue: of, outputs: { z: z.view } });
    expect(await distance(d, a, b, (value) => -value)).toBeLessThan(1);
    expect(await distance(z.view, a, b)).toBeLessThan(1);
    expect(await z.spoilt()).toBe(0);
  });

  it.each(some(Object.keys(outputPlans), 0))("with what it reads, alpha, and the result before: %s", async (name) => {
    const [plan, dtype, layout, size] = outputPlans[name] ?? [smallPlan, "f16", "nt", { m: 8, n: 8, k: 8 }];
    const { a, b } = operandsOf(device, dtype, layout, size);
    const { m, n } = size;
    const [before, added] = [randn(m * n, 5), randn(m * n, 6)];
    const out = device.tensor(dtype, [m, n], before) as DeviceTensor<Half, 2>;
    const [was, more] = [Float32Array.from(await out.read()), device.tensor(dtype, [m, n], added) as DeviceTensor<Half, 2>];
    const adds = Float32Array.from(await more.read());
    const z = placed("f32", [m, n], [0, 0], 0);
    const of = helper((value: number, { more }: { readonly more: number }) => ({ value: value + more, z: value - more }));
    matmul(a, b, { out, alpha: 0.5, beta: 2, inputs: { more }, epilogue: of, outputs: { z: z.view }, plan });
    const want = (sign: number) => (value: number, row: number, col: number) =>
      value * 0.5 + 2 * (was[row * n + col] ?? 0) + sign * (adds[row * n + col] ?? 0);
    expect(await distance(out, a, b, want(1))).toBeLessThan(1);
    expect(await distance(z.view, a, b, want(-1))).toBeLessThan(1);
  });

  it("for every M by one kernel, and in batches", rotating, async () => {
    const kernels = new Set<unknown>();
    const of = helper((value: number) => ({ value: value + 1, z: value }));
    const { a, b } = operandsOf(device, "f16", "nt", { m: 72, n: 40, k: 40 });
    for (const m of [72, 3]) {
      const z = placed("bf16", [m, 40], [0, 0], 0);
      const options = { plan: smallPlan, dynamicM: true, epilogue: of, outputs: { z: z.view } } as const;
      kernels.add(matmulKernel(a.slice([0, m]), b, options).kernel);
      const d = matmul(a.slice([0, m]), b, options);
      expect(await distance(d, a.slice([0, m]), b, (value) => value + 1)).toBeLessThan(1);
      expect(await distance(z.view, a.slice([0, m]), b)).toBeLessThan(1);
      expect(await z.spoilt()).toBe(0);
    }
    expect(kernels.size).toBe(1);
    const [m, n, k] = [24, 40, 40];
    for (const batch of some([3, 1], 1)) {
      const x = device.tensor("f16", [batch, m, k], randn(batch * m * k, 7)) as DeviceTensor<"f16", 3>;
      const z = device.empty("f32", [batch, m, n]) as DeviceTensor<"f32", 3>;
      matmul(x, b, { plan: smallPlan, epilogue: of, outputs: { z }, dynamicM: batch === 3 });
      for (let i = 0; i < batch; i++) {
        const one = <D extends Type>(t: DeviceTensor<D, 3>) => t.slice([i, i + 1]).reshape(m, t.shape[2]) as DeviceTensor<D, 2>;
        expect(await distance(one(z), one(x), b)).toBeLessThan(1);
      }
    }
  });

  it("of a gated pair: both sums", async () => {
    for (const stores of some(["warp", "warpgroup"] as const, 1)) {
      const pair = pairOf(device, "bf16", "nt", { m: 40, n: 40, k: 40 });
      const [g, u] = [placed("f32", [40, 40], [0, 0], 8), placed("bf16", [40, 40], [0, 8], 0)];
      const of = helper((gate: number, up: number) => ({ value: gate * up, g: gate, u: up }));
      const { a, gate, up } = pair;
      const d = gatedMatmul(a, gate, up, { epilogue: of, outputs: { g: g.view, u: u.view }, plan: { ...smallPlan, stores } });
      expect(await gatedDistance(d, pair, (g, u) => g * u)).toBeLessThan(1);
      expect(await distance(g.view, a, gate)).toBeLessThan(1);
      expect(await distance(u.view, a, up)).toBeLessThan(1);
    }
  });

  it("finds a launch again by the same tensors", () => {
    const { a, b } = operandsOf(device, "f16", "nt", { m: 8, n: 16, k: 16 });
    const out = device.empty("f16", [8, 16]) as DeviceTensor<"f16", 2>;
    const [one, other] = [device.empty("f16", [8, 16]), device.empty("f16", [8, 16])];
    const of = helper((value: number) => ({ value, z: value }));
    const made = (z: DeviceTensor<"f16">) => matmulKernel(a, b, { out, epilogue: of, outputs: { z }, plan: smallPlan });
    expect(made(one).args).toBe(made(one).args);
    expect(made(other).args).not.toBe(made(one).args);
    expect(made(other).kernel).toBe(made(one).kernel);
  });
});

describe("of what an epilogue gives for elements is refused", () => {
  const of = helper((value: number) => ({ value, z: value }));
  const { a, b, z } = { a: [8, 16], b: [16, 24], z: [8, 24] } as const;
  const call = (make: (made: Readonly<Record<"a" | "b", DeviceTensor>>) => object) => () => {
    const made = { a: device.zeros("f16", [...a]), b: device.zeros("f16", [...b]) };
    return matmul(made.a as never, made.b as never, { epilogue: of, plan: smallPlan, ...make(made) } as never);
  };

  it("what does not fit, before anything runs", () => {
    const outputs = (z: unknown) => ({ outputs: { z } });
    expect(call(() => outputs(device.empty("f16", [24, 8])))).toThrow(/W7696 .*a tensor of f16, bf16 or f32, \[8, 24\]; or/);
    expect(call(() => outputs(device.empty("i32", [...z])))).toThrow(/W7696 .*of i32/);
    expect(call(() => outputs(device.empty("f16", [24, 8]).transpose(1, 0)))).toThrow(/W7706 .*output z .*1, 8/);
    const half = device.empty("f16", [16, 24]);
    expect(call(() => ({ ...outputs(half.slice([0, 8])), out: half.slice([4, 12]) }))).toThrow(
      /W7698 .*z shares memory with out/,
    );
    expect(call(() => ({ ...outputs(half.slice([0, 8])), inputs: { z: half.slice([0, 8]) } }))).toThrow(
      /W7705 .*output z shares memory with the input z/,
    );
    expect(call(() => ({ outputs: { z: half.slice([0, 8]), y: { max: device.empty("f32", [8]) } } }))).toThrow(
      /W7695 .*number y/,
    );
    const both = device.zeros("f16", [24, 24]);
    const [x, w] = [both.slice([0, 8], [0, 16]), both.slice([8, 24])] as [DeviceTensor<"f16", 2>, DeviceTensor<"f16", 2>];
    expect(() => matmul(x, w, { epilogue: of, outputs: { z: both.slice([4, 12]) } })).toThrow(/W7705 .*with the operand a/);
    expect(() => matmul(x, w, { epilogue: of, outputs: { z: both.slice([8, 16]) } })).toThrow(/W7705 .*with the operand b/);
    const batch = device.zeros("f16", [2, 8, 16]) as DeviceTensor<"f16", 3>;
    const wide = device.empty("f16", [2, 8, 25]).slice([0, 2], [0, 8], [0, 24]);
    expect(() => matmul(batch, w, { epilogue: of, outputs: { z: wide } })).toThrow(/W7673 .*The output z of a batch/);
  });
});
