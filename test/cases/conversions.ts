import type { DType, Tensor } from "warpsmith";
import {
  bf16,
  bitcast,
  bits,
  blockIdx,
  bool,
  cdiv,
  e4m3,
  e5m2,
  f16,
  f32,
  f64,
  i32,
  i64,
  kernel,
  sharedMemory,
  threadIdx,
  u32,
  u64,
} from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import {
  edgeFloats,
  edgeInts,
  type FloatType,
  fits,
  floatTypes,
  type IntType,
  limits,
  pairsOf,
  roundings,
  saturate,
  type WideType,
} from "./numbers.ts";

type Any = Exclude<DType, "i64" | "u64" | "bool">;
const block = 128;
const grid = (x: { readonly shape: readonly number[] }): number => Math.ceil((x.shape[0] ?? 1) / block);

/** All of them are called with and give whatever the tensors hold. */
const conversions = { i32, u32, i64, u64, f16, bf16, f32, f64, e4m3, e5m2, bool } as unknown as Readonly<
  Record<To, (x: number) => number>
>;
type To = "i32" | "u32" | WideType | FloatType | "e4m3" | "e5m2" | "bool";

const convert = (f: (x: number) => number) =>
  kernel({ block, grid }, function convert(x: Tensor<Any, 1>, out: Tensor<Any, 1>) {
    const i = blockIdx.x * block + threadIdx.x;
    if (i < x.shape[0]) out.at(i).store(f(x.at(i).load()));
  });

const casts = (to: DType) =>
  kernel({ block, grid }, function casts(x: Tensor<Any, 1>, out: Tensor<Any, 1>) {
    const i = blockIdx.x * block + threadIdx.x;
    if (i < x.shape[0]) out.at(i).store(bitcast(to as Any, x.at(i).load()));
  });

/** A whole number as a double that rounds to fewer bits as the number itself does: what is cut off leaves a mark in the last bit. */
function sticky(x: bigint): number {
  const magnitude = x < 0n ? -x : x;
  const shift = BigInt(Math.max(0, magnitude.toString(2).length - 53));
  const high = magnitude >> shift;
  const marked = high << shift === magnitude ? high : high | 1n;
  return (x < 0n ? -1 : 1) * Number(marked) * 2 ** Number(shift);
}

type Source = IntType | WideType | FloatType | "e4m3" | "e5m2" | "bool";
const isFloat = (type: string): boolean => type in roundings;
const isWide = (type: string): boolean => type === "i64" || type === "u64";

/** Numbers at which a conversion could round twice, or leave a range. */
const borders = [
  448,
  449,
  463.9,
  464,
  480,
  57344,
  61440,
  65503,
  65519.99,
  65520,
  1 + 2 ** -4 + 2 ** -40,
  1 + 2 ** -3 + 2 ** -4 - 2 ** -40,
  1 + 2 ** -11 + 2 ** -40,
  1 + 2 ** -8 + 2 ** -40,
  1 + 2 ** -24 + 2 ** -50,
  2 ** -9,
  2 ** -10,
  2 ** -10 * 1.0001,
  2 ** -16,
  2 ** -17 * 1.01,
  2 ** 31,
  2 ** 31 - 1,
  2 ** 32,
  2 ** 63,
  2 ** 64,
  2 ** 31 - 64,
  3.999,
  -0.999,
  254.5,
  1e20,
  2 ** 24 + 1,
  2 ** 53 - 1,
];

function sourceValues(from: Source): (number | bigint)[] {
  if (from === "bool") return [0, 1];
  if (from === "e4m3" || from === "e5m2") {
    const wide = Array.from({ length: 300 }, (_, i) => roundings[from]((i - 150) * 1.37 ** Math.floor(i / 15) * 0.01));
    return [0, -0, ...wide, Number.NaN];
  }
  if (isFloat(from)) {
    const round = roundings[from as FloatType];
    return [...edgeFloats(from as FloatType), ...borders.map(round), ...borders.map((x) => round(-x))];
  }
  const near = [
    2n ** 24n + 1n,
    2n ** 25n + 3n,
    2n ** 53n + 1n,
    2n ** 54n + 3n,
    2n ** 62n + 2n ** 38n + 1n,
    2n ** 62n + 2n ** 38n,
    257n,
    2049n,
    65519n,
    65520n,
    449n,
    464n,
    465n,
  ];
  const [low, high] = limits[from as IntType];
  const all = [...edgeInts(from as IntType), ...near, ...near.map((x) => -x)].filter((x) => x >= low && x <= high);
  return isWide(from) ? all : all.map(Number);
}

/** Undefined where the language leaves the result open. */
function converted(x: number | bigint, from: Source, to: To): number | bigint | undefined {
  if (to === "bool") return x ? 1 : 0;
  if (isFloat(to)) {
    const exact = typeof x === "bigint" ? sticky(x) : x;
    const value = to === "f64" && typeof x === "bigint" ? Number(x) : roundings[to as FloatType](exact);
    return from === "bool" || !isFloat(from) ? value + 0 : value;
  }
  if (isFloat(from)) {
    const whole = saturate(to as IntType, Number(x));
    return isWide(to) ? whole : Number(whole);
  }
  if (!fits(to as IntType, x)) return undefined;
  return isWide(to) ? BigInt(x) : Number(x);
}

const sources: readonly Source[] = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", ...floatTypes, "e4m3", "e5m2", "bool"];

function conversionCases(): Case[] {
  return (Object.keys(conversions) as To[]).flatMap((to) =>
    sources.map((from) => {
      const pairs = sourceValues(from).flatMap((x) => {
        const y = converted(x, from, to);
        return y === undefined ? [] : [[x, y] as const];
      });
      const shape = [pairs.length];
      return defineCase(`conversions/${from}-${to}`, convert(conversions[to]), () => ({
        args: [
          input(
            from,
            shape,
            pairs.map(([x]) => x),
          ),
          output(
            to,
            shape,
            pairs.map(([, y]) => y),
          ),
        ],
      }));
    }),
  );
}

const buffers = {
  f32: Float32Array,
  i32: Int32Array,
  u32: Uint32Array,
  f64: Float64Array,
  i64: BigInt64Array,
  u64: BigUint64Array,
  i16: Int16Array,
  u16: Uint16Array,
  i8: Int8Array,
  u8: Uint8Array,
} as const;
type Bits = keyof typeof buffers;
const casting: readonly (readonly [Bits, Bits])[] = [
  ["f32", "i32"],
  ["i32", "f32"],
  ["f32", "u32"],
  ["u32", "f32"],
  ["i32", "u32"],
  ["u32", "i32"],
  ["f64", "i64"],
  ["i64", "f64"],
  ["u64", "i64"],
  ["i16", "u16"],
  ["u16", "i16"],
  ["i8", "u8"],
  ["u8", "i8"],
];

function castCases(): Case[] {
  return casting.map(([from, to]) => {
    const data = new buffers[from](sourceValues(from) as never);
    // No NaN, whose payload JavaScript does not keep.
    const expected = new buffers[to](data.buffer as ArrayBuffer) as ArrayLike<number | bigint>;
    const keep = Array.from(expected, (x, i) => ({ x: data[i] as number | bigint, y: x })).filter(
      ({ x, y }) => !Number.isNaN(x) && !Number.isNaN(y),
    );
    return defineCase(`conversions/bitcast-${from}-${to}`, casts(to), () => ({
      args: [
        input(
          from,
          [keep.length],
          keep.map((k) => k.x),
        ),
        output(
          to,
          [keep.length],
          keep.map((k) => k.y),
        ),
      ],
    }));
  });
}

const bitFunctions = kernel(
  { block, grid },
  function bitFunctions(x: Tensor<"i32", 1>, y: Tensor<"i32", 1>, out: Tensor<"i32", 2>, words: Tensor<"u32", 2>) {
    const i = blockIdx.x * block + threadIdx.x;
    if (i >= x.shape[0]) return;
    const a = x[i]!,
      b = y[i]!;
    out[0]![i] = bits.popcount(a);
    out[1]![i] = bits.clz(a);
    out[2]![i] = Math.clz32(a);
    out[3]![i] = Math.imul(a, b);
    words[0]![i] = bits.reverse(a);
    words[1]![i] = bits.funnelShift(a, b, 7);
    words[2]![i] = bits.funnelShift(a, b, b & 63);
  },
);

const ceilings = kernel({ block, grid }, function ceilings(x: Tensor<"i32", 1>, y: Tensor<"i32", 1>, out: Tensor<"i32", 1>) {
  const i = blockIdx.x * block + threadIdx.x;
  if (i < x.shape[0]) out[i] = cdiv(x[i]!, y[i]!) + cdiv(7, 2);
});

/** A conversion of a static value is staged, and of a quotient the division. */
const statics = kernel(
  { block: 1, grid: 1 },
  function statics(out: Tensor<"i32", 1>, floats: Tensor<"f32", 1>, wide: Tensor<"i64", 1>, n: i32) {
    out[0] = i32(3.99);
    out[1] = i32(-3.99);
    out[2] = i32(10000000000.5);
    out[3] = i32(n / 4);
    out[4] = i32(true);
    floats[0] = f32(1 / 3);
    floats[1] = f32(n) / 4;
    floats[2] = f32(f16(1 / 3));
    wide[0] = i64(n) * 1000000007n;
    wide[1] = i64(-5);
  },
);

function wordCases(): Case[] {
  const values = edgeInts("i32").map(Number);
  const { a, b } = pairsOf(values);
  const n = a.length;
  const funnel = (low: number, high: number, by: number): number =>
    Number(BigInt.asUintN(32, ((BigInt.asUintN(32, BigInt(high)) << 32n) | BigInt.asUintN(32, BigInt(low))) >> BigInt(by & 31)));
  const binary = (x: number): string => (x >>> 0).toString(2).padStart(32, "0");
  const positive = pairsOf(values, (x, y) => y > 0 && Math.abs(x) < 2 ** 31 - 8);
  return [
    defineCase("conversions/bits", bitFunctions, () => ({
      args: [
        input("i32", [n], a),
        input("i32", [n], b),
        output(
          "i32",
          [4, n],
          [
            ...a.map((x) => binary(x).replaceAll("0", "").length),
            ...a.map(Math.clz32),
            ...a.map(Math.clz32),
            ...a.map((x, i) => Number(BigInt.asIntN(32, BigInt(x) * BigInt(b[i]!)))),
          ],
        ),
        output(
          "u32",
          [3, n],
          [
            ...a.map((x) => Number.parseInt([...binary(x)].reverse().join(""), 2)),
            ...a.map((x, i) => funnel(x, b[i]!, 7)),
            ...a.map((x, i) => funnel(x, b[i]!, b[i]! & 63)),
          ],
        ),
      ],
    })),
    defineCase("conversions/cdiv", ceilings, () => ({
      args: [
        input("i32", [positive.a.length], positive.a),
        input("i32", [positive.a.length], positive.b),
        output(
          "i32",
          [positive.a.length],
          positive.a.map((x, i) => Math.ceil(x / positive.b[i]!) + 4),
        ),
      ],
    })),
    defineCase("conversions/statics", statics, () => ({
      args: [
        output("i32", [5], [3, -3, 2 ** 31 - 1, -3, 1]),
        output("f32", [3], [Math.fround(1 / 3), -3.5, roundings.f16(1 / 3)]),
        output("i64", [2], [-14000000098n, -5n]),
        -14,
      ],
    })),
  ];
}

const word = new DataView(new ArrayBuffer(4));
const floatOf = (bits: number): number => {
  word.setUint32(0, bits);
  return word.getFloat32(0);
};

/** Bits of f32: zeros, NaNs, infinities, subnormals of each type, ties, the edges of f16 and bf16, and what lies between. */
const patterns: readonly number[] = [
  ...[0, 1, 0x7fffffff, 0x7fc00000, 0x7f800001, 0x7f800000, 0x7f7fffff, 0x007fffff, 0x00800000],
  ...[0x3f801000, 0x3f803000, 0x3f800fff, 0x3f801001, 0x33000000, 0x33000001, 0x33c00000, 0x387fe000, 0x387ff000],
  ...[0x477fe000, 0x477fefff, 0x477ff000, 0x3f808000, 0x3f818000, 0x3f808001, 0x7f7f7fff, 0x7f7f8000],
  ...[0x00008000, 0x00018000, 0x00008001, 0x00007fff],
  ...Array.from({ length: 83 }, (_, i) => Math.imul(i + 1, 0x9e3779b1) & 0x7fffffff),
].flatMap((bits) => [bits, (bits | 0x80000000) >>> 0]);

/** Stored two by two, and each rounded by itself: the values, and whether the bits are the same. */
const rounded = (to: "f16" | "bf16") =>
  kernel(
    { block: 128, grid: 1 },
    function rounded(bits: Tensor<"u32", 1>, out: Tensor<Any, 1>, shared: Tensor<Any, 1>, same: Tensor<"bool", 1>) {
      const pairs = sharedMemory.alloc(to, [256], { align: 16 });
      const at = 2 * threadIdx.x;
      if (at < bits.shape[0]) {
        const [a, b] = [bitcast("f32", bits.at(at).load()), bitcast("f32", bits.at(at + 1).load())];
        const [low, high] = to === "f16" ? [f16(a), f16(b)] : [bf16(a), bf16(b)];
        out.at(at).store([low, high]);
        pairs.at(at).store([low, high]);
        shared.at(at).store(pairs.at(at).load());
        shared.at(at + 1).store(pairs.at(at + 1).load());
        same.at(at).store(bitcast("u16", pairs.at(at).load()) === bitcast("u16", low));
        same.at(at + 1).store(bitcast("u16", pairs.at(at + 1).load()) === bitcast("u16", high));
      }
    },
  );

function pairCases(): Case[] {
  return (["f16", "bf16"] as const).map((to) =>
    defineCase(`conversions/pairs-${to}`, rounded(to), () => {
      const expected = patterns.map((bits) => roundings[to](floatOf(bits)));
      const shape = [patterns.length];
      return {
        args: [
          input("u32", shape, patterns),
          output(to, shape, expected),
          output(to, shape, expected),
          output(
            "bool",
            shape,
            patterns.map(() => 1),
          ),
        ],
      };
    }),
  );
}

export const allConversions: readonly Case[] = [...conversionCases(), ...castCases(), ...wordCases(), ...pairCases()];
