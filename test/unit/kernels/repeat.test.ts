import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { type DeviceTensor, helper } from "warpsmith";
import { matmul, matmulKernel } from "warpsmith/kernels";
import { rotating } from "../../support/amount.ts";
import { openFake } from "../cuda/open-fake.ts";
import { smallPlan as plan } from "./products.ts";

const maps = [128, 128, 128];
const add = helper((value: number, { bias }: { readonly bias: number }) => value + bias);
const subtract = helper((value: number, { bias }: { readonly bias: number }) => value - bias);

/** A device over a driver that only remembers, and what it is asked for. */
async function opened(parameterBytes: readonly number[] = maps) {
  const { fake, device } = await openFake({ kernels: { gemm: { parameterBytes } } });
  const matrix = () => device.zeros("f16", [64, 64]);
  const counts = () => [fake.countOf("cuModuleGetFunction"), fake.countOf("cuTensorMapEncodeTiled"), fake.launches.length];
  /** Functions looked up, tensor maps made and launches, in a call. */
  const cost = (call: () => unknown): readonly number[] => {
    const before = counts();
    call();
    return counts().map((count, i) => count - (before[i] ?? 0));
  };
  return { fake, device, matrix, cost };
}

describe("a call of matmul", () => {
  it("with what was given before makes nothing anew, whatever object the options are", async () => {
    const { matrix, cost } = await opened();
    const [a, b, out] = [matrix(), matrix(), matrix()];
    expect(cost(() => matmul(a, b, { out, plan }))).toEqual([1, 3, 1]);
    expect(cost(() => matmul(a, b, { plan, out }))).toEqual([0, 0, 1]);
    expect(cost(() => matmul(a, b, { plan: { ...plan }, out }))).toEqual([0, 0, 1]);
    expect(matmulKernel(a, b, { out, plan }).args).toBe(matmulKernel(a, b, { plan, out }).args);
  });

  it("sees another operand, result and plan, and keeps the maps of what is the same", async () => {
    const { device, matrix, cost } = await opened();
    const [a, b, c, out] = [matrix(), matrix(), matrix(), matrix()];
    matmul(a, b, { out, plan });
    expect(cost(() => matmul(a, c, { out, plan }))).toEqual([0, 1, 1]);
    expect(cost(() => matmul(b, c, { out, plan }))).toEqual([0, 0, 1]); // the boxes of a and b are alike
    expect(cost(() => matmul(a, b, { out, plan: { ...plan, stages: 3 } }))).toEqual([1, 0, 1]);
    expect(cost(() => matmul(a, b, { plan }))).toEqual([0, 1, 1]);
    out.dispose();
    expect(() => matmul(a, b, { out, plan })).toThrow(/W7006/);
    await device.dispose();
  });

  it("knows a view again that is made anew, and sees that its memory is another", async () => {
    const { matrix, cost } = await opened();
    const [a, out] = [matrix(), matrix()];
    const w = matrix();
    const product = () => matmul(a.transpose(1, 0), w.transpose(1, 0), { out, plan });
    expect(cost(product)).toEqual([1, 3, 1]);
    expect(cost(product)).toEqual([0, 0, 1]);
    expect(cost(() => matmul(a.transpose(1, 0), w, { out, plan }))[2]).toBe(1);
    {
      using view = w.transpose(1, 0);
      expect(cost(() => matmul(a, view, { out, plan }))[2]).toBe(1);
    }
    expect(cost(() => matmul(a, w.transpose(1, 0), { out, plan }))[2]).toBe(1);
    w.dispose();
    expect(() => matmul(a, w, { out, plan })).toThrow(/W7006/);
  });

  it("sees other inputs by their tensors, and another epilogue", async () => {
    const { fake, device, matrix, cost } = await opened([...maps, 8]);
    const [a, b, out] = [matrix(), matrix(), matrix()];
    const [bias, other] = [device.zeros("f32", [64]), device.zeros("f32", [64])];
    const pointer = () => new DataView(Uint8Array.from(fake.launches.at(-1)?.parameters[3] ?? []).buffer).getBigUint64(0, true);
    expect(cost(() => matmul(a, b, { out, plan, epilogue: add, inputs: { bias } }))).toEqual([1, 3, 1]);
    expect(cost(() => matmul(a, b, { out, plan, epilogue: add, inputs: { bias } }))).toEqual([0, 0, 1]);
    expect(pointer()).toBe(bias.address());
    const inputs = { bias };
    matmul(a, b, { out, plan, epilogue: add, inputs });
    inputs.bias = other;
    expect(cost(() => matmul(a, b, { out, plan, epilogue: add, inputs }))).toEqual([0, 0, 1]);
    expect(pointer()).toBe(other.address());
    expect(cost(() => matmul(a, b, { out, plan, epilogue: subtract, inputs }))[0]).toBe(1);
  });

  it("leaves no memory behind where it is refused, by its checks or by the kernel", async () => {
    const { fake, device, matrix } = await opened();
    const [a, b] = [matrix(), matrix()];
    const before = fake.liveBytes;
    expect(() => matmul(a, device.zeros("f16", [72, 64]), { plan })).toThrow(/W7603/);
    const odd = fake.liveBytes;
    expect(odd - before).toBe(64 * 72 * 2);
    const wrong = helper((value: number) => {
      if (value > 0) throw new Error("no");
      return value;
    });
    expect(() => matmul(a, b, { epilogue: wrong, plan })).toThrow(/W\d{4}/);
    expect(fake.liveBytes).toBe(odd);
  });

  // It collects all of the process's garbage, which takes seconds where many files share one.
  it("does not keep what nobody else has: results of former calls, and operands", rotating, async () => {
    setFlagsFromString("--expose_gc");
    const collect = runInNewContext("gc") as () => void;
    const { matrix } = await opened();
    const alive = async (refs: readonly WeakRef<object>[]): Promise<number> => {
      await new Promise((done) => setTimeout(done, 0));
      collect();
      return refs.filter((ref) => ref.deref()).length;
    };
    const a = matrix();
    const into = (b: DeviceTensor<"f16", 2>, out: DeviceTensor<"f16", 2>) => void matmul(a, b, { out, plan });
    const results = (() => {
      const b = matrix();
      return Array.from({ length: 60 }, () => {
        const out = matrix();
        into(b, out);
        return new WeakRef<object>(out);
      });
    })();
    expect(await alive(results)).toBeLessThan(20);
    const operands = Array.from({ length: 200 }, () => {
      const b = matrix();
      into(b, matrix());
      return new WeakRef<object>(b);
    });
    expect(await alive(operands)).toBeLessThan(150);
    expect(await alive(results)).toBe(0);
  });
});

it("of kernels for ever new shapes so many are kept as were used last", async () => {
  const { device } = await opened();
  const b = device.zeros("f16", [64, 64]);
  const kernelOf = (rows: number) => {
    using a = device.zeros("f16", [rows, 64]);
    using out = device.zeros("f16", [rows, 64]);
    return matmulKernel(a, b, { out, plan }).kernel;
  };
  const first = kernelOf(1);
  const second = kernelOf(2);
  for (let rows = 3; rows <= 256; rows++) kernelOf(rows);
  expect(kernelOf(1)).toBe(first);
  kernelOf(257);
  expect(kernelOf(1)).toBe(first);
  expect(kernelOf(2)).not.toBe(second);
  await device.dispose();
});
