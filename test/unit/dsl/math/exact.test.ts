import { f16round } from "@petamoriken/float16";
import { describe, expect, it } from "vitest";
import { callMath, mathFunctions } from "../../../../src/dsl/math/index.ts";
import { Quotient } from "../../../../src/dsl/numbers/unusable.ts";
import { binary } from "../../../../src/dsl/operators/binary.ts";
import type { ScalarType } from "../../../../src/ir/index.ts";
import { compiled, type Held } from "./evaluate.ts";
import { f32OfBits, randomBits, specials } from "./numbers.ts";

type Numeric = (...args: number[]) => number;
const staged =
  (f: Numeric) =>
  (...args: never[]) =>
    callMath(f as never, args);
const on = (type: ScalarType, f: Numeric, arity = 1) =>
  compiled(
    Array.from({ length: arity }, () => type),
    staged(f),
  ).call;

const bits = randomBits(5);
const floats = [
  ...specials,
  ...Array.from({ length: 20_000 }, () => f32OfBits(bits())),
  ...Array.from({ length: 20_000 }, () => Math.fround((bits() - 2 ** 31) / 2 ** 27)),
];
const ties = Array.from({ length: 400 }, (_, i) => (i - 200) / 4);
const ints = [0, 1, -1, 2, -2, 7, -7, 1000, -1000, 2 ** 31 - 1, -(2 ** 31) + 1, ...Array.from({ length: 500 }, () => bits() | 0)];

/** Every f16. */
const halves = Array.from({ length: 65536 }, (_, i) => {
  const [exponent, fraction] = [(i >> 10) & 31, i & 1023];
  const size =
    exponent === 31
      ? fraction
        ? Number.NaN
        : Number.POSITIVE_INFINITY
      : exponent === 0
        ? fraction * 2 ** -24
        : (1024 + fraction) * 2 ** (exponent - 25);
  return i & 0x8000 ? -size : size;
});

/** The first argument on which the two differ, if any. */
function difference(
  call: (...args: Held[]) => Held,
  f: Numeric,
  round: (x: number) => number,
  samples: readonly number[],
): string | undefined {
  const at = samples.find((x) => !Object.is(Number(call(x)), round(f(x))));
  return at === undefined ? undefined : `${f.name}(${at}) is ${f(at)}, not ${String(call(at))}`;
}

describe("functions that are exact", () => {
  for (const f of [Math.abs, Math.floor, Math.ceil, Math.trunc, Math.round, Math.sign, Math.sqrt, Math.fround]) {
    it(`Math.${f.name} is JavaScript's on f32, f64 and every f16`, () => {
      expect(difference(on("f32", f), f, Math.fround, [...floats, ...ties])).toBeUndefined();
      if (f !== Math.fround) {
        expect(
          difference(on("f64", f), f, (x) => x, [...floats, ...ties, 0.49999999999999994, 4503599627370495.5, 2 ** 53]),
        ).toBeUndefined();
        expect(difference(on("f16", f), f, f16round, halves)).toBeUndefined();
      }
    });
  }

  it("min and max know NaN and the signs of zero, and take any number of arguments", () => {
    for (const f of [Math.min, Math.max]) {
      const call = on("f32", f, 2);
      const pairs = specials.flatMap((a) => specials.map((b) => [a, b] as const));
      expect(pairs.filter(([a, b]) => !Object.is(Number(call(a, b)), f(a, b)))).toEqual([]);
    }
    expect(compiled(["f32"], (x: never) => callMath(Math.max as never, [1, x, 7])).call(3)).toBe(7);
    expect(compiled(["i32", "i32", "i32"], staged(Math.min)).call(5, -3, 4)).toBe(-3);
    expect(compiled(["f32"], staged(Math.max)).call(5)).toBe(5);
  });

  it("a literal takes the type of the value it meets, a narrower float widens", () => {
    expect(compiled(["f16"], (x: never) => callMath(Math.max as never, [x, 0])).type).toBe("f16");
    expect(compiled(["f16", "f32"], staged(Math.hypot)).type).toBe("f32");
    expect(compiled(["f16"], (x: never) => callMath(Math.pow as never, [x, 0.5])).type).toBe("f16");
  });

  it("Math.hypot: Infinity wins over NaN; three arguments; no overflow", () => {
    const call = on("f32", Math.hypot, 3);
    expect(call(Number.NaN, Number.NEGATIVE_INFINITY, 1)).toBe(Number.POSITIVE_INFINITY);
    expect(call(2, 3, 6)).toBe(7);
    expect(call(3e38, 1e38, 0)).toBe(Math.fround(Math.hypot(Math.fround(3e38), Math.fround(1e38))));
    expect(call(0, -0, 0)).toBe(0);
  });
});

/** Is it the f16 nearest to the exact result, or one that is as near but for a hundredth of an ulp? */
function isNearest(got: number, exact: number): boolean {
  if (Object.is(got, f16round(exact))) return true;
  const ulp = 2 ** (Math.max(Math.floor(Math.log2(Math.abs(exact))), -14) - 10);
  return Math.abs(got - exact) <= 0.51 * ulp;
}

describe("every f16", () => {
  for (const f of [Math.exp, Math.log, Math.log2, Math.sin, Math.cos, Math.tanh, Math.atan, Math.expm1, Math.cbrt]) {
    it(`Math.${f.name} is within 0.51 ulp`, () => {
      const call = on("f16", f);
      const wrong = halves.filter((x) => !isNearest(Number(call(x)), f(x)));
      expect(
        wrong.length,
        wrong
          .slice(0, 5)
          .map((x) => `${f.name}(${x}) is ${String(call(x))}, not ${f(x)}`)
          .join("; "),
      ).toBe(0);
    });
  }
});

describe("integers", () => {
  it("abs, sign, floor, imul and clz32 are JavaScript's", () => {
    for (const f of [Math.abs, Math.sign, Math.floor, Math.ceil, Math.round, Math.trunc, Math.clz32]) {
      const call = on("i32", f);
      for (const x of ints) expect(Number(call(x)) + 0, `${f.name}(${x})`).toBe(f(x) + 0);
    }
    const imul = on("i32", Math.imul, 2);
    for (const [i, x] of ints.entries())
      expect(imul(x, ints[ints.length - 1 - i] ?? 0)).toBe(Math.imul(x, ints[ints.length - 1 - i] ?? 0));
    expect(on("u32", Math.clz32)(1)).toBe(31);
    expect(on("u32", Math.sign)(4e9)).toBe(1);
    expect(on("u32", Math.abs)(4e9)).toBe(4e9);
    expect(on("u32", Math.imul, 2)(0xffffffff, 5)).toBe(-5);
    expect(compiled(["i8"], staged(Math.abs)).type).toBe("i32");
    expect(compiled(["i32"], staged(Math.fround)).type).toBe("f32");
  });

  it("Math.trunc, floor, ceil and round of a / b divide integers", () => {
    for (const f of [Math.trunc, Math.floor, Math.ceil, Math.round]) {
      const { call, type } = compiled(["i32", "i32"], (a: never, b: never) => {
        const quotient = binary("/", a, b);
        expect(quotient).toBeInstanceOf(Quotient);
        return callMath(f as never, [quotient]);
      });
      expect(type).toBe("i32");
      for (let a = -20; a <= 20; a++)
        for (const b of [-7, -4, -3, -2, -1, 1, 2, 3, 4, 7])
          expect(Number(call(a, b)) + 0, `${f.name}(${a} / ${b})`).toBe(f(a / b) + 0);
    }
    const { call } = compiled(["u32", "u32"], (a: never, b: never) => callMath(Math.round as never, [binary("/", a, b)]));
    expect(call(4294967295, 2)).toBe(2147483648);
  });

  it("Math.pow is **, of integers too", () => {
    expect(compiled(["i32"], (x: never) => callMath(Math.pow as never, [x, 5])).call(-3)).toBe(-243);
    expect(compiled(["i32"], (x: never) => binary("+", x, callMath(Math.pow as never, [2, 3, x]))).call(1)).toBe(9);
    expect(compiled(["f32"], (x: never) => binary("**", x, 0.5)).call(2)).toBe(Math.fround(Math.SQRT2));
    expect(compiled(["f32"], (x: never) => binary("**", 2, x)).call(-149)).toBe(2 ** -149);
  });
});

it("every function of Math that is not about the host has a meaning", () => {
  const names = Object.getOwnPropertyNames(Math).filter((name) => typeof Math[name as "abs"] === "function");
  const without = names.filter((name) => !mathFunctions.has(Math[name as "abs"]));
  expect(without.filter((name) => name !== "f16round" && name !== "sumPrecise")).toEqual(["random"]);
});
