import { type Device, type DeviceTensor, helper } from "warpsmith";
import * as kernels from "warpsmith/kernels";
import { randn } from "warpsmith/testing";

export type Float = "f16" | "bf16" | "f32";
type Any = DeviceTensor<Float>;

/** What one unit in the last place is, as a part of a number. */
const units: Readonly<Record<string, number>> = { f16: 2 ** -11, bf16: 2 ** -8, f32: 2 ** -24, i32: 0 };

/** A function over rows or elements, some tensors, and what it must give. */
export interface Case {
  readonly name: string;
  /** How far a result may be off besides its own rounding: as a part of itself, and absolutely. */
  readonly slack?: number;
  readonly absolute?: number;
  run(make: Make, dtype: Float, shape: readonly number[], given: Given): { readonly out: DeviceTensor; readonly want: Want };
}
/** Rows of results from rows of the inputs. */
type Want = () => Promise<readonly number[]>;

/** A tensor with those elements: dense, in wider rows, or where no vector begins. */
export type Make = (dtype: Float, shape: readonly number[], data: Float32Array) => Any;
export interface Given {
  readonly plan?: kernels.RowPlan;
  readonly overlapPrevious?: boolean;
}

const count = (shape: readonly number[]): number => shape.reduce((n, extent) => n * extent, 1);

export const layouts = {
  dense:
    (device: Device): Make =>
    (dtype, shape, data) =>
      device.tensor(dtype, [...shape], data) as Any,
  /** Rows with a gap behind them that keeps vectors whole. */
  wide:
    (device: Device): Make =>
    (dtype, shape, data) =>
      sliced(device, dtype, shape, data, 0, 8),
  /** Rows that begin anywhere. */
  crooked:
    (device: Device): Make =>
    (dtype, shape, data) =>
      sliced(device, dtype, shape, data, 1, 2),
} as const;

function sliced(device: Device, dtype: Float, shape: readonly number[], data: Float32Array, before: number, behind: number): Any {
  const columns = shape.at(-1) ?? 1;
  const memory = device.empty(dtype, [...shape.slice(0, -1), before + columns + behind]) as Any;
  const ranges = shape.map((_, i) => (i === shape.length - 1 ? ([before, before + columns] as const) : undefined));
  const view = memory.slice(...(ranges as never[])) as Any;
  view.write(data);
  return view;
}

/** The elements as rows of doubles. */
async function rowsOf(x: DeviceTensor): Promise<number[][]> {
  const columns = x.shape.at(-1) ?? 1;
  const all = Array.from((await x.read()) as ArrayLike<number>);
  return Array.from({ length: all.length / columns }, (_, r) => all.slice(r * columns, (r + 1) * columns));
}

const total = (row: readonly number[]): number => row.reduce((a, b) => a + b, 0);
const greatest = (row: readonly number[]): number => row.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
const data = (shape: readonly number[], seed: number): Float32Array => Float32Array.from(randn(count(shape), seed), (v) => v * 2);

const runningSums = (row: readonly number[]): number[] => {
  let sum = 0;
  return row.map((v) => {
    sum += v;
    return sum;
  });
};

const softmaxOf = (row: readonly number[]): number[] => {
  const max = greatest(row);
  const powers = row.map((v) => Math.exp(v - max));
  const sum = total(powers);
  return powers.map((power) => power / sum);
};

const logSumExpOf = (row: readonly number[]): number => {
  const max = greatest(row);
  return max + Math.log(total(row.map((v) => Math.exp(v - max))));
};

const normOf = (row: readonly number[], centred: boolean, eps: number): number[] => {
  const mean = centred ? total(row) / row.length : 0;
  const off = row.map((v) => v - mean);
  const scale = 1 / Math.sqrt(total(off.map((v) => v * v)) / row.length + eps);
  return off.map((v) => v * scale);
};

const perRow = (
  name: string,
  x: (options: object, of: Any) => DeviceTensor,
  want: (row: readonly number[]) => readonly number[],
  more: Partial<Case> = {},
): Case => ({
  name,
  ...more,
  run: (make, dtype, shape, given) => {
    const input = make(dtype, shape, data(shape, 1));
    return { out: x(given, input), want: async () => (await rowsOf(input)).flatMap((row) => [...want(row)]) };
  },
});

const gate = helper(({ x, w, b, s }: Readonly<Record<"x" | "w" | "b" | "s", number>>) => Math.max(x * w + b, 0) * s);

function norm(name: string, centred: boolean, added: boolean): Case {
  return {
    name,
    slack: 2 ** -18,
    absolute: 2 ** -16,
    run: (make, dtype, shape, given) => {
      const columns = shape.at(-1) ?? 1;
      const [x, residual] = [make(dtype, shape, data(shape, 1)), make(dtype, shape, data(shape, 2))];
      const [weight, bias] = [
        make("f32", [columns], data([columns], 3)),
        make(dtype, [columns], data([columns], 4)),
      ] as DeviceTensor<Float, 1>[];
      if (!weight || !bias) throw new Error("no lines");
      const sum = make(dtype, shape, data(shape, 5));
      const options = { ...given, ...(added ? { residual, sum } : {}) };
      const out = centred ? kernels.layerNorm(x, weight, { ...options, bias }) : kernels.rmsNorm(x, weight, options);
      const want = async () => {
        const lines = [...(await rowsOf(weight)), ...(await rowsOf(bias))];
        const rows = await rowsOf(added ? sum : x);
        return rows.flatMap((row) =>
          normOf(row, centred, centred ? 1e-5 : 1e-6).map(
            (v, i) => v * (lines[0]?.[i] ?? 0) + (centred ? (lines[1]?.[i] ?? 0) : 0),
          ),
        );
      };
      return { out, want };
    },
  };
}

export const cases: readonly Case[] = [
  perRow("softmax", (o, x) => kernels.softmax(x, o), softmaxOf, { slack: 2 ** -18, absolute: 1e-30 }),
  perRow(
    "logSoftmax",
    (o, x) => kernels.logSoftmax(x, o),
    (row) => {
      const sum = logSumExpOf(row);
      return row.map((v) => v - sum);
    },
    { slack: 2 ** -20, absolute: 2 ** -18 },
  ),
  norm("rmsNorm", false, false),
  norm("rmsNorm of a sum", false, true),
  norm("layerNorm", true, false),
  norm("layerNorm of a sum", true, true),
  {
    name: "crossEntropy",
    slack: 2 ** -18,
    absolute: 2 ** -18,
    run: (make, dtype, shape, given) => {
      const x = make(dtype, shape, data(shape, 1));
      const [columns, leading] = [shape.at(-1) ?? 1, shape.length > 1 ? shape.slice(0, -1) : [1]];
      const chosen = Int32Array.from({ length: count(leading) }, (_, i) => (i % 3 === 2 ? -100 : (i * 7919 + 3) % columns));
      const targets = x.device.tensor("i32", leading, chosen);
      const out = kernels.crossEntropy(x, targets as DeviceTensor<"i32">, given);
      const loss = (row: readonly number[], i: number) => {
        const target = chosen[i] ?? 0;
        const max = greatest(row);
        return target < 0 ? 0 : max + Math.log(total(row.map((v) => Math.exp(v - max)))) - (row[target] ?? 0);
      };
      return { out, want: async () => (await rowsOf(x)).map(loss) };
    },
  },
  perRow(
    "sum",
    (o, x) => kernels.sum(x, o),
    (row) => [total(row)],
    { absolute: 2 ** -12 },
  ),
  perRow(
    "mean",
    (o, x) => kernels.mean(x, o),
    (row) => [total(row) / row.length],
    { absolute: 2 ** -18 },
  ),
  perRow(
    "max",
    (o, x) => kernels.max(x, o),
    (row) => [greatest(row)],
  ),
  perRow(
    "min",
    (o, x) => kernels.min(x, o),
    (row) => [-greatest(row.map((v) => -v))],
  ),
  perRow(
    "argmin",
    (o, x) => kernels.argmin(x, o),
    (row) => [row.indexOf(-greatest(row.map((v) => -v)))],
  ),
  perRow(
    "logSumExp",
    (o, x) => kernels.logSumExp(x, o),
    (row) => [logSumExpOf(row)],
    { slack: 2 ** -18, absolute: 2 ** -18 },
  ),
  perRow("cumsum", (o, x) => kernels.cumsum(x, o), runningSums, { absolute: 2 ** -9 }),
  perRow(
    "argmax",
    (o, x) => kernels.argmax(x, o),
    (row) => [row.indexOf(greatest(row))],
  ),
];

/** Of elements: without plans. */
export const elementCases: readonly Case[] = [
  perRow(
    "copy",
    (o, x) => kernels.copy(x, o),
    (row) => row,
  ),
  perRow(
    "cast to f32",
    (o, x) => kernels.cast(x, "f32", o),
    (row) => row,
  ),
  perRow(
    "cast to f16",
    (o, x) => kernels.cast(x, "f16", o),
    (row) => row,
  ),
  perRow(
    "add",
    (o, x) => kernels.add(x, x, o),
    (row) => row.map((v) => v + v),
  ),
  perRow(
    "siluMul",
    (o, x) => kernels.siluMul(x, x, o),
    (row) => row.map((v) => (v * v) / (1 + Math.exp(-v))),
    { slack: 2 ** -19, absolute: 1e-30 },
  ),
  perRow(
    "geluMul",
    (o, x) => kernels.geluMul(x, x, o),
    (row) => row.map((v) => v * v * (0.5 + 0.5 * Math.tanh(Math.sqrt(2 / Math.PI) * (v + 0.044715 * v ** 3)))),
    { slack: 2 ** -16, absolute: 1e-8 },
  ),
  {
    name: "sumColumns",
    absolute: 2 ** -12,
    run: (make, dtype, shape, given) => {
      const x = make(dtype, shape, data(shape, 1));
      const want = async () => (await rowsOf(x)).reduce((sums, row) => row.map((v, i) => v + (sums[i] ?? 0)), [] as number[]);
      return { out: kernels.sumColumns(x, given), want };
    },
  },
  {
    name: "transpose",
    run: (make, dtype, shape, given) => {
      const columns = shape.at(-1) ?? 1;
      const x = make(dtype, [count(shape) / columns, columns], data(shape, 1)) as DeviceTensor<Float, 2>;
      const want = async () => {
        const rows = await rowsOf(x);
        return (rows[0] ?? []).flatMap((_, i) => rows.map((row) => row[i] ?? 0));
      };
      return { out: kernels.transpose(x, given), want };
    },
  },
  {
    name: "map with a line, a column and another type",
    slack: 2 ** -20,
    // Where x · w and b cancel, the rounded product is what is off: of up to 2^6 in large tensors, times a scale of up to 2^3.
    absolute: 2 ** -15,
    run: (make, dtype, shape, given) => {
      const [columns, leading] = [shape.at(-1) ?? 1, shape.slice(0, -1)];
      const [x, b] = [make(dtype, shape, data(shape, 1)), make("f32", shape, data(shape, 2))];
      const w = make("bf16", [columns], data([columns], 3));
      const s = x.device.tensor("f32", [...leading, 1], data([...leading, 1], 4)) as Any;
      const want = async () => {
        const [rows, added, lines, scales] = [await rowsOf(x), await rowsOf(b), await rowsOf(w), await rowsOf(s)];
        return rows.flatMap((row, r) =>
          row.map((v, i) => Math.max(v * (lines[0]?.[i] ?? 0) + (added[r]?.[i] ?? 0), 0) * (scales[r]?.[0] ?? 0)),
        );
      };
      return { out: kernels.map({ x, w, b, s }, gate, given), want };
    },
  },
];

/** How far the result is from what it must be, in what it may be: at most 1. */
export async function distance({ slack = 0, absolute = 0 }: Case, out: DeviceTensor, want: Want): Promise<number> {
  const [got, expected] = [Array.from((await out.read()) as ArrayLike<number>), await want()];
  if (got.length !== expected.length) return Number.POSITIVE_INFINITY;
  const unit = (units[out.dtype] ?? 0) * 1.01 + slack;
  return got.reduce((worst, value, i) => {
    const right = expected[i] ?? Number.NaN;
    const allowed = Math.abs(right) * unit + absolute + (out.dtype === "f16" ? 2 ** -25 : 0);
    const off = Object.is(value, right) || value === right ? 0 : Math.abs(value - right) / allowed;
    return Math.max(worst, Number.isNaN(off) ? Number.POSITIVE_INFINITY : off);
  }, 0);
}
