// Rows of attention for decoding in f64, against what a kernel has computed.
import type { Device, DeviceTensor } from "warpsmith";
import { wideOf } from "./attention-check.ts";
import type { DecodeCase } from "./attention-decode-case.ts";
import type { Half } from "./problem.ts";

/** What a launch was given, in one piece each: keys and values by batch, and within it [heads, keys, d], or [pages, heads, keys of a page, d]. */
export interface DecodeMemory {
  /** [batch, queries, heads, d], as the output. */
  readonly q: DeviceTensor<Half, 4>;
  readonly k: DeviceTensor<Half, 1>;
  readonly v: DeviceTensor<Half, 1>;
  readonly out: DeviceTensor<Half, 4>;
  readonly lengths: readonly number[];
  /** Numbers of pages, [batch, pages of one]: each batch has its own, which follow each other in memory. */
  readonly table: readonly number[];
}

/** The output of one query in f64, which sees keys from `first` to `end`; `row` says where a key begins. */
function rowOf(
  d: number,
  [first, end]: readonly [number, number],
  query: Float32Array,
  [k, v]: readonly Float32Array[],
  row: (key: number) => number,
) {
  const scores = Float64Array.from({ length: end }, (_, key) => {
    if (key < first) return Number.NEGATIVE_INFINITY;
    let sum = 0;
    for (let i = 0, at = row(key); i < d; i++) sum += (query[i] ?? 0) * (k?.[at + i] ?? 0);
    return sum / Math.sqrt(d);
  });
  const most = scores.reduce((a, b) => Math.max(a, b));
  const output = new Float64Array(d);
  let total = 0;
  for (let key = first; key < end; key++) {
    const weight = Math.exp((scores[key] ?? 0) - most);
    total += weight;
    for (let i = 0, at = row(key); i < d; i++) output[i] = (output[i] ?? 0) + weight * (v?.[at + i] ?? 0);
  }
  return output.map((x) => x / total);
}

/** The largest difference between the result and rows in f64: of the first batch and the last, the first query and the last, the first head and the last. NaN where one is. */
export async function worstOfDecode(device: Device, one: DecodeCase, memory: DecodeMemory): Promise<number> {
  const { batches, heads, kvHeads, length, d, pageSize, queries, window } = one;
  const { q, k, v, out, lengths, table } = memory;
  const each = kvHeads * length * d;
  const pages = pageSize === 0 ? 0 : length / pageSize;
  let worst = 0;
  for (const batch of new Set([0, batches - 1])) {
    const part = (x: DeviceTensor<Half, 1>) => wideOf(device, x.slice([batch * each, (batch + 1) * each]));
    const cache = [await part(k), await part(v)];
    const [given, found] = [
      await wideOf(device, q.slice([batch, batch + 1]).reshape(queries * heads * d)),
      await wideOf(device, out.slice([batch, batch + 1]).reshape(queries * heads * d)),
    ];
    for (const head of [0, heads - 1]) {
      const kvHead = Math.floor(head / (heads / kvHeads));
      const rowAt = (key: number): number => {
        if (pageSize === 0) return (kvHead * length + key) * d;
        const page = (table[batch * pages + Math.floor(key / pageSize)] ?? Number.NaN) - batch * pages;
        return ((page * kvHeads + kvHead) * pageSize + (key % pageSize)) * d;
      };
      for (const query of new Set([0, queries - 1])) {
        const end = (lengths[batch] ?? 0) - (queries - 1) + query;
        const at = (query * heads + head) * d;
        const first = window > 0 ? Math.max(0, end - window) : 0;
        const row = rowOf(d, [first, end], given.subarray(at, at + d), cache, rowAt);
        for (let i = 0; i < d; i++) {
          const off = Math.abs((row[i] ?? Number.NaN) - (found[at + i] ?? Number.NaN));
          if (!(off <= worst)) worst = off;
        }
      }
    }
  }
  return worst;
}
