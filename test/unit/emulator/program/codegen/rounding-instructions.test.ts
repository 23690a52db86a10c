import { describe, expect, it } from "vitest";
import {
  compare,
  type FloatType,
  floatOfBits,
  isRounded,
  isRoundedOrder,
  over,
  plus,
  type Rational,
  type Rounding,
  rational,
  times,
} from "../../rational.ts";
import { encoded, results } from "../../run-instruction.ts";

const roundings: readonly Rounding[] = ["rn", "rz", "rm", "rp"];
const types: readonly FloatType[] = ["f32", "f64"];

/** Numbers of every size, with long and short mantissas, subnormal ones and the greatest. */
function numbers(type: FloatType, count: number, seed: number): number[] {
  const [fraction, exponents] = type === "f32" ? [23, 255] : [52, 2047];
  let state = seed;
  const next = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return Array.from({ length: count }, () => {
    const middle = Math.floor(exponents / 2);
    const near = middle - 20 + next(40);
    const e = [near, near, next(exponents), next(3), exponents - 1 - next(2)][next(5)] ?? near;
    const random = (BigInt(next(2 ** 30)) << 30n) | BigInt(next(2 ** 30));
    const all = (1n << BigInt(fraction)) - 1n;
    const mantissa = [random & all, 0n, all, (random & 7n) << BigInt(fraction - 3), random & 3n][next(5)] ?? 0n;
    const sign = BigInt(next(2)) << BigInt(type === "f32" ? 31 : 63);
    return floatOfBits(sign | (BigInt(e) << BigInt(fraction)) | mantissa, type);
  });
}
const edges = (type: FloatType): readonly number[] => {
  const [least, tiny, most] =
    type === "f32" ? [2 ** -149, 2 ** -126, 3.4028234663852886e38] : [2 ** -1074, 2 ** -1022, Number.MAX_VALUE];
  return [1, -1, 3, -3, least, -least, tiny, -tiny, most, -most, 1 + (type === "f32" ? 2 ** -23 : 2 ** -52)];
};

function rows(type: FloatType, operands: number): number[][] {
  const xs = edges(type);
  const all = operands === 1 ? xs.map((x) => [x]) : xs.flatMap((a) => xs.map((b) => [a, b, operands === 3 ? -a : 0]));
  const random = numbers(type, 400 * operands, 7 + operands);
  for (let i = 0; i < random.length; i += operands) all.push(random.slice(i, i + operands));
  // Sums that cancel almost.
  if (operands === 3)
    for (const [a = 1, b = 1] of all.slice(0, 60)) all.push([a, b, type === "f32" ? Math.fround(-a * b) : -a * b]);
  return all.map((row) => row.slice(0, operands)).filter((row) => row.every(Number.isFinite));
}

const exact: Readonly<Record<string, (type: FloatType, ...xs: number[]) => Rational>> = {
  add: (t, a = 0, b = 0) => plus(rational(a, t), rational(b, t)),
  sub: (t, a = 0, b = 0) => plus(rational(a, t), rational(-b, t)),
  mul: (t, a = 0, b = 0) => times(rational(a, t), rational(b, t)),
  fma: (t, a = 0, b = 0, c = 0) => plus(times(rational(a, t), rational(b, t)), rational(c, t)),
  div: (t, a = 0, b = 0) => over(rational(a, t), rational(b, t)),
  rcp: (t, a = 0) => over(rational(1, t), rational(a, t)),
};
const operandsOf: Readonly<Record<string, number>> = { fma: 3, rcp: 1 };
const cases = Object.keys(exact).flatMap((op) => types.flatMap((type) => roundings.map((how) => [op, how, type] as const)));

describe("every rounding gives the float on the right side of the exact result", () => {
  it.each(cases)("%s.%s.%s", async (op, how, type) => {
    const count = operandsOf[op] ?? 2;
    const divides = op === "div" || op === "rcp";
    const given = rows(type, count).filter((row) => !(divides && row.at(-1) === 0));
    const wrong: string[] = [];
    for (let from = 0; from < given.length; from += 512) {
      const part = given.slice(from, from + 512);
      const found = await results(`${op}.${how}.${type}`, type, Array<string>(count).fill(type), part);
      part.forEach((row, i) => {
        const value = exact[op]?.(type, ...row);
        if (!value || value.n === 0n) return;
        const x = floatOfBits(found[i] ?? 0n, type);
        if (!isRounded(x, value, how, type)) wrong.push(`${row} gives ${x}`);
      });
    }
    expect(wrong).toEqual([]);
  });

  it.each(types.flatMap((type) => roundings.map((how) => [how, type] as const)))("sqrt.%s.%s", async (how, type) => {
    const given = rows(type, 1).map(([x = 1]) => [Math.abs(x)]);
    const found = await results(`sqrt.${how}.${type}`, type, [type], given);
    const wrong = given.filter(([x = 1], i) => {
      const square = rational(x, type);
      const order = (to: Rational) => compare(square, times(to, to));
      return !isRoundedOrder(floatOfBits(found[i] ?? 0n, type), order, how, type);
    });
    expect(wrong).toEqual([]);
  });
});

describe("zeros, infinities and NaN in every rounding", () => {
  const inf = Number.POSITIVE_INFINITY;
  it.each(cases.filter(([op]) => op !== "rcp"))("%s.%s.%s", async (op, how, type) => {
    const xs = [0, -0, 1, -1, inf, -inf, Number.NaN];
    const given =
      op === "fma" ? xs.flatMap((a) => xs.flatMap((b) => xs.map((c) => [a, b, c]))) : xs.flatMap((a) => xs.map((b) => [a, b]));
    const found = await results(`${op}.${how}.${type}`, type, Array<string>(given[0]?.length ?? 2).fill(type), given);
    const plain: Readonly<Record<string, (a: number, b: number, c: number) => number>> = {
      add: (a, b) => a + b,
      sub: (a, b) => a - b,
      mul: (a, b) => a * b,
      div: (a, b) => a / b,
      fma: (a, b, c) => a * b + c,
    };
    given.forEach(([a = 0, b = 0, c = 0], i) => {
      const rounded = plain[op]?.(a, b, c) ?? 0;
      const [x, y] = op === "fma" ? [a * b, c] : [a, op === "sub" ? -b : b];
      // A sum of opposite numbers, or zeros, is negative only when rounding down.
      const cancels = rounded === 0 && !["mul", "div"].includes(op) && !Object.is(x, y);
      const wanted = cancels && how === "rm" ? -0 : rounded;
      expect(Object.is(floatOfBits(found[i] ?? 0n, type), wanted), `${a} ${b} ${c}`).toBe(true);
    });
  });
  it("rcp and sqrt", async () => {
    const xs = [0, -0, inf, -inf, Number.NaN];
    for (const type of types) {
      for (const how of roundings) {
        const rcp = await results(
          `rcp.${how}.${type}`,
          type,
          [type],
          xs.map((x) => [x]),
        );
        expect(rcp.map((x) => floatOfBits(x, type))).toEqual([inf, -inf, 0, -0, Number.NaN]);
        const sqrt = await results(
          `sqrt.${how}.${type}`,
          type,
          [type],
          [...xs, -1].map((x) => [x]),
        );
        expect(sqrt.map((x) => floatOfBits(x, type))).toEqual([0, -0, inf, Number.NaN, Number.NaN, Number.NaN]);
      }
    }
  });
});

describe("ftz", () => {
  it("takes subnormal operands for zeros of their sign, and gives such", async () => {
    const least = 2 ** -149;
    const one = async (text: string, ...row: number[]) =>
      (
        await results(
          text,
          "f32",
          row.map(() => "f32"),
          [row],
        )
      )[0];
    expect(await one("add.rz.ftz.f32", least, -0)).toBe(encoded("f32", 0));
    expect(await one("mul.rp.ftz.f32", 2 ** -100, 2 ** -40)).toBe(encoded("f32", 0));
    expect(await one("mul.rp.f32", 2 ** -100, 2 ** -60)).toBe(encoded("f32", least));
    expect(await one("div.rn.ftz.f32", -least, 1)).toBe(encoded("f32", -0));
    expect(await one("rcp.rz.ftz.f32", -least)).toBe(encoded("f32", Number.NEGATIVE_INFINITY));
    expect(await one("sqrt.rm.ftz.f32", least)).toBe(encoded("f32", 0));
    expect(await one("fma.rm.ftz.f32", 2 ** -75, -(2 ** -75), 0)).toBe(encoded("f32", -0));
    // f16: 2^-14 is the smallest normal number.
    const half = async (text: string, ...row: number[]) =>
      (
        await results(
          text,
          "f16",
          row.map(() => "f16"),
          [row],
        )
      )[0];
    expect(await half("add.ftz.f16", 0x0001, 0x3c00)).toBe(0x3c00n);
    expect(await half("mul.ftz.f16", 0x0400, 0xb800)).toBe(0x8000n);
    expect(await half("mul.f16", 0x0400, 0xb800)).toBe(0x8200n);
    expect(await half("neg.ftz.f16", 0x0001)).toBe(0x8000n);
  });
});
