import type { DeviceTensor } from "warpsmith";
import * as kernels from "warpsmith/kernels";
import { type Assembling, ptxOf } from "./assembling.ts";

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

/** Kernels over rows and elements, each of the two types in turn. */
export const rows: readonly Assembling[] = Object.entries(ways).flatMap(([way, make], w) =>
  columns.map((n, i) => {
    const dtype: Float = (w + i) % 2 === 0 ? "bf16" : "f32";
    return {
      title: `${way} of ${dtype}, ${n} columns`,
      ptx: ({ fake }) => {
        const operand = () => fake.empty(dtype, [64, n]) as Any;
        return ptxOf(make(operand(), operand()));
      },
    };
  }),
);
