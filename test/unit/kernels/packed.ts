import type { Device, DeviceTensor } from "warpsmith";
import type { AttentionScore } from "warpsmith/kernels";
import { randn } from "warpsmith/testing";
import type { Half } from "./attended.ts";

/** What a call of attentionVarlen is about. */
export interface PackedShape {
  readonly heads: number;
  readonly kvHeads: number;
  readonly d: number;
  readonly dv: number;
  /** Queries of each sequence. */
  readonly queries: readonly number[];
  /** Keys of each sequence: as many as queries where undefined. */
  readonly keys?: readonly number[];
  /** Rows in front of the first sequence and behind the last. Default 9. */
  readonly around?: number;
  readonly causal?: boolean;
  readonly window?: number;
  readonly score?: AttentionScore;
}

/** Queries, keys and values on a device, and where sequences begin. */
export interface Packed {
  readonly q: DeviceTensor<Half, 3>;
  readonly k: DeviceTensor<Half, 3>;
  readonly v: DeviceTensor<Half, 3>;
  readonly cuSeqlens: DeviceTensor<"i32", 1>;
  readonly cuSeqlensKeys?: DeviceTensor<"i32", 1>;
  /** Rows of queries, those that no sequence has among them. */
  readonly total: number;
}

/** Where each of the lengths begins, and the end of the last. */
function beginsOf(lengths: readonly number[], first: number): readonly number[] {
  const begins = [first];
  for (const length of lengths) begins.push((begins.at(-1) ?? 0) + length);
  return begins;
}

/** Random numbers; rows that no sequence has are NaN. */
export function packedOf(device: Device, dtype: Half, of: PackedShape): Packed {
  const { heads, kvHeads, d, dv, queries, keys, around = 9 } = of;
  const rows = (lengths: readonly number[], count: number, width: number, seed: number): DeviceTensor<Half, 3> => {
    const total = lengths.reduce((a, b) => a + b, 0);
    const all = total + 2 * around;
    const data = randn(all * count * width, seed);
    data.fill(Number.NaN, 0, around * count * width);
    data.fill(Number.NaN, (around + total) * count * width);
    return device.tensor(dtype, [all, count, width], data as never) as DeviceTensor<Half, 3>;
  };
  const begins = (lengths: readonly number[]) =>
    device.tensor("i32", [lengths.length + 1], beginsOf(lengths, around)) as DeviceTensor<"i32", 1>;
  return {
    q: rows(queries, heads, d, 1),
    k: rows(keys ?? queries, kvHeads, d, 2),
    v: rows(keys ?? queries, kvHeads, dv, 3),
    cuSeqlens: begins(queries),
    ...(keys ? { cuSeqlensKeys: begins(keys) } : {}),
    total: queries.reduce((a, b) => a + b, 0) + 2 * around,
  };
}

type Numbers = ArrayLike<number>;

const far = (x: number | undefined, y: number): number => (x === y ? 0 : Math.abs((x ?? Number.NaN) - y));
const larger = (x: number, y: number): number => (Number.isNaN(y) ? Number.POSITIVE_INFINITY : Math.max(x, y));

function dot(x: Float32Array, atX: number, y: Float32Array, atY: number, length: number): number {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += (x[atX + i] ?? Number.NaN) * (y[atY + i] ?? Number.NaN);
  return sum;
}

/** As many of `values` as there are sums. */
function addScaled(sums: Float64Array, weight: number, values: Float32Array, from: number): void {
  for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] ?? 0) + weight * (values[from + i] ?? Number.NaN);
}

/** How far a result and its logarithms are from those in f64: the greatest difference; `kept`: whether rows that no sequence has are 7 still. */
export async function packedDistance(
  { q, k, v, total }: Packed,
  of: PackedShape,
  out: DeviceTensor<Half, 3>,
  logSumExp: DeviceTensor<"f32", 2>,
) {
  const { heads, kvHeads, d, dv, queries, keys = queries, around = 9, causal = false, window, score } = of;
  const numbers = async (x: Packed["q"]): Promise<Float32Array> => Float32Array.from((await x.read()) as Numbers);
  const [qs, ks, vs] = await Promise.all([numbers(q), numbers(k), numbers(v)]);
  const [found, logs] = [Float32Array.from((await out.read()) as Numbers), await logSumExp.read()];
  const [begins, beginsOfKeys] = [beginsOf(queries, around), beginsOf(keys, around)];
  const worst = { output: 0, log: 0, kept: true };
  const row = (s: number, query: number, head: number) => {
    const [count, length] = [queries[s] ?? 0, keys[s] ?? 0];
    const own = query + length - count;
    const [at, first] = [(begins[s] ?? 0) + query, beginsOfKeys[s] ?? 0];
    const kvHead = Math.floor(head / (heads / kvHeads));
    const scores = Array.from({ length }, (_, key) => {
      if ((causal && key > own) || (window !== undefined && Math.abs(key - own) >= window)) return Number.NEGATIVE_INFINITY;
      const [from, to] = [(at * heads + head) * d, ((first + key) * kvHeads + kvHead) * d];
      const scaled = dot(qs, from, ks, to, d) / Math.sqrt(d);
      return score ? score(scaled, query, key, head, s, {}) : scaled;
    });
    const most = scores.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
    const none = most === Number.NEGATIVE_INFINITY;
    const weights = scores.map((x) => (none ? 0 : Math.exp(x - most)));
    const sum = weights.reduce((a, b) => a + b, 0);
    worst.log = larger(worst.log, far(logs[head * total + at], none ? most : most + Math.log(sum)));
    // Key by key, as the values lie in memory.
    const weighted = new Float64Array(dv);
    for (const [key, w] of weights.entries()) {
      if (w !== 0) addScaled(weighted, w, vs, ((first + key) * kvHeads + kvHead) * dv);
    }
    for (const [i, all] of weighted.entries())
      worst.output = larger(worst.output, far(found[(at * heads + head) * dv + i], none ? 0 : all / sum));
  };
  for (let s = 0; s < queries.length; s++)
    for (let query = 0; query < (queries[s] ?? 0); query++) for (let head = 0; head < heads; head++) row(s, query, head);
  const [begin, end] = [begins[0] ?? 0, begins.at(-1) ?? 0];
  for (let at = 0; at < total; at++) {
    if (at >= begin && at < end) continue;
    const rowsKept = found.subarray(at * heads * dv, (at + 1) * heads * dv).every((x) => x === 7);
    const logsKept = Array.from({ length: heads }, (_, head) => logs[head * total + at]).every((x) => x === 7);
    worst.kept = worst.kept && rowsKept && logsKept;
  }
  return worst;
}
