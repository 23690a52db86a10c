import type { Device, DeviceTensor } from "warpsmith";
import type { AttentionScore } from "warpsmith/kernels";
import { randn } from "warpsmith/testing";

export type Half = "f16" | "bf16";
export type Heads<D extends Half = Half> = DeviceTensor<D, 4>;

export interface Shape {
  readonly batches: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly queries: number;
  readonly keys: number;
  readonly d: number;
  readonly dv: number;
}

/** How a tensor of [batch, heads, length, d] lies in memory: so, or as [batch, length, heads, d]. */
export type Order = "heads" | "sequence";

/** Random numbers, of [batch, heads, length, d] by shape. */
export function headsOf<D extends Half>(
  device: Device,
  dtype: D,
  [batches, heads, length, d]: readonly [number, number, number, number],
  seed: number,
  order: Order = "heads",
): Heads<D> {
  const shape: [number, number, number, number] = order === "heads" ? [batches, heads, length, d] : [batches, length, heads, d];
  const x = device.tensor(dtype, shape, randn(batches * heads * length * d, seed) as never) as Heads<D>;
  return order === "heads" ? x : (x.transpose(0, 2, 1, 3) as Heads<D>);
}

/** Queries, keys and values. */
export function operandsOf<D extends Half>(device: Device, dtype: D, of: Shape, order: Order = "heads") {
  const { batches, heads, kvHeads, queries, keys, d, dv } = of;
  return {
    q: headsOf(device, dtype, [batches, heads, queries, d], 1, order),
    k: headsOf(device, dtype, [batches, kvHeads, keys, d], 2, order),
    v: headsOf(device, dtype, [batches, kvHeads, keys, dv], 3, order),
  };
}

export interface Choices {
  readonly causal?: boolean;
  readonly window?: number;
  readonly scale?: number;
  readonly score?: AttentionScore;
}

/** One query's output and the logarithm of its sum, in f64. */
interface Row {
  readonly output: readonly number[];
  readonly log: number;
}

type Numbers = ArrayLike<number>;

function rowOf(
  of: Shape,
  { causal = false, window, scale, score }: Choices,
  [q, k, v]: readonly Numbers[],
  at: readonly number[],
): Row {
  const { heads, kvHeads, queries, keys, d, dv } = of;
  const [batch = 0, head = 0, query = 0] = at;
  const kvHead = batch * kvHeads + Math.floor(head / (heads / kvHeads));
  const own = query + keys - queries;
  const from = ((batch * heads + head) * queries + query) * d;
  const scores = Array.from({ length: keys }, (_, key) => {
    const hidden = (causal && key > own) || (window !== undefined && Math.abs(key - own) >= window);
    if (hidden) return Number.NEGATIVE_INFINITY;
    let sum = 0;
    for (let i = 0; i < d; i++) sum += (q?.[from + i] ?? Number.NaN) * (k?.[(kvHead * keys + key) * d + i] ?? Number.NaN);
    const scaled = sum * (scale ?? 1 / Math.sqrt(d));
    return score ? score(scaled, query, key, head, batch, {}) : scaled;
  });
  const most = scores.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  if (most === Number.NEGATIVE_INFINITY) return { output: Array<number>(dv).fill(0), log: most };
  const weights = scores.map((s) => Math.exp(s - most));
  const total = weights.reduce((a, b) => a + b, 0);
  const output = Array.from({ length: dv }, (_, i) =>
    weights.reduce((sum, w, key) => sum + w * (v?.[(kvHead * keys + key) * dv + i] ?? Number.NaN), 0),
  );
  return { output: output.map((x) => x / total), log: most + Math.log(total) };
}

/** How far a result, and the logarithms where there are some, are from those in f64: the greatest difference. Queries may be picked. */
export async function distance(
  out: Heads,
  logSumExp: DeviceTensor<"f32", 3> | undefined,
  { q, k, v }: { readonly q: Heads; readonly k: Heads; readonly v: Heads },
  of: Shape,
  choices: Choices = {},
  picked?: readonly number[],
): Promise<{ readonly output: number; readonly log: number }> {
  // Plain arrays: those of f16 are slow to read element by element.
  const given = await Promise.all([q, k, v].map(async (x) => Float32Array.from((await x.read()) as Numbers)));
  const found = Float32Array.from((await out.read()) as Numbers);
  const logs = await logSumExp?.read();
  const { batches, heads, queries, dv } = of;
  let worst = { output: 0, log: 0 };
  const far = (x: number | undefined, y: number): number => (x === y ? 0 : Math.abs((x ?? Number.NaN) - y));
  const larger = (x: number, y: number): number => (Number.isNaN(y) ? Number.POSITIVE_INFINITY : Math.max(x, y));
  for (let batch = 0; batch < batches; batch++)
    for (let head = 0; head < heads; head++)
      for (const query of picked ?? Array.from({ length: queries }, (_, i) => i)) {
        const row = rowOf(of, choices, given, [batch, head, query]);
        const at = (batch * heads + head) * queries + query;
        const output = row.output.reduce((most, x, i) => larger(most, far(found[at * dv + i], x)), worst.output);
        worst = { output, log: logs ? larger(worst.log, far(logs[at], row.log)) : 0 };
      }
  return worst;
}
