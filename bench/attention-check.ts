// Rows of attention in f64, against what a kernel has computed.
import { blockIdx, type Device, type DeviceTensor, f32, gridDim, kernel, range, type Tensor, threadIdx } from "warpsmith";
import type { AttentionCase } from "./attention-case.ts";
import { seesOf } from "./attention-masks.ts";
import type { Half } from "./problem.ts";

type Heads = DeviceTensor<Half, 4>;

const widen = kernel({ block: 256, grid: 1024 }, function widen(x: Tensor<Half, 1>, y: Tensor<"f32", 1>) {
  for (const i of range(blockIdx.x * 256 + threadIdx.x, x.shape[0], gridDim.x * 256)) y[i] = f32(x[i]);
});

/** Numbers as f32. */
export async function wideOf(device: Device, x: DeviceTensor<Half, 1>): Promise<Float32Array> {
  using wide = device.empty("f32", x.shape);
  widen.launch({}, x, wide);
  return (await wide.read()) as Float32Array;
}

/** One head of one batch, as f32. */
async function headOf(device: Device, x: Heads, batch: number, head: number): Promise<Float32Array> {
  const [batches, heads, length, d] = x.shape;
  const one = x.reshape(batches * heads, length * d).slice([batch * heads + head, batch * heads + head + 1]);
  return wideOf(device, one.reshape(length * d));
}

/** The bias of the case with a function of scores. */
export const biasOf = (query: number, key: number, head: number): number => (-(head + 1) * (query - key)) / 65536;

/** The output of one query in f64. */
function rowOf(one: AttentionCase, query: number, head: number, [q, k, v]: readonly Float32Array[]): Float64Array {
  const { d, length, score } = one;
  const sees = seesOf(one);
  const scores = new Float64Array(length).fill(Number.NEGATIVE_INFINITY);
  for (let key = 0; key < length; key++) {
    if (!sees(query, key)) continue;
    let sum = 0;
    for (let i = 0; i < d; i++) sum += (q?.[query * d + i] ?? 0) * (k?.[key * d + i] ?? 0);
    scores[key] = sum / Math.sqrt(d) + (score ? biasOf(query, key, head) : 0);
  }
  const most = scores.reduce((a, b) => Math.max(a, b));
  const output = new Float64Array(d);
  let total = 0;
  for (let key = 0; key < length; key++) {
    const weight = Math.exp((scores[key] ?? 0) - most);
    total += weight;
    for (let i = 0; i < d; i++) output[i] = (output[i] ?? 0) + weight * (v?.[key * d + i] ?? 0);
  }
  return output.map((x) => x / total);
}

/** The largest difference between the result and rows in f64: of the first head and the last, of eight queries each. NaN where one is. */
export async function worstOf(
  device: Device,
  one: AttentionCase,
  tensors: readonly [Heads, Heads, Heads, Heads],
): Promise<number> {
  const { batches, heads, kvHeads, length, d } = one;
  let worst = 0;
  for (const [batch, head] of [
    [0, 0],
    [batches - 1, heads - 1],
  ] as const) {
    const kvHead = Math.floor(head / (heads / kvHeads));
    const [q, k, v, out] = tensors;
    const read = await Promise.all([
      headOf(device, q, batch, head),
      headOf(device, k, batch, kvHead),
      headOf(device, v, batch, kvHead),
    ]);
    const found = await headOf(device, out, batch, head);
    for (const query of [0, 1, 63, 64, 777, Math.trunc(length / 2), length - 65, length - 1]) {
      const row = rowOf(one, query, head, read);
      for (let i = 0; i < d; i++) {
        const off = Math.abs((row[i] ?? Number.NaN) - (found[query * d + i] ?? Number.NaN));
        if (!(off <= worst)) worst = off;
      }
    }
  }
  return worst;
}
