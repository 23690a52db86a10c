import { describe, expect, it } from "vitest";
import { some } from "../../../../support/amount.ts";
import { compare, type Rational, rational } from "../../rational.ts";
import { results } from "../../run-instruction.ts";

interface Format {
  readonly bits: number;
  readonly fraction: number;
  readonly bias: number;
}
const formats: Readonly<Record<string, Format>> = {
  f16: { bits: 16, fraction: 10, bias: 15 },
  bf16: { bits: 16, fraction: 7, bias: 127 },
  f32: { bits: 32, fraction: 23, bias: 127 },
  f64: { bits: 64, fraction: 52, bias: 1023 },
};
type Rounding = "rn" | "rz" | "rm" | "rp";
type Special = "nan" | "inf" | "-inf";
/** A zero keeps its sign. */
interface Exact {
  readonly value: Rational;
  readonly negative: boolean;
}

const formatOf = (type: string): Format => formats[type] ?? { bits: 0, fraction: 0, bias: 0 };
const topOf = ({ bits, fraction }: Format): bigint => (1n << BigInt(bits - 1 - fraction)) - 1n;
const powerOf2 = (e: number): Rational => (e < 0 ? { n: 1n, d: 1n << BigInt(-e) } : { n: 1n << BigInt(e), d: 1n });

function decode(type: string, bits: bigint): Exact | Special {
  const f = formatOf(type);
  const negative = bits >> BigInt(f.bits - 1) === 1n;
  const fraction = bits & ((1n << BigInt(f.fraction)) - 1n);
  const e = (bits >> BigInt(f.fraction)) & topOf(f);
  if (e === topOf(f)) return fraction !== 0n ? "nan" : negative ? "-inf" : "inf";
  const mantissa = e === 0n ? fraction : fraction | (1n << BigInt(f.fraction));
  const { n, d } = powerOf2(Number(e === 0n ? 1n : e) - f.bias - f.fraction);
  return { value: { n: (negative ? -mantissa : mantissa) * n, d }, negative };
}

/** n / d as a whole number of a magnitude, rounded. */
function whole(n: bigint, d: bigint, negative: boolean, how: Rounding): bigint {
  const down = n / d;
  const rest = n - down * d;
  if (rest === 0n || how === "rz" || how === (negative ? "rp" : "rm")) return down;
  if (how !== "rn") return down + 1n;
  return 2n * rest > d || (2n * rest === d && down % 2n === 1n) ? down + 1n : down;
}

/** The bits of a number rounded to a type. */
function encode(type: string, { value, negative }: Exact, how: Rounding): bigint {
  const f = formatOf(type);
  const sign = negative ? 1n << BigInt(f.bits - 1) : 0n;
  const n = value.n < 0n ? -value.n : value.n;
  if (n === 0n) return sign;
  let e = Math.max(n.toString(2).length - value.d.toString(2).length, 1 - f.bias);
  if (e > 1 - f.bias && compare({ n, d: value.d }, powerOf2(e)) < 0) e -= 1;
  const unit = powerOf2(e - f.fraction);
  const steps = whole(n * unit.d, value.d * unit.n, negative, how);
  // Steps of a subnormal number have no hidden bit; a carry goes on into the exponent by itself.
  const bits = steps + (BigInt(e + f.bias - 1) << BigInt(f.fraction));
  const infinity = topOf(f) << BigInt(f.fraction);
  if (bits < infinity) return sign | bits;
  return sign | (how === "rz" || how === (negative ? "rp" : "rm") ? infinity - 1n : infinity);
}

const special = (type: string, what: Special): bigint => {
  const f = formatOf(type);
  const infinity = topOf(f) << BigInt(f.fraction);
  return what === "inf" ? infinity : infinity | (1n << BigInt(f.bits - 1));
};
const isNaNOf = (type: string, bits: bigint): boolean => decode(type, bits) === "nan";

const widthOf = (type: string): number => Number(/\d+$/.exec(type)?.[0]);
const isFloat = (type: string): boolean => type in formats;
const least = (type: string): bigint => (type.startsWith("s") ? -(1n << BigInt(widthOf(type) - 1)) : 0n);
const most = (type: string): bigint => (1n << BigInt(widthOf(type) - (type.startsWith("s") ? 1 : 0))) - 1n;
const clamp = (x: bigint, low: bigint, high: bigint): bigint => (x < low ? low : x > high ? high : x);

function sources(type: string): readonly bigint[] {
  if (!isFloat(type)) {
    const bits = BigInt(widthOf(type));
    const all = [
      0n,
      1n,
      2n,
      127n,
      128n,
      255n,
      1000n,
      2049n,
      2051n,
      0x7fffn,
      65535n,
      (1n << 24n) + 1n,
      (1n << 24n) + 3n,
      0x7fffffffn,
    ];
    const wide = [(1n << 53n) + 1n, (1n << 60n) + (1n << 36n) + 1n, (1n << 60n) + (1n << 36n), (1n << 62n) - 1n];
    const some = [...all, ...wide].flatMap((x) => [x, -x]);
    return [...new Set([...some, 1n << (bits - 1n), (1n << (bits - 1n)) - 1n].map((x) => BigInt.asUintN(Number(bits), x)))];
  }
  const f = formatOf(type);
  const one = BigInt(f.bias) << BigInt(f.fraction);
  const infinity = topOf(f) << BigInt(f.fraction);
  const numbers = [
    0.5,
    1,
    1.5,
    2.5,
    2.499,
    0.25,
    3.7,
    127.5,
    128,
    255.5,
    300,
    32767.5,
    65504,
    65519,
    65520,
    70000,
    2 ** 31 - 0.5,
    2 ** 31,
    3e9,
    2 ** 40,
    2 ** 63,
    1.9e19,
    2 ** 64,
    1e38,
    2 ** -14,
    2 ** -24,
    2 ** -25,
    1.5 * 2 ** -25,
    2 ** -126,
    2 ** -130,
    1e-44,
    0.1,
  ].map((x) => encode(type, { value: rational(x), negative: false }, "rn"));
  const bits = [
    0n,
    1n,
    2n,
    3n,
    one + 1n,
    one - 1n,
    infinity - 1n,
    infinity,
    ...numbers,
    1n << BigInt(f.fraction),
    (1n << BigInt(f.fraction)) - 1n,
  ];
  // Ties of the narrower types.
  const ties = [10, 7, 23]
    .filter((w) => w < f.fraction)
    .flatMap((w) => [1n, 3n].map((k) => one + (k << BigInt(f.fraction - w - 1))));
  const near = ties.flatMap((x) => [x, x + 1n, x - 1n]);
  return [...new Set([...bits, ...near].flatMap((x) => [x, x | (1n << BigInt(f.bits - 1))]))];
}

/** What the manual says; undefined: not specified. */
function expected(to: string, from: string, bits: bigint, how: string, sat: boolean, ftz: boolean): bigint | undefined {
  const signed = from.startsWith("s") ? BigInt.asIntN(widthOf(from), bits) : bits;
  let x: Exact | Special = isFloat(from) ? decode(from, bits) : { value: { n: signed, d: 1n }, negative: signed < 0n };
  const tiny = (y: Exact) => compare({ n: y.value.n < 0n ? -y.value.n : y.value.n, d: y.value.d }, powerOf2(-126)) < 0;
  if (ftz && from === "f32" && typeof x !== "string" && tiny(x)) x = { value: { n: 0n, d: 1n }, negative: x.negative };
  const rounding = (how.slice(0, 2) || "rn") as Rounding;
  if (!isFloat(to)) {
    if (x === "nan") return undefined;
    if (typeof x === "string") return BigInt.asUintN(widthOf(to), x === "inf" ? most(to) : least(to));
    const n = x.value.n < 0n ? -x.value.n : x.value.n;
    const magnitude = whole(n, x.value.d, x.negative, rounding);
    const integer = x.negative ? -magnitude : magnitude;
    return BigInt.asUintN(widthOf(to), isFloat(from) || sat ? clamp(integer, least(to), most(to)) : integer);
  }
  if (typeof x === "string") {
    if (x === "nan") return sat ? 0n : undefined;
    if (!sat) return special(to, x);
    x = x === "inf" ? { value: { n: 1n, d: 1n }, negative: false } : { value: { n: 0n, d: 1n }, negative: false };
  }
  if (how.endsWith("i")) {
    const n = x.value.n < 0n ? -x.value.n : x.value.n;
    const magnitude = whole(n, x.value.d, x.negative, rounding);
    x = { value: { n: x.negative ? -magnitude : magnitude, d: 1n }, negative: x.negative };
  }
  if (sat) {
    if (x.value.n <= 0n) x = { value: { n: 0n, d: 1n }, negative: false };
    else if (x.value.n > x.value.d) x = { value: { n: 1n, d: 1n }, negative: false };
  }
  const result = encode(to, x, rounding);
  const flushed = ftz && to === "f32" && (result & 0x7f800000n) === 0n;
  return flushed ? result & 0x80000000n : result;
}

const integers = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"] as const;
const floats = ["f16", "bf16", "f32", "f64"] as const;
const modes = ["rn", "rz", "rm", "rp"] as const;

function roundingsOf(to: string, from: string): readonly string[] {
  if (!isFloat(to)) return isFloat(from) ? modes.map((m) => `${m}i`) : [""];
  if (!isFloat(from)) return to === "bf16" || to === "f16" ? ["rn"] : modes;
  if (to === from) return ["", ...modes.map((m) => `${m}i`)];
  const widens = formatOf(to).fraction > formatOf(from).fraction && to !== "f16";
  return widens ? [""] : to === "f32" || from === "f64" ? ["rn", "rz"] : ["rn", "rz"];
}
const cases = [...integers, ...floats].flatMap((to) =>
  [...integers, ...floats].flatMap((from) => roundingsOf(to, from).map((how) => [to, from, how] as const)),
);

/** The type of the register that holds it. */
const held = (type: string): string => (type.endsWith("8") ? "u16" : type);

async function check(text: string, to: string, from: string, how: string, sat: boolean, ftz: boolean): Promise<void> {
  const bits = sources(from);
  const raw = (type: string) => (type === "f32" ? "b32" : type === "f64" ? "b64" : held(type));
  const found = await results(
    text,
    raw(to),
    [raw(from)],
    bits.map((x) => [x]),
  );
  const wrong = bits.flatMap((x, i) => {
    const wanted = expected(to, from, x, how, sat, ftz);
    const result = BigInt.asUintN(widthOf(to), found[i] ?? 0n);
    if (wanted === undefined)
      return !isFloat(to) || isNaNOf(to, result) ? [] : [`${x.toString(16)}: ${result.toString(16)}, not NaN`];
    return result === wanted ? [] : [`${x.toString(16)}: ${result.toString(16)}, not ${wanted.toString(16)}`];
  });
  expect(wrong).toEqual([]);
}

describe("cvt (PTX ISA 9.7.9.21) against whole numbers", () => {
  it.each(some(cases, 110))("to %s from %s %s", async (to, from, how) => {
    const opcode = (...modifiers: string[]) => ["cvt", how, ...modifiers, to, from].filter(Boolean).join(".");
    await check(opcode(), to, from, how, false, false);
    if (isFloat(to) || !isFloat(from)) await check(opcode("sat"), to, from, how, true, false);
    if (to === "f32" || from === "f32") await check(opcode("ftz"), to, from, how, false, true);
  });
});
