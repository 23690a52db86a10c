// What `bench/memory.ts` times: functions of warpsmith/kernels on large tensors, and what their results must be.
import type { Device, DeviceTensor } from "warpsmith";
import * as kernels from "warpsmith/kernels";
import { fillNormal } from "./inputs.ts";

type Float = "bf16" | "f32";
export type Any = DeviceTensor<Float, 2>;
export type Numbers = ArrayLike<number>;

/** Tensors of a case, which are freed together. */
export class Memory implements Disposable {
  readonly device: Device;
  readonly #tensors: DeviceTensor[] = [];

  constructor(device: Device) {
    this.device = device;
  }

  /** Frees it with the others. */
  keep<T extends DeviceTensor>(tensor: T): T {
    this.#tensors.push(tensor);
    return tensor;
  }

  empty<D extends Float | "i32">(dtype: D, shape: readonly number[]): DeviceTensor<D, 2> {
    return this.keep(this.device.empty(dtype, [...shape]) as DeviceTensor<D, 2>);
  }

  /** N(0, 1). */
  normal<D extends Float>(dtype: D, shape: readonly [number, number], seed: number): DeviceTensor<D, 2> {
    const x = this.empty(dtype, shape);
    fillNormal(x, seed);
    return x;
  }

  [Symbol.dispose](): void {
    for (const tensor of this.#tensors.splice(0)) tensor.dispose();
  }
}

/** Ready to be launched and checked. */
export interface Ready {
  /** What a launch reads and writes at least. */
  readonly bytes: number;
  launch(plan: kernels.RowPlan | undefined, stream: LaunchStream): void;
  /** How far the result is off, in units of what it may be: at most 1. Poisons the result afterwards. */
  distance(): Promise<number>;
}
export type LaunchStream = NonNullable<kernels.RunOptions["stream"]>;

export interface MemoryCase {
  /** As the script of PyTorch calls it. */
  readonly name: string;
  readonly dtype: Float | "i32";
  readonly shape: readonly [number, number];
  /** Other plans than the chosen one that take part. */
  readonly plans?: readonly kernels.RowPlan[];
  make(memory: Memory, shape: readonly [number, number]): Ready;
}

const big = [32768, 8192] as const;
const square = [32768, 32768] as const;

const line = (memory: Memory, n: number, seed: number) => memory.normal("bf16", [1, n], seed).reshape(n);

/** The first row, the last one and some between. */
const picked = (rows: number): readonly number[] => [...new Set([0, 1, Math.floor(rows / 3), rows - 1])];
export const rowOf = async (x: DeviceTensor<Float | "i32", 2>, r: number): Promise<Numbers> =>
  (await x.slice([r, r + 1]).read()) as Numbers;
const columnOf = async (x: Any, c: number): Promise<Numbers> => (await x.slice([0, x.shape[0]], [c, c + 1]).read()) as Numbers;
const total = (row: Numbers): number => Array.from(row).reduce((a, b) => a + b, 0);

/** Units that a result may be off: of its own rounding, and absolutely. */
export const off = (got: Numbers, want: (i: number) => number, absolute = 1e-6, relative = 2 ** -7.9): number =>
  Array.from(got).reduce((worst, v, i) => {
    const distance = Math.abs(v - want(i)) / (Math.abs(want(i)) * relative + absolute);
    return Math.max(worst, Number.isNaN(distance) ? Number.POSITIVE_INFINITY : distance);
  }, 0);

/** The greatest over some rows. */
export async function worst(rows: number, of: (row: number) => Promise<number>): Promise<number> {
  let most = 0;
  for (const row of picked(rows)) most = Math.max(most, await of(row));
  return most;
}

const softmax = (memory: Memory, shape: readonly [number, number], logarithm = false): Ready => {
  const [x, out] = [memory.normal("bf16", shape, 1), memory.empty("bf16", shape)];
  return {
    bytes: 4 * shape[0] * shape[1],
    launch: (plan, stream) =>
      void (logarithm ? kernels.logSoftmax : kernels.softmax)(x, { out, stream, ...(plan ? { plan } : {}) }),
    distance: async () => {
      const most = await worst(shape[0], async (r) => {
        const powers = Array.from(await rowOf(x, r), Math.exp);
        const sum = total(powers);
        const shareOf = (i: number): number => (powers[i] ?? 0) / sum;
        return off(await rowOf(out, r), (i) => (logarithm ? Math.log(shareOf(i)) : shareOf(i)), 1e-12);
      });
      out.fill(Number.NaN);
      return most;
    },
  };
};

const norm =
  (centred: boolean, added: boolean): MemoryCase["make"] =>
  (memory, shape) => {
    const [x, out] = [memory.normal("bf16", shape, 1), memory.empty("bf16", shape)];
    const [weight, bias] = [line(memory, shape[1], 2), line(memory, shape[1], 3)];
    const residual = added ? memory.normal("bf16", shape, 4) : x;
    const sum = added ? memory.empty("bf16", shape) : x;
    const more = added ? { residual, sum } : {};
    return {
      bytes: (added ? 8 : 4) * shape[0] * shape[1],
      launch: (plan, stream) => {
        const options = { out, stream, ...more, ...(plan ? { plan } : {}) };
        if (centred) kernels.layerNorm(x, weight, { ...options, bias });
        else kernels.rmsNorm(x, weight, options);
      },
      distance: async () => {
        const [w, b] = [(await weight.read()) as Numbers, (await bias.read()) as Numbers];
        const most = await worst(shape[0], async (r) => {
          const [own, other, row] = [await rowOf(x, r), await rowOf(residual, r), await rowOf(sum, r)];
          const mean = centred ? total(row) / row.length : 0;
          const square = total(Array.from(row, (v) => (v - mean) ** 2)) / row.length;
          const scale = 1 / Math.sqrt(square + (centred ? 1e-5 : 1e-6));
          const normed = (i: number) => ((row[i] ?? 0) - mean) * scale * (w[i] ?? 0) + (centred ? (b[i] ?? 0) : 0);
          const sums = added ? off(row, (i) => (own[i] ?? 0) + (other[i] ?? 0)) : 0;
          return Math.max(sums, off(await rowOf(out, r), normed, 1e-5));
        });
        out.fill(Number.NaN);
        if (added) sum.fill(Number.NaN);
        return most;
      },
    };
  };

/** Of elements: `moved` tensors of the shape in all. */
const elements =
  (
    dtype: Float,
    moved: number,
    run: (a: Any, b: Any, to: { out: Any; stream: LaunchStream }) => unknown,
    want: (a: number, b: number) => number,
  ): MemoryCase["make"] =>
  (memory, shape) => {
    const x = memory.normal(dtype, shape, 1);
    const b = moved > 2 ? memory.normal(dtype, shape, 2) : x;
    const out = memory.empty(dtype, shape);
    return {
      bytes: moved * (dtype === "f32" ? 4 : 2) * shape[0] * shape[1],
      launch: (_, stream) => void run(x, b, { out, stream }),
      distance: async () => {
        const most = await worst(shape[0], async (r) => {
          const [p, q] = [await rowOf(x, r), await rowOf(b, r)];
          return off(await rowOf(out, r), (i) => want(p[i] ?? 0, q[i] ?? 0), 1e-9, dtype === "f32" ? 2 ** -23 : 2 ** -7.9);
        });
        out.fill(Number.NaN);
        return most;
      },
    };
  };

const transpose: MemoryCase["make"] = (memory, shape) => {
  const [x, out] = [memory.normal("bf16", shape, 1), memory.empty("bf16", [shape[1], shape[0]])];
  return {
    bytes: 4 * shape[0] * shape[1],
    launch: (_, stream) => void kernels.transpose(x, { out, stream }),
    distance: async () => {
      const most = await worst(shape[1], async (c) => {
        const want = await columnOf(x, c);
        return off(await rowOf(out, c), (i) => want[i] ?? Number.NaN, 0, 2 ** -30);
      });
      out.fill(Number.NaN);
      return most;
    },
  };
};

interface Reduced {
  readonly by: "rows" | "columns";
  readonly dtype?: "f32" | "i32";
  run(x: Any, out: DeviceTensor<"f32" | "i32", 1>, options: object): unknown;
  want(line: Numbers, i: number): number;
}

/** One number for each row, or for each column. */
const reduced =
  ({ by, dtype = "f32", run, want }: Reduced): MemoryCase["make"] =>
  (memory, shape) => {
    const x = memory.normal("bf16", shape, 1);
    const count = by === "rows" ? shape[0] : shape[1];
    const out = memory.empty(dtype, [count]) as unknown as DeviceTensor<"f32" | "i32", 1>;
    return {
      bytes: 2 * shape[0] * shape[1],
      launch: (plan, stream) => void run(x, out, { stream, ...(plan ? { plan } : {}) }),
      distance: async () => {
        const got = (await out.read()) as Numbers;
        const most = await worst(count, async (i) => {
          const expected = want(by === "rows" ? await rowOf(x, i) : await columnOf(x, i), i);
          return off([got[i] ?? Number.NaN], () => expected, dtype === "i32" ? 0.5 : 0.01, 1e-5);
        });
        out.fill(dtype === "i32" ? -1 : Number.NaN);
        return most;
      },
    };
  };

const target = (row: number, columns: number): number => (row * 7919 + 3) % columns;

const crossEntropy: MemoryCase["make"] = (memory, shape) => {
  const classes = Int32Array.from({ length: shape[0] }, (_, i) => target(i, shape[1]));
  const targets = memory.keep(memory.device.tensor("i32", [shape[0]], classes));
  return reduced({
    by: "rows",
    run: (x, out, options) =>
      kernels.crossEntropy(x, targets as DeviceTensor<"i32">, { ...options, out: out as DeviceTensor<"f32"> }),
    want: (row, i) => Math.log(total(Array.from(row, Math.exp))) - (row[target(i, row.length)] ?? 0),
  })(memory, shape);
};

const cumsum: MemoryCase["make"] = (memory, shape) => {
  const [x, out] = [memory.normal("bf16", shape, 1), memory.empty("bf16", shape)];
  return {
    bytes: 4 * shape[0] * shape[1],
    launch: (plan, stream) => void kernels.cumsum(x, { out, stream, ...(plan ? { plan } : {}) }),
    distance: async () => {
      const most = await worst(shape[0], async (r) => {
        let sum = 0;
        const sums = Array.from(await rowOf(x, r), (v) => (sum += v));
        return off(await rowOf(out, r), (i) => sums[i] ?? 0, 1e-3);
      });
      out.fill(Number.NaN);
      return most;
    },
  };
};

const silu = (v: number): number => v / (1 + Math.exp(-v));
const gelu = (v: number): number => v * (0.5 + 0.5 * Math.tanh(Math.sqrt(2 / Math.PI) * (v + 0.044715 * v ** 3)));
const again = (threads: number, depth: number): kernels.RowPlan => ({ threads, group: "block", keep: false, depth });
const keeping = (threads: number): kernels.RowPlan => ({ threads, group: "block" });
const plans = [
  keeping(128),
  keeping(256),
  keeping(512),
  again(128, 2),
  again(128, 4),
  again(256, 1),
  again(256, 2),
  again(256, 4),
  again(512, 1),
  again(512, 2),
];
const folds = [keeping(256), again(128, 4), again(256, 2), again(256, 4)];
const scans = [again(128, 2), again(256, 2), again(512, 2), again(1024, 1), again(512, 4)];

/** The functions that there were first. */
export const rowCases: readonly MemoryCase[] = [
  { name: "softmax", dtype: "bf16", shape: big, plans, make: (memory, shape) => softmax(memory, shape) },
  { name: "log_softmax", dtype: "bf16", shape: big, make: (memory, shape) => softmax(memory, shape, true) },
  { name: "rms_norm", dtype: "bf16", shape: big, plans, make: norm(false, false) },
  { name: "add_rms_norm", dtype: "bf16", shape: big, plans, make: norm(false, true) },
  { name: "layer_norm", dtype: "bf16", shape: big, plans, make: norm(true, false) },
  { name: "add_layer_norm", dtype: "bf16", shape: big, plans, make: norm(true, true) },
  { name: "silu_mul", dtype: "bf16", shape: big, make: elements("bf16", 3, kernels.siluMul, (a, b) => silu(a) * b) },
  { name: "gelu_mul", dtype: "bf16", shape: big, make: elements("bf16", 3, kernels.geluMul, (a, b) => gelu(a) * b) },
  {
    name: "copy",
    dtype: "f32",
    shape: square,
    make: elements(
      "f32",
      2,
      (x, _, to) => kernels.copy(x, to),
      (a) => a,
    ),
  },
  { name: "add", dtype: "f32", shape: square, make: elements("f32", 3, kernels.add, (a, b) => a + b) },
  { name: "transpose", dtype: "bf16", shape: big, make: transpose },
  {
    name: "sum_rows",
    dtype: "bf16",
    shape: big,
    plans: folds,
    make: reduced({ by: "rows", run: (x, out, o) => kernels.sum(x, { ...o, out: out as DeviceTensor<"f32"> }), want: total }),
  },
  {
    name: "log_sum_exp",
    dtype: "bf16",
    shape: big,
    make: reduced({
      by: "rows",
      run: (x, out, o) => kernels.logSumExp(x, { ...o, out: out as DeviceTensor<"f32"> }),
      want: (row) => Math.log(total(Array.from(row, Math.exp))),
    }),
  },
  {
    name: "sum_columns",
    dtype: "bf16",
    shape: big,
    make: reduced({
      by: "columns",
      run: (x, out, o) => kernels.sumColumns(x, { ...o, out: out as DeviceTensor<"f32", 1> }),
      want: total,
    }),
  },
  { name: "cumsum", dtype: "bf16", shape: [4096, 8192], plans: scans, make: cumsum },
  { name: "cross_entropy", dtype: "bf16", shape: [8192, 128256], make: crossEntropy },
  {
    name: "argmax",
    dtype: "bf16",
    shape: [64, 128256],
    make: reduced({
      by: "rows",
      dtype: "i32",
      run: (x, out, o) => kernels.argmax(x, { ...o, out: out as DeviceTensor<"i32"> }),
      want: (row) => Array.from(row).indexOf(Array.from(row).reduce((a, b) => Math.max(a, b))),
    }),
  },
  {
    name: "softmax_long",
    dtype: "bf16",
    shape: [4096, 128256],
    plans: [again(256, 4), again(512, 2), again(512, 4)],
    make: (memory, shape) => softmax(memory, shape),
  },
];
