// What Math's functions cost in whole kernels of f32 and bf16, beside `fast`: softmax, gelu by tanh, layerNorm.
//
//   node --import warpsmith/register bench/math.ts
//
// Medians of 40 launches, with L2 overwritten before each; the two forms take turns, three times. Results are compared with f64 on the host in the same run.
import {
  bf16,
  blockIdx,
  cdiv,
  f32,
  fast,
  type Kernel,
  kernel,
  openDevice,
  type Static,
  staticRange,
  type Tensor,
  threadIdx,
  warp,
} from "warpsmith";

const WARPS = 4,
  LANES = 32,
  VECTOR = 8,
  PARTS = 2,
  rows = 16384,
  cols = 2048;
type Rows = Kernel<[x: Tensor<"bf16", 2>, y: Tensor<"bf16", 2>, isFast: boolean]>;

/** `divides`: each element by the sum; else one division for a row, and products. */
const softmaxes = (divides: boolean): Rows =>
  kernel(
    { block: WARPS * LANES, grid: (x) => cdiv(x.shape[0], WARPS) },
    function softmax(x: Tensor<"bf16", 2>, y: Tensor<"bf16", 2>, isFast: Static<boolean>) {
      const row = blockIdx.x * WARPS + warp.index;
      const at = (c: number) => x.at(row, (c * LANES + warp.lane) * VECTOR);
      const values = [...staticRange(cdiv(x.shape[1], LANES * VECTOR))].map((c) =>
        at(c)
          .load({ vector: VECTOR })
          .map((v) => f32(v)),
      );
      let largest = -Infinity,
        sum = 0;
      for (const chunk of values) for (const v of chunk) largest = Math.max(largest, v);
      largest = warp.max(largest);
      const exps = values.map((chunk) => chunk.map((v) => (isFast ? fast.exp(v - largest) : Math.exp(v - largest))));
      for (const chunk of exps) for (const e of chunk) sum += e;
      sum = warp.sum(sum);
      const inverse = isFast ? fast.rcp(sum) : 1 / sum;
      for (const c of staticRange(values.length)) {
        const out = exps[c].map((e) => bf16(!divides ? e * inverse : isFast ? fast.divide(e, sum) : e / sum));
        y.at(row, (c * LANES + warp.lane) * VECTOR).store(out);
      }
    },
  );
const softmax = softmaxes(false);
const softmaxByQuotients = softmaxes(true);

const gelu: Rows = kernel(
  { block: 256, grid: (x) => (x.shape[0] * x.shape[1]) / (256 * VECTOR * PARTS) },
  function gelu(x: Tensor<"bf16", 2>, y: Tensor<"bf16", 2>, isFast: Static<boolean>) {
    const n = x.shape[0] * x.shape[1];
    const at = (part: number) => ((blockIdx.x * PARTS + part) * 256 + threadIdx.x) * VECTOR;
    // All of a thread's loads are under way before it computes.
    const values = [...staticRange(PARTS)].map((part) => x.reshape(n).at(at(part)).load({ vector: VECTOR }));
    for (const part of staticRange(PARTS)) {
      const out = values[part].map((h) => {
        const v = f32(h),
          u = 0.7978845608028654 * (v + 0.044715 * v * v * v);
        return bf16(0.5 * v * (1 + (isFast ? fast.tanh(u) : Math.tanh(u))));
      });
      y.reshape(n).at(at(part)).store(out);
    }
  },
);

const layerNorm: Rows = kernel(
  { block: WARPS * LANES, grid: (x) => cdiv(x.shape[0], WARPS) },
  function layerNorm(x: Tensor<"bf16", 2>, y: Tensor<"bf16", 2>, isFast: Static<boolean>) {
    const row = blockIdx.x * WARPS + warp.index,
      n = x.shape[1];
    const values = [...staticRange(cdiv(n, LANES * VECTOR))].map((c) =>
      x
        .at(row, (c * LANES + warp.lane) * VECTOR)
        .load({ vector: VECTOR })
        .map((v) => f32(v)),
    );
    let [sum, squares] = [0, 0];
    for (const chunk of values) for (const v of chunk) sum += v;
    const mean = warp.sum(sum) / n;
    for (const chunk of values) for (const v of chunk) squares += (v - mean) * (v - mean);
    const variance = warp.sum(squares) / n + 1e-5,
      scale = isFast ? fast.rsqrt(variance) : 1 / Math.sqrt(variance);
    for (const c of staticRange(values.length))
      y.at(row, (c * LANES + warp.lane) * VECTOR).store(values[c].map((v) => bf16((v - mean) * scale)));
  },
);

const onHost: Readonly<Record<string, (row: readonly number[]) => readonly number[]>> = {
  softmax: (row) => {
    const most = Math.max(...row),
      exps = row.map((v) => Math.exp(v - most)),
      sum = exps.reduce((a, b) => a + b);
    return exps.map((e) => e / sum);
  },
  softmaxByQuotients: (row) => onHost.softmax(row),
  gelu: (row) => row.map((v) => 0.5 * v * (1 + Math.tanh(0.7978845608028654 * (v + 0.044715 * v ** 3)))),
  layerNorm: (row) => {
    const mean = row.reduce((a, b) => a + b) / row.length,
      variance = row.reduce((s, v) => s + (v - mean) ** 2, 0) / row.length;
    return row.map((v) => (v - mean) / Math.sqrt(variance + 1e-5));
  },
};

await using gpu = await openDevice("cuda");
using x = gpu.tensor(
  "bf16",
  [rows, cols],
  Float32Array.from({ length: rows * cols }, (_, i) => 3 * Math.sin(i * 0.7) + ((i * 7919) % 97) / 97),
);
using y = gpu.zeros("bf16", [rows, cols]);
const given = Array.from(await x.slice([0, 1]).read(), Number);
for (const [name, k] of Object.entries({ softmax, softmaxByQuotients, gelu, layerNorm })) {
  const times = { fast: [] as number[], math: [] as number[] },
    worst = { fast: 0, math: 0 };
  for (const turn of [0, 1, 2])
    for (const form of ["fast", "math"] as const) {
      times[form].push((await k.bench({ repeat: 40 }, x, y, form === "fast")).median);
      const wanted = onHost[name](given),
        got = Array.from(await y.slice([0, 1]).read(), Number);
      for (const [i, want] of wanted.entries())
        worst[form] = Math.max(worst[form], Math.abs(Number(got[i]) - want) / (Math.abs(want) + 1e-3));
      if (worst[form] > 0.02) throw new Error(`${name} by ${form} is off by ${worst[form]} in turn ${turn}`);
    }
  const middle = (list: readonly number[]) => list.toSorted((a, b) => a - b)[1];
  console.log(
    `${name}: fast ${middle(times.fast).toFixed(2)} us, Math ${middle(times.math).toFixed(2)} us, ${(middle(times.math) / middle(times.fast)).toFixed(3)}; off by ${worst.fast.toExponential(1)} and ${worst.math.toExponential(1)}`,
  );
}
