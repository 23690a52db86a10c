import { afterAll, describe, expect, it } from "vitest";
import { type DeviceTensor, helper, type Kernel } from "warpsmith";
import * as kernels from "warpsmith/kernels";
import { executableCache, replaceExecutableCache } from "../../../src/kernel/executable-cache.ts";
import { some } from "../../support/amount.ts";
import { openFake } from "../cuda/open-fake.ts";

/** PTX by the key that it is kept under on disk. */
const kept = new Map<string, string>();

const { keyOf } = executableCache({ get: () => undefined, put: () => {} }, "a build");
const takeBack = replaceExecutableCache({
  keyOf,
  get: () => undefined,
  put: (key, { ptx }) => void kept.set(key, ptx),
});
afterAll(takeBack);

type Float = "f16" | "bf16" | "f32";
type Any = DeviceTensor<Float, 2>;
type Ready = { readonly kernel: unknown; readonly args: readonly unknown[] };

const compile = ({ kernel, args }: Ready): void => void (kernel as Kernel<unknown[]>).compile(...args).ptx;
const line = ({ device, shape }: Any) => device.empty("f32", [shape[1]]);

/** Of an option of a launch, all that changes what is compiled. */
type Options = { readonly overlapPrevious?: boolean };
const ways: Readonly<Record<string, (x: Any, more: Any, options: Options) => Ready>> = {
  softmax: (x, _, o) => kernels.kernelOf(kernels.softmax, x, o),
  rmsNorm: (x, _, o) => kernels.kernelOf(kernels.rmsNorm, x, line(x), o),
  "rmsNorm of a sum": (x, residual, o) => kernels.kernelOf(kernels.rmsNorm, x, line(x), { residual, sum: residual, ...o }),
  layerNorm: (x, _, o) => kernels.kernelOf(kernels.layerNorm, x, line(x), { bias: line(x), ...o }),
  crossEntropy: (x, _, o) => kernels.kernelOf(kernels.crossEntropy, x, x.device.empty("i32", [x.shape[0]]), o),
  sum: (x, _, o) => kernels.kernelOf(kernels.sum, x, o),
  mean: (x, _, o) => kernels.kernelOf(kernels.mean, x, o),
  max: (x, _, o) => kernels.kernelOf(kernels.max, x, o),
  argmax: (x, _, o) => kernels.kernelOf(kernels.argmax, x, o),
  cumsum: (x, _, o) => kernels.kernelOf(kernels.cumsum, x, o),
  sumColumns: (x, _, o) => kernels.kernelOf(kernels.sumColumns, x, o),
  transpose: (x, _, o) => kernels.kernelOf(kernels.transpose, x, o),
  topK: (x, _, o) => kernels.kernelOf(kernels.topK, x, 7, o),
  "topK of fewer": (x, _, o) => kernels.kernelOf(kernels.topK, x, 2, o),
  embedding: (x, _, o) => kernels.kernelOf(kernels.embedding, x, x.device.empty("i32", [x.shape[0]]), o),
  logSoftmax: (x, _, o) => kernels.kernelOf(kernels.logSoftmax, x, o),
  logSumExp: (x, _, o) => kernels.kernelOf(kernels.logSumExp, x, o),
  min: (x, _, o) => kernels.kernelOf(kernels.min, x, o),
  argmin: (x, _, o) => kernels.kernelOf(kernels.argmin, x, o),
  "sort of rows": (x, _, o) => kernels.kernelOf(kernels.sort, x.device.empty("f32", x.shape), { values: "columns", ...o }),
  sample: (x, _, o) => kernels.kernelOf(kernels.sample, x, { seed: 1, ...o }),
  "sort of keys": (x, _, o) => kernels.kernelOf(kernels.sort, x.device.empty("i32", x.shape), o),
};

/** How many kernels are kept on disk that were not before. */
function added(work: () => void): number {
  const before = kept.size;
  work();
  return kept.size - before;
}

describe("kernels of the library on disk", () => {
  it.each(some(Object.keys(ways), 11))("%s: one for each type, row length, and way to start", async (way) => {
    const { device } = await openFake();
    const compiled = (dtype: Float, rows: number, columns: number, options: Options): void => {
      const make = () => device.empty(dtype, [rows, columns]) as Any;
      compile(ways[way]?.(make(), make(), options) as Ready);
    };
    expect(added(() => compiled("bf16", 64, 1000, {}))).toBe(1);
    expect(added(() => compiled("bf16", 64, 1000, { overlapPrevious: true }))).toBe(1);
    expect(added(() => compiled("bf16", 64, 1000, {}))).toBe(0);
  });

  it("products, those with alpha and beta, and copies of operands", async () => {
    const { device } = await openFake();
    const [a, b] = [device.empty("f16", [128, 64]), device.empty("f16", [64, 256])];
    const out = device.empty("f32", [128, 256]);
    const compiled = (options: object, x = a, w = b): void => {
      const { kernel, args, before } = kernels.matmulKernel(x, w, options);
      compile({ kernel, args });
      for (const copy of before) compile(copy);
    };
    expect(added(() => compiled({}))).toBe(1);
    expect(added(() => compiled({ out }))).toBe(1);
    expect(added(() => compiled({ alpha: 2 }))).toBe(1);
    expect(added(() => compiled({ alpha: 3 }))).toBe(0);
    expect(added(() => compiled({ out, beta: 1 }))).toBe(1);
    // Threads of the product load short lines that TMA cannot load; long ones are copied before.
    const misaligned = (k: number) => device.empty("f16", [128, k + 3]).slice(undefined, [1, k + 1]);
    expect(added(() => compiled({}, misaligned(64)))).toBe(1);
    expect(added(() => compiled({}, misaligned(8192), device.empty("f16", [8192, 256])))).toBe(2);
  });

  it("attention and decoding", async () => {
    const { device } = await openFake();
    const heads = (count: number, length: number) => device.empty("f16", [1, count, length, 128]);
    const [q, kv] = [heads(2, 128), heads(1, 256)];
    const compiled = (options: object): void => compile(kernels.attentionKernel(q, kv, kv, options) as unknown as Ready);
    expect(added(() => compiled({}))).toBe(1);
    expect(added(() => compiled({ causal: true }))).toBe(1);
    expect(added(() => compiled({ scale: 0.5 }))).toBe(1);
    const query = device.empty("f16", [1, 8, 128]);
    expect(added(() => compile(kernels.attentionDecodeKernel(query, kv, kv) as unknown as Ready))).toBe(1);
    // A server's cache of pages grows, and nothing is compiled for it.
    const paged = (count: number): void => {
      const cache = device.empty("f16", [count, 1, 64, 128]);
      const pages = device.empty("i32", [1, count]);
      compile(kernels.attentionDecodeKernel(query, cache, cache, { pages }) as unknown as Ready);
    };
    expect([10, 11, 4096].map((count) => added(() => paged(count)))).toEqual([1, 0, 0]);
  });

  it("none where there is a function of the author's", async () => {
    const { device } = await openFake();
    const x = device.empty("f16", [128, 64]);
    const epilogue = helper((value: number) => value * 2);
    const raised = helper(({ x }: { readonly x: number }) => x + 1);
    const score = helper((s: number) => s * 2);
    const heads = device.empty("f16", [1, 1, 128, 64]);
    expect(added(() => compile(kernels.matmulKernel(x, x.transpose(1, 0), { epilogue }) as unknown as Ready))).toBe(0);
    expect(added(() => compile(kernels.kernelOf(kernels.map, { x }, raised) as Ready))).toBe(0);
    expect(added(() => compile(kernels.attentionKernel(heads, heads, heads, { score }) as unknown as Ready))).toBe(0);
  });
});
