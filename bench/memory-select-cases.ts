// What `bench/memory.ts` times of functions that choose, look up, turn and sort.
import { blockDim, blockIdx, type DeviceTensor, f32, gridDim, type i32, kernel, range, type Tensor, threadIdx } from "warpsmith";
import * as kernels from "warpsmith/kernels";
import { type Any, type Memory, type MemoryCase, type Numbers, off, rowOf, worst } from "./memory-cases.ts";

type Ids = DeviceTensor<"i32", 2>;

/** Fills x with whole numbers from 0 to `below`, or with any i32 where that is 0: from the place of each alone. */
const fillsIds = kernel({ block: 256, grid: 1056, dynamic: { x: [0] } }, function fillsIds(x: Tensor<"i32", 1>, below: i32) {
  for (const i of range(blockIdx.x * blockDim.x + threadIdx.x, x.shape[0], gridDim.x * blockDim.x)) {
    let h = Math.imul(i ^ (i >>> 16), 0x7feb352d);
    h = Math.imul(h ^ (h >>> 15), 0x846ca68b | 0);
    h = h ^ (h >>> 16);
    x.at(i).store(below > 0 ? (h & 0x7fffffff) % below : h);
  }
});

function ids(memory: Memory, shape: readonly [number, number], below: number): Ids {
  const x = memory.empty("i32", shape);
  fillsIds.launch({}, x.reshape(shape[0] * shape[1]), below);
  return x;
}

/** Columns from the greatest element to the least, of equal ones the first. */
const inOrder = (row: Numbers): number[] => Array.from(row, (_, i) => i).sort((a, b) => (row[b] ?? 0) - (row[a] ?? 0) || a - b);

const differences = (got: Numbers, want: (i: number) => number): number => off(got, want, 0.5, 0);

const topK =
  (k: number): MemoryCase["make"] =>
  (memory, shape) => {
    const x = memory.normal("bf16", shape, 1);
    const [values, indices] = [memory.empty("bf16", [shape[0], k]), memory.empty("i32", [shape[0], k])];
    return {
      bytes: 2 * shape[0] * shape[1],
      launch: (plan, stream) => void kernels.topK(x, k, { values, indices, stream, ...(plan ? { plan } : {}) }),
      distance: async () => {
        const most = await worst(shape[0], async (r) => {
          const row = await rowOf(x, r);
          const order = inOrder(row);
          const found = await rowOf(values, r);
          const greatest = off(found, (i) => row[order[i] ?? 0] ?? 0, 0, 2 ** -30);
          return Math.max(
            greatest,
            differences(await rowOf(indices, r), (i) => order[i] ?? 0),
          );
        });
        values.fill(Number.NaN);
        indices.fill(-1);
        return most;
      },
    };
  };

const embedding: MemoryCase["make"] = (memory, shape) => {
  const rows = 8 * shape[0];
  const table = memory.normal("bf16", [rows, shape[1]], 1);
  const chosen = ids(memory, [1, shape[0]], rows).reshape(shape[0]);
  const out = memory.empty("bf16", shape);
  return {
    bytes: 4 * shape[0] * shape[1],
    launch: (_, stream) => void kernels.embedding(table, chosen, { out, stream }),
    distance: async () => {
      const at = (await chosen.read()) as Numbers;
      const most = await worst(shape[0], async (r) => {
        const want = await rowOf(table, at[r] ?? 0);
        return off(await rowOf(out, r), (i) => want[i] ?? 0, 0, 2 ** -30);
      });
      out.fill(Number.NaN);
      return most;
    },
  };
};

/** Elements of a head. */
const head = 128;

const rotary =
  (layout: "halves" | "interleaved"): MemoryCase["make"] =>
  (memory, shape) => {
    const [tokens, columns] = shape;
    const [x, out] = [memory.normal("bf16", shape, 1), memory.empty("bf16", shape)];
    const [cos, sin] = [memory.normal("f32", [tokens, head / 2], 2), memory.normal("f32", [tokens, head / 2], 3)];
    const heads = (y: Any) => y.reshape(tokens, columns / head, head);
    const [from, to] = [heads(x), heads(out)];
    const pair = (j: number) => (layout === "halves" ? [j, j + head / 2] : [2 * j, 2 * j + 1]) as readonly [number, number];
    return {
      bytes: 4 * tokens * columns + 4 * tokens * head,
      launch: (_, stream) => void kernels.rotary(from, cos, sin, { layout, out: to, stream }),
      distance: async () => {
        const most = await worst(tokens, async (r) => {
          const [row, c, s] = [await rowOf(x, r), await rowOf(cos, r), await rowOf(sin, r)];
          const want = Float64Array.from(row);
          for (let first = 0; first < columns; first += head)
            for (let j = 0; j < head / 2; j++) {
              const [p, q] = pair(j);
              const [a, b, u, v] = [row[first + p] ?? 0, row[first + q] ?? 0, c[j] ?? 0, s[j] ?? 0];
              [want[first + p], want[first + q]] = [a * u - b * v, b * u + a * v];
            }
          return off(await rowOf(out, r), (i) => want[i] ?? 0, 1e-5);
        });
        out.fill(Number.NaN);
        return most;
      },
    };
  };

/** Keys in order, each with where it was: what `torch.sort` gives. */
const sort: MemoryCase["make"] = (memory, shape) => {
  const [x, out, outValues] = [ids(memory, shape, 0), memory.empty("i32", shape), memory.empty("i32", shape)];
  return {
    // Keys are read, and both results written, once at least.
    bytes: 12 * shape[0] * shape[1],
    launch: (_, stream) => void kernels.sort(x, { values: "columns", out, outValues, stream }),
    distance: async () => {
      const columns = shape[1];
      const [keys, sorted, places] = [await x.read(), await out.read(), await outValues.read()];
      const seen = new Uint8Array(sorted.length);
      let wrong = 0;
      for (let i = 0; i < sorted.length; i++) {
        const begin = i - (i % columns);
        const [key, at] = [sorted[i] ?? 0, (places[i] ?? -1) + begin];
        if (keys[at] !== key || seen[at] !== 0) wrong++;
        seen[at] = 1;
        if (i > begin && ((sorted[i - 1] ?? 0) > key || (sorted[i - 1] === key && (places[i - 1] ?? 0) + begin >= at))) wrong++;
      }
      out.fill(-1);
      outValues.fill(-1);
      return wrong * 2;
    },
  };
};

/** Uniform numbers from 0 to 1, without 1. */
const fillsUniform = kernel({ block: 256, grid: 1, dynamic: { x: [0] } }, function fillsUniform(x: Tensor<"f32", 1>) {
  for (const i of range(threadIdx.x, x.shape[0], blockDim.x)) {
    const h = Math.imul(i ^ (i >>> 16), 0x7feb352d);
    x.at(i).store(f32((h ^ (h >>> 15)) >>> 8) * 2 ** -24);
  }
});

/** A column of each row where the sum of probabilities, from the greatest on, passes a number. */
const sample =
  (cuts: { readonly topK?: number; readonly topP?: number }): MemoryCase["make"] =>
  (memory, shape) => {
    const x = memory.normal("bf16", shape, 1);
    const uniform = memory.empty("f32", [1, shape[0]]).reshape(shape[0]);
    const out = memory.empty("i32", [1, shape[0]]).reshape(shape[0]);
    fillsUniform.launch({}, uniform);
    return {
      bytes: 2 * shape[0] * shape[1],
      launch: (plan, stream) =>
        void kernels.sample(x, { ...cuts, temperature: 0.8, uniform, out, stream, ...(plan ? { plan } : {}) }),
      distance: async () => {
        const [drawn, got] = [(await uniform.read()) as Numbers, (await out.read()) as Numbers];
        const most = await worst(shape[0], async (r) => {
          const row = await rowOf(x, r);
          const order = inOrder(row).slice(0, cuts.topK ?? shape[1]);
          const powers = order.map((c) => Math.exp(((row[c] ?? 0) - (row[order[0] ?? 0] ?? 0)) / 0.8));
          const wanted = (cuts.topP ?? 1) * powers.reduce((a, b) => a + b);
          let [sum, kept] = [0, 0];
          const sums = powers.map((power) => {
            if (sum < wanted) kept++;
            sum += power;
            return sum;
          });
          const whole = sums[kept - 1] ?? 0;
          const at = order.indexOf(got[r] ?? -1);
          const u = (drawn[r] ?? 0) * whole;
          if (at < 0 || at >= kept) return Number.POSITIVE_INFINITY;
          return Math.max((sums[at - 1] ?? 0) - u, u - (sums[at] ?? 0)) / (whole * 1e-5);
        });
        out.fill(-2);
        return most;
      },
    };
  };

const histogram =
  (bins: number): MemoryCase["make"] =>
  (memory, shape) => {
    const [x, out] = [ids(memory, shape, bins), memory.empty("i32", [1, bins]).reshape(bins)];
    return {
      bytes: 4 * shape[0] * shape[1],
      launch: (_, stream) => void kernels.histogram(x, bins, { out, stream }),
      distance: async () => {
        const [keys, got] = [(await x.read()) as Numbers, (await out.read()) as Numbers];
        const want = new Int32Array(bins);
        for (let i = 0; i < keys.length; i++) want[keys[i] ?? 0] = (want[keys[i] ?? 0] ?? 0) + 1;
        out.fill(-1);
        return differences(got, (i) => want[i] ?? 0);
      },
    };
  };

const blocks = (threads: number, cluster: number, depth = 2): kernels.RowPlan => ({ threads, group: "block", cluster, depth });

export const selectCases: readonly MemoryCase[] = [
  {
    name: "top50",
    dtype: "bf16",
    shape: [64, 128256],
    plans: [blocks(256, 8, 4), blocks(1024, 2), blocks(1024, 2, 1), blocks(1024, 2, 4), blocks(512, 2, 4), blocks(1024, 1, 4)],
    make: topK(50),
  },
  { name: "top8", dtype: "bf16", shape: [32768, 256], plans: [blocks(64, 1), blocks(32, 1)], make: topK(8) },
  { name: "sample", dtype: "bf16", shape: [64, 128256], make: sample({}) },
  { name: "sample_top50", dtype: "bf16", shape: [64, 128256], make: sample({ topK: 50, topP: 0.9 }) },
  { name: "histogram", dtype: "i32", shape: [1, 2 ** 26], make: histogram(256) },
  { name: "embedding", dtype: "bf16", shape: [16384, 4096], make: embedding },
  { name: "rotary", dtype: "bf16", shape: [16384, 4096], make: rotary("halves") },
  { name: "rotary_interleaved", dtype: "bf16", shape: [16384, 4096], make: rotary("interleaved") },
  { name: "sort", dtype: "i32", shape: [1, 2 ** 26], make: sort },
];
