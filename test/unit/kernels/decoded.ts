import type { Device, DeviceTensor } from "warpsmith";
import { randn } from "warpsmith/testing";
import type { Half } from "./attended.ts";

/** What a call of attentionDecode is about. */
export interface DecodeShape {
  readonly batches: number;
  readonly heads: number;
  readonly kvHeads: number;
  /** Room for keys, of pages where there are some: a multiple of their size. */
  readonly keys: number;
  readonly d: number;
  /** Elements of a value: as many as of a key where undefined. */
  readonly dv?: number;
  /** Queries of each head, where `q` has a dimension for them. */
  readonly queries?: number;
  /** How many keys a query sees, its own among them. */
  readonly window?: number;
  /** Keys of each batch. */
  readonly lengths?: readonly number[];
  /** Keys of a page. */
  readonly pageSize?: number;
  /** Whether heads come before keys in memory, or behind them. */
  readonly order?: "heads" | "sequence";
}

/** Queries, keys and values on a device, and what says where they lie. */
export interface Decoding {
  readonly q: DeviceTensor<Half, 3 | 4>;
  readonly k: DeviceTensor<Half, 4>;
  readonly v: DeviceTensor<Half, 4>;
  readonly lengths?: DeviceTensor<"i32", 1>;
  readonly pages?: DeviceTensor<"i32", 2>;
  /** Numbers of pages, where there are some. */
  readonly table: readonly number[];
}

/** Pages of all batches, in an order that no batch has by itself; one page is nobody's. */
const tableOf = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => (i * 7 + 3) % (count + 1));

/** The shape of what there is for each query. */
export const rowsOf = ({ batches, heads, queries }: DecodeShape): readonly number[] =>
  queries === undefined ? [batches, heads] : [batches, queries, heads];

/** Random numbers; keys and values that no batch has, or no query sees, are NaN. */
export function decodingOf(device: Device, dtype: Half, of: DecodeShape): Decoding {
  const { batches, heads, kvHeads, keys, d, dv = d, queries = 1, window = Number.POSITIVE_INFINITY } = of;
  const { lengths, pageSize, order = "heads" } = of;
  const perBatch = pageSize === undefined ? 1 : keys / pageSize;
  const table = pageSize === undefined ? [] : tableOf(batches * perBatch);
  const size = pageSize ?? keys;
  const places = pageSize === undefined ? batches : table.length + 1;
  const owner = (place: number): number => (pageSize === undefined ? place * keys : table.indexOf(place) * size);
  const cache = (seed: number, wide: number): DeviceTensor<Half, 4> => {
    const [sequence, shape] = [order === "sequence", [places, kvHeads, size, wide] as const];
    const data = randn(places * kvHeads * size * wide, seed);
    for (let i = 0; i < data.length; i++) {
      const row = Math.floor(i / wide);
      const place = Math.floor(row / (kvHeads * size));
      const inPlace = sequence ? Math.floor((row % (kvHeads * size)) / kvHeads) : row % size;
      const key = owner(place) + inPlace;
      const length = Math.min(lengths?.[Math.floor(key / keys)] ?? keys, keys);
      const seen = key >= 0 && key % keys < length && key % keys >= length - (queries - 1) - window;
      if (!seen) data[i] = Number.NaN;
    }
    if (!sequence) return device.tensor(dtype, shape, data as never);
    return device.tensor(dtype, [places, size, kvHeads, wide], data as never).transpose(0, 2, 1, 3) as DeviceTensor<Half, 4>;
  };
  return {
    q: device.tensor(dtype, [...rowsOf(of), d], randn(batches * queries * heads * d, 1) as never) as DeviceTensor<Half, 3 | 4>,
    k: cache(2, d),
    v: cache(3, dv),
    ...(lengths ? { lengths: device.tensor("i32", [batches], lengths) } : {}),
    ...(pageSize === undefined ? {} : { pages: device.tensor("i32", [batches, perBatch], table) }),
    table,
  };
}

type Numbers = ArrayLike<number>;

const far = (x: number | undefined, y: number): number => (x === y ? 0 : Math.abs((x ?? Number.NaN) - y));
const larger = (x: number, y: number): number => (Number.isNaN(y) ? Number.POSITIVE_INFINITY : Math.max(x, y));

/** How far a result and its logarithms are from those in f64: the greatest difference. */
export async function decodeDistance(
  { q, k, v, table }: Decoding,
  of: DecodeShape,
  out: DeviceTensor<Half, 3 | 4>,
  logSumExp: DeviceTensor<"f32", 2 | 3>,
  scale = 1 / Math.sqrt(of.d),
) {
  const { batches, heads, kvHeads, keys, d, dv = d, queries = 1, window = Number.POSITIVE_INFINITY, lengths, pageSize } = of;
  // Plain arrays: those of f16 are slow to read element by element. A view is read in its own order, heads before keys.
  const [qs, ks, vs] = await Promise.all([q, k, v].map(async (x) => Float32Array.from((await x.read()) as Numbers)));
  const [found, logs] = [Float32Array.from((await out.read()) as Numbers), await logSumExp.read()];
  const size = pageSize ?? keys;
  const rowOf = (batch: number, kvHead: number, key: number): number => {
    const place = pageSize === undefined ? batch : (table[(batch * keys + key) / size - (key % size) / size] ?? Number.NaN);
    return (place * kvHeads + kvHead) * size + (key % size);
  };
  const worst = { output: 0, log: 0 };
  for (let batch = 0; batch < batches; batch++)
    for (let row = 0; row < queries * heads; row++) {
      const [query, head] = [Math.floor(row / heads), row % heads];
      const kvHead = Math.floor(head / (heads / kvHeads));
      const length = Math.max(0, Math.min(lengths?.[batch] ?? keys, keys));
      const at = batch * queries * heads + row;
      const end = length - (queries - 1) + query;
      const scores = Array.from({ length }, (_, key) => {
        if (key >= end || key < end - window) return Number.NEGATIVE_INFINITY;
        const from = rowOf(batch, kvHead, key) * d;
        let sum = 0;
        for (let i = 0; i < d; i++) sum += (qs?.[at * d + i] ?? Number.NaN) * (ks?.[from + i] ?? Number.NaN);
        return sum * scale;
      });
      const most = scores.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
      const none = most === Number.NEGATIVE_INFINITY;
      const weights = scores.map((s) => (none ? 0 : Math.exp(s - most)));
      const total = weights.reduce((a, b) => a + b, 0);
      worst.log = larger(worst.log, far(logs[at], none ? most : most + Math.log(total)));
      for (let i = 0; i < dv; i++) {
        const valueAt = (key: number): number => vs?.[rowOf(batch, kvHead, key) * dv + i] ?? Number.NaN;
        const sum = weights.reduce((sum, w, key) => (w === 0 ? sum : sum + w * valueAt(key)), 0);
        worst.output = larger(worst.output, far(found[at * dv + i], none ? 0 : sum / total));
      }
    }
  return worst;
}
