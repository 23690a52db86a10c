import { describe, expect, it } from "vitest";
import type { DeviceTensor, Kernel } from "warpsmith";
import * as kernels from "warpsmith/kernels";
import { assemble, noPtxas } from "../../support/ptxas.ts";
import { verifyAfterEachPass } from "../../support/verify-after-each-pass.ts";
import { openFake } from "../cuda/open-fake.ts";

verifyAfterEachPass();

type Float = "bf16" | "f32";
type Any = DeviceTensor<Float, 2>;

const line = ({ device, shape }: Any) => device.empty("f32", [shape[1]]);

/** What would be launched, with the plan that is chosen for that length of rows. */
const ways: Readonly<Record<string, (x: Any, more: Any) => kernels.ReadyKernel>> = {
  softmax: (x) => kernels.kernelOf(kernels.softmax, x),
  logSoftmax: (x) => kernels.kernelOf(kernels.logSoftmax, x),
  logSumExp: (x) => kernels.kernelOf(kernels.logSumExp, x),
  argmin: (x) => kernels.kernelOf(kernels.argmin, x),
  sample: (x) => kernels.kernelOf(kernels.sample, x, { topK: Math.min(50, x.shape[1] - 1), topP: 0.9, seed: 1 }),
  "sample of all": (x) => kernels.kernelOf(kernels.sample, x, { uniform: x.device.empty("f32", [x.shape[0]]) }),
  histogram: (x) => kernels.kernelOf(kernels.histogram, x.device.empty("i32", x.shape), x.shape[1]),
  rmsNorm: (x) => kernels.kernelOf(kernels.rmsNorm, x, line(x)),
  "rmsNorm of a sum": (x, residual) => kernels.kernelOf(kernels.rmsNorm, x, line(x), { residual, sum: residual }),
  layerNorm: (x) => kernels.kernelOf(kernels.layerNorm, x, line(x), { bias: line(x) }),
  "layerNorm of a sum": (x, residual) => kernels.kernelOf(kernels.layerNorm, x, line(x), { residual, sum: residual }),
  crossEntropy: (x) => kernels.kernelOf(kernels.crossEntropy, x, x.device.empty("i32", [x.shape[0]])),
  argmax: (x) => kernels.kernelOf(kernels.argmax, x),
  cumsum: (x) => kernels.kernelOf(kernels.cumsum, x),
  sumColumns: (x) => kernels.kernelOf(kernels.sumColumns, x),
  siluMul: (x, more) => kernels.kernelOf(kernels.siluMul, x, more),
  transpose: (x) => kernels.kernelOf(kernels.transpose, x),
  topK: (x) => kernels.kernelOf(kernels.topK, x, 50),
  embedding: (x) => kernels.kernelOf(kernels.embedding, x, x.device.empty("i32", [x.shape[0]])),
  "sort of a row": (x) => kernels.kernelOf(kernels.sort, x.device.empty("i32", [64 * x.shape[1]]), { values: "columns" }),
  "sort of rows": (x) => kernels.kernelOf(kernels.sort, x.device.empty("f32", x.shape), { values: "columns" }),
};
const columns = [64, 1000, 1001, 4096, 8192, 16384, 32768, 128256];

describe.skipIf(noPtxas !== undefined)("kernels of rows and elements through ptxas", () => {
  const all = Object.keys(ways).flatMap((way, w) =>
    columns.map((n, i) => [way, ((w + i) % 2 === 0 ? "bf16" : "f32") as Float, n] as const),
  );
  it.each(all)("%s of %s, %i columns: nothing spills", async (way, dtype, n) => {
    const { device } = await openFake();
    const make = () => device.empty(dtype, [64, n]) as Any;
    const made = ways[way]?.(make(), make());
    if (!made) throw new Error(way);
    const kernel = made.kernel as Kernel<unknown[]>;
    const result = assemble(kernel.compile(...(made.args as never[])).ptx);
    expect(result?.log).not.toMatch(/error/);
    expect(result?.ok).toBe(true);
    expect(result?.spills).toBe(0);
  });
});
