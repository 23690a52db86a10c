import { blockIdx, type DType, fma, kernel, type Tensor, threadIdx } from "warpsmith";
import { some } from "../support/amount.ts";
import { singleBounds, smallBound } from "../unit/dsl/math/bounds.ts";
import { type Agreement, type Case, defineCase, input, output } from "./case.ts";
import {
  approximations,
  type Binary,
  exactFunctions,
  functions,
  functionsOfTwo,
  powers,
  quotients,
  type Unary,
} from "./math-functions.ts";
import { edgeFloats, type FloatType, floatTypes, roundings, uniform } from "./numbers.ts";

type Any = Exclude<DType, "i64" | "u64" | "bool">;
const block = 128;
const grid = (x: { readonly shape: readonly number[] }): number => Math.ceil((x.shape[0] ?? 1) / block);

const unary = (f: Unary) =>
  kernel({ block, grid }, function unary(x: Tensor<Any, 1>, out: Tensor<Any, 1>) {
    const i = blockIdx.x * block + threadIdx.x;
    if (i < x.shape[0]) out[i] = f(x[i]!);
  });
const binary = (f: Binary) =>
  kernel({ block, grid }, function binary(x: Tensor<Any, 1>, y: Tensor<Any, 1>, out: Tensor<Any, 1>) {
    const i = blockIdx.x * block + threadIdx.x;
    if (i < x.shape[0]) out[i] = f(x[i]!, y[i]!);
  });
const fused = kernel(
  { block, grid },
  function fused(x: Tensor<Any, 1>, y: Tensor<Any, 1>, z: Tensor<Any, 1>, out: Tensor<Any, 1>) {
    const i = blockIdx.x * block + threadIdx.x;
    if (i < x.shape[0]) out[i] = fma(x[i]!, y[i]!, z[i]!);
  },
);

const formats: Readonly<Record<FloatType, readonly [mantissa: number, least: number]>> = {
  f16: [10, -14],
  bf16: [7, -126],
  f32: [23, -126],
  f64: [52, -1022],
};

/** The distance between the numbers of the type around x. */
function ulp(type: FloatType, x: number): number {
  const [mantissa, least] = formats[type];
  let exponent = Math.floor(Math.log2(Math.abs(x)));
  if (2 ** exponent > Math.abs(x)) exponent--;
  if (2 ** (exponent + 1) <= Math.abs(x)) exponent++;
  return 2 ** (Math.max(exponent, least) - mantissa);
}

/** Remembers the worst error. */
class Meter {
  worst = 0;
  at = -1;
  note(error: number, index: number): void {
    if (error > this.worst) {
      this.worst = error;
      this.at = index;
    }
  }
}

/** Within `most` ulp of the exact result; zeros, infinities and NaN as they are. */
function ulps(type: FloatType, most: number, meter: Meter): Agreement {
  const round = roundings[type];
  return (actual, expected, index) => {
    const [a, e] = [Number(actual), Number(expected)];
    if (Object.is(a, round(e))) {
      if (Number.isFinite(e) && Number.isFinite(a) && e !== 0) meter.note(Math.abs(a - e) / ulp(type, e), index);
      return true;
    }
    if (!Number.isFinite(e) || !Number.isFinite(a) || e === 0) return false;
    const error = Math.abs(a - e) / ulp(type, e);
    meter.note(error, index);
    return error <= most;
  };
}

/** Every bit pattern of a 16-bit type. */
function everything(type: "f16" | "bf16"): number[] {
  const bits = Uint16Array.from({ length: 65536 }, (_, i) => i);
  if (type === "bf16") return Array.from(new Float32Array(Uint32Array.from(bits, (b) => b << 16).buffer));
  const decode = (b: number): number => {
    const [sign, exponent, fraction] = [b & 0x8000 ? -1 : 1, (b >> 10) & 31, b & 1023];
    if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
    return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
  };
  return Array.from(bits, decode);
}

const count = 1 << 15;
/** Numbers of all magnitudes, numbers of the size that a function is used with, and those close to 1. */
function samples(type: FloatType, seed: number): number[] {
  if (type === "f16" || type === "bf16") return everything(type);
  const round = roundings[type];
  const u = uniform(2 * count, seed),
    v = uniform(2 * count, seed + 1);
  const reach = type === "f32" ? 140 : 1000;
  const anywhere = Array.from(
    u.subarray(0, count),
    (x, i) => (x < 0.5 ? -1 : 1) * 2 ** ((v[i]! - 0.5) * 2 * reach) * (1 + uniform(1, i + 1)[0]!),
  );
  const usual = Array.from(
    u.subarray(count),
    (x, i) => (x - 0.5) * (i % 4 === 0 ? 4 : i % 4 === 1 ? 200 : i % 4 === 2 ? 2.5 : 20),
  );
  const nearOne = Array.from({ length: 2048 }, (_, i) => 1 + (i - 1024) * 2 ** (type === "f32" ? -23 : -40));
  return [...edgeFloats(type), ...anywhere, ...usual, ...nearOne].map(round);
}

const cache = new Map<string, number[]>();
function samplesOf(type: FloatType, seed: number): number[] {
  const key = `${type}${seed}`;
  const found = cache.get(key) ?? [...edgeFloats(type), ...some(samples(type, seed), 4096)];
  cache.set(key, found);
  return found;
}

function measuredCase(
  name: string,
  made: Parameters<typeof defineCase>[1],
  type: FloatType,
  most: number,
  args: () => { inputs: number[][]; exact: number[] },
): Case {
  const meter = new Meter();
  let given: readonly (readonly number[])[] = [];
  const one = defineCase(name, made, () => {
    const { inputs, exact } = args();
    given = inputs;
    meter.worst = 0;
    const shape = [exact.length];
    const agree = ulps(type, most, meter);
    return { args: [...inputs.map((x) => input(type, shape, x)), output(type, shape, exact, { agree })] };
  });
  return {
    ...one,
    measured: () => `worst ${meter.worst.toFixed(4)} ulp of ${most}, at ${given.map((x) => x[meter.at]).join(", ")}`,
  };
}

const smallTypes = ["f16", "bf16", "f32"] as const;
/** In f64 the reference is JavaScript's own, which may be off by one itself. */
const wideBounds: Readonly<Record<string, number>> = {
  exp: 2,
  expm1: 3,
  log: 2,
  log1p: 4,
  log2: 3,
  log10: 3,
  tanh: 4,
  atan: 3,
  asin: 4,
  acos: 4,
  sqrt: 0.5,
};

const boundOf = (type: FloatType, name: string): number => (type === "f32" ? (singleBounds[name] ?? 0) : smallBound);

function functionCases(): Case[] {
  const small = smallTypes.flatMap((type) =>
    Object.entries(functions).map(([name, f]) =>
      measuredCase(`math/${type}-${name}`, unary(f), type, name === "sqrt" ? 0.5 : boundOf(type, name), () => {
        const x = samplesOf(type, 5);
        return { inputs: [x], exact: x.map((v) => f(v)) };
      }),
    ),
  );
  const wide = Object.entries(wideBounds).map(([name, most]) =>
    measuredCase(`math/f64-${name}`, unary(functions[name]!), "f64", most, () => {
      const x = samplesOf("f64", 5);
      return { inputs: [x], exact: x.map((v) => functions[name]!(v)) };
    }),
  );
  return [...small, ...wide];
}

/** Edges with edges, and numbers of all sizes. */
function pairSamples(type: FloatType): [number[], number[]] {
  const edges = edgeFloats(type);
  const x = edges.flatMap((a) => edges.map(() => a)),
    y = edges.flatMap(() => edges);
  const [u, v] = [samplesOf(type, 5), samplesOf(type, 9)];
  const step = 40503;
  const more = Math.min(u.length, 40000);
  for (let i = 0; i < more; i++) {
    x.push(u[i]!);
    y.push(v[(i * step) % v.length]!);
  }
  const small = uniform(8192, 3),
    powersOf = uniform(8192, 4);
  for (const i of some([...small.keys()], 1024)) {
    x.push(roundings[type](small[i]! * 8 * (i % 3 === 0 ? -1 : 1)));
    y.push(roundings[type](i % 3 === 0 ? Math.round((powersOf[i]! - 0.5) * 40) : (powersOf[i]! - 0.5) * 30));
  }
  return [x, y];
}

function pairCases(): Case[] {
  const bounds: Readonly<Record<string, number>> = { atan2: 4, hypot: 4 };
  const of = (type: FloatType, name: string, f: Binary, most: number): Case =>
    measuredCase(`math/${type}-${name}`, binary(f), type, most, () => {
      const [x, y] = pairSamples(type);
      return { inputs: [x, y], exact: x.map((a, i) => f(a, y[i]!)) };
    });
  return [
    ...smallTypes.flatMap((type) => Object.entries(functionsOfTwo).map(([name, f]) => of(type, name, f, boundOf(type, name)))),
    ...Object.entries(bounds).map(([name, most]) => of("f64", name, functionsOfTwo[name]!, most)),
  ];
}

function exactCases(): Case[] {
  const repeated = (name: string, x: number, round: (v: number) => number): number => {
    const squared = round(x * x);
    return name === "square" ? squared : round(x * squared);
  };
  return floatTypes.flatMap((type) => {
    const make = (name: string, f: Unary, expected: Unary) =>
      defineCase(`math/${type}-${name}`, unary(f), () => {
        const x = [
          ...samplesOf(type, 5),
          ...[0.49999997, 0.5, 1.5, 2.5, 8388607.5, 8388609, 4503599627370495.5].flatMap((v) => [
            roundings[type](v),
            roundings[type](-v),
          ]),
        ];
        return { args: [input(type, [x.length], x), output(type, [x.length], x.map(expected))] };
      });
    return [
      ...Object.entries(exactFunctions).map(([name, f]) => make(name, f, f)),
      ...Object.entries(powers).map(([name, f]) => make(name, f, (x) => repeated(name, x, roundings[type]))),
    ];
  });
}

const scratch = new Float64Array(1);
const scratchBits = new BigUint64Array(scratch.buffer);

/** a * b + c for numbers of at most 24 bits, as a double that rounds to fewer bits as the exact result does. */
function fusedOdd(a: number, b: number, c: number): number {
  const product = a * b;
  const sum = product + c;
  if (!Number.isFinite(sum)) return sum;
  const part = sum - product;
  const rest = product - (sum - part) + (c - part);
  if (rest === 0) return sum;
  scratch[0] = sum;
  if (rest > 0 !== sum > 0) scratchBits[0] = scratchBits[0]! - 1n;
  scratchBits[0] = scratchBits[0]! | 1n;
  return scratch[0];
}

function fusedCases(): Case[] {
  return smallTypes.map((type) =>
    defineCase(`math/${type}-fma`, fused, () => {
      const usual = (seed: number) => Array.from(uniform(8192, seed), (u) => roundings[type]((u - 0.5) * 16));
      const edges = edgeFloats(type).filter((x) => !(Math.abs(x) > 1e30));
      const [a, b] = [
        [...usual(1), ...edges.flatMap((x) => edges.map(() => x))],
        [...usual(2), ...edges.flatMap(() => edges)],
      ];
      const c = a.map((x, i) => roundings[type](i % 2 === 0 ? -x * b[i]! : (i % 7) - 3));
      const exact = a.map((x, i) => roundings[type](fusedOdd(x, b[i]!, c[i]!)));
      const shape = [a.length];
      return { args: [input(type, shape, a), input(type, shape, b), input(type, shape, c), output(type, shape, exact)] };
    }),
  );
}

/** What fast.* may be off by, as documented: ulps of f32, or an absolute or relative error. */
const fastBounds: Readonly<
  Record<string, { readonly from: number; readonly to: number; readonly most: (x: number, y: number) => number }>
> = {
  exp: { from: -80, to: 80, most: (x, y) => (2.1 + 1.173 * Math.abs(x)) * ulp("f32", y) },
  exp2: { from: -125, to: 127, most: (_, y) => 2.1 * ulp("f32", y) },
  log2: { from: 1e-6, to: 1000, most: (x, y) => 2 ** -22 * (x >= 0.5 && x <= 2 ? 1 : Math.abs(y)) + 2 ** -149 },
  rcp: { from: -500, to: 500, most: (_, y) => ulp("f32", y) },
  rsqrt: { from: 1e-6, to: 1e6, most: (_, y) => 2 ** -22.9 * y + ulp("f32", y) / 2 },
  tanh: { from: -8, to: 8, most: (_, y) => 2 ** -11 * Math.abs(y) },
  sin: { from: -6.28, to: 6.28, most: () => 2 ** -20.5 },
  cos: { from: -6.28, to: 6.28, most: () => 2 ** -20.4 },
};
const references: Readonly<Record<string, Unary>> = {
  exp: Math.exp,
  exp2: (x) => 2 ** x,
  log2: Math.log2,
  rcp: (x) => 1 / x,
  rsqrt: (x) => 1 / Math.sqrt(x),
  tanh: Math.tanh,
  sin: Math.sin,
  cos: Math.cos,
};

function fastCases(): Case[] {
  const one = Object.entries(fastBounds).map(([name, { from, to, most }]) => {
    const x = Array.from(some([...uniform(1 << 15, 2)], 4096), (u) => Math.fround(from + u * (to - from)));
    const exact = x.map(references[name]!);
    const meter = new Meter();
    const agree: Agreement = (actual, expected, i) => {
      const share = Math.abs(Number(actual) - Number(expected)) / most(x[i]!, Number(expected));
      meter.note(share, i);
      return share <= 1;
    };
    const made = defineCase(`fast/${name}`, unary(approximations[name]!), () => ({
      args: [input("f32", [x.length], x), output("f32", [x.length], exact, { agree })],
    }));
    return { ...made, measured: () => `worst ${(100 * meter.worst).toFixed(0)} % of what is allowed, at ${x[meter.at]}` };
  });
  const quotient = measuredCase("fast/divide", binary(quotients.divide!), "f32", 2, () => {
    const x = Array.from(some([...uniform(1 << 15, 2)], 4096), (u) => Math.fround((u - 0.5) * 1e4)),
      y = Array.from(some([...uniform(1 << 15, 3)], 4096), (u) => Math.fround((u - 0.5) * 50));
    return { inputs: [x, y], exact: x.map((a, i) => a / y[i]!) };
  });
  return [...one, quotient];
}

export const mathCases: readonly Case[] = [...functionCases(), ...pairCases(), ...exactCases(), ...fusedCases(), ...fastCases()];
