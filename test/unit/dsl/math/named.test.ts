import { describe, expect, it } from "vitest";
import { WarpsmithError } from "../../../../src/base/diag/index.ts";
import { fusedStatic } from "../../../../src/dsl/math/fma.ts";
import { bits, callMath, cdiv, erf, erfc, fast, fma, unsupportedMath } from "../../../../src/dsl/math/index.ts";
import { isOwnFunction, isOwnObject } from "../../../../src/dsl/trace/staged.ts";
import type { ScalarType } from "../../../../src/ir/index.ts";
import { compiled, traced } from "./evaluate.ts";
import { randomBits, specials } from "./numbers.ts";

const names = (types: readonly ScalarType[], run: (...args: never[]) => unknown): readonly string[] =>
  traced(types, run)
    .ops.map((op) => (op.name === "approx" ? String((op.attrs as { fn: string }).fn) : op.name))
    .filter((name) => name !== "const");

function codeOf(types: readonly ScalarType[], run: (...args: never[]) => unknown): string {
  try {
    traced(types, run);
  } catch (error) {
    if (error instanceof WarpsmithError) return error.code;
    throw error;
  }
  return "none";
}

describe("fast", () => {
  it("is one instruction of the hardware each", () => {
    expect(names(["f32"], fast.exp2)).toEqual(["ex2"]);
    expect(names(["f32"], fast.exp)).toEqual(["mul", "ex2"]);
    expect(names(["f32"], fast.log2)).toEqual(["lg2"]);
    expect(names(["f32"], fast.rcp)).toEqual(["rcp"]);
    expect(names(["f32"], fast.rsqrt)).toEqual(["rsqrt"]);
    expect(names(["f32"], fast.tanh)).toEqual(["tanh"]);
    expect(names(["f32"], fast.sin)).toEqual(["sin"]);
    expect(names(["f32"], fast.cos)).toEqual(["cos"]);
    expect(names(["f32", "f32"], fast.divide)).toEqual(["div.approx"]);
  });
  it("goes through f32 where f16 has no instruction", () => {
    expect(names(["f16"], fast.exp2)).toEqual(["ex2"]);
    expect(names(["bf16"], fast.tanh)).toEqual(["tanh"]);
    expect(names(["bf16"], fast.exp2)).toEqual(["convert", "ex2", "convert"]);
    expect(names(["f16"], fast.sin)).toEqual(["convert", "sin", "convert"]);
    expect(compiled(["f16", "f16"], fast.divide).type).toBe("f16");
  });
  it("computes: the argument is where it belongs", () => {
    expect(compiled(["f32"], fast.exp).call(1)).toBeCloseTo(Math.E, 5);
    expect(compiled(["f32"], (x: never) => fast.divide(1, x)).call(8)).toBe(0.125);
    expect(fast.exp2(3)).toBe(8);
    expect(fast.rsqrt(4)).toBe(0.5);
  });
  it("refuses integers and f64", () => {
    expect(codeOf(["i32"], fast.exp2)).toBe("W2701");
    expect(codeOf(["f64"], fast.exp2)).toBe("W2702");
    expect(codeOf(["f64"], fast.exp)).toBe("W2702");
  });
});

describe("fma", () => {
  it("is one op in the widest type", () => {
    expect(names(["f32", "f32", "f32"], fma)).toEqual(["fma"]);
    expect(compiled(["f16", "f16", "f32"], fma).type).toBe("f32");
    expect(compiled(["f32"], (x: never) => fma(x, 2, 1)).call(3)).toBe(7);
    expect(codeOf(["i32"], (x: never) => fma(x, 2, 1))).toBe("W2701");
  });
  it("rounds static numbers once", () => {
    const e = 2 ** -30;
    expect(fma(1 + e, 1 - e, -1)).toBe(-(2 ** -60));
    expect(fma(2, 3, 4)).toBe(10);
    expect(fma(2 ** 1000, 2 ** 1000, Number.NEGATIVE_INFINITY)).toBe(Number.NEGATIVE_INFINITY);
    expect(fma(2 ** 600, 2 ** 500, -(2 ** 1023))).toBe(Number.POSITIVE_INFINITY);
    expect(fma(2 ** -600, 2 ** -480, 2 ** -1074)).toBe(2 ** -1074);
    expect(fma(2 ** -537, 2 ** -537, 0)).toBe(2 ** -1074);
    expect(Object.is(fma(-1, 0, -0), -0)).toBe(true);
    const next = randomBits(9);
    for (let i = 0; i < 2000; i++) {
      const [a, b, c] = [next() | 0, (next() | 0) >> 11, next() | 0];
      expect(fusedStatic(a, b * 2 ** -20, c)).toBe(a * (b * 2 ** -20) + c);
    }
    for (const x of specials) expect(Object.is(fusedStatic(x, 1, -0), x)).toBe(true);
  });
});

describe("erf and erfc", () => {
  /** To 17 digits, by mpmath. */
  const known: readonly (readonly [x: number, erf: number, erfc: number])[] = [
    [0.001, 0.0011283787909692365, 0.9988716212090307],
    [0.25, 0.27632639016823696, 0.7236736098317631],
    [0.74, 0.7046780778547458, 0.2953219221452542],
    [0.75, 0.7111556336535151, 0.28884436634648486],
    [1, 0.8427007929497149, 0.15729920705028513],
    [1.5, 0.9661051464753108, 0.033894853524689274],
    [2.4, 0.999311486103355, 0.0006885138966450789],
    [2.5, 0.999593047982555, 0.0004069520174449589],
    [3.25, 0.9999956972205363, 4.302779463675122e-6],
    [5.75, 0.9999999999999996, 4.232136617425738e-16],
  ];
  it("of static numbers are those of f64", () => {
    for (const [x, whole, rest] of known) {
      expect(Math.abs(erf(x) / whole - 1), `erf(${x})`).toBeLessThan(4 * 2 ** -53);
      expect(Math.abs(erfc(x) / rest - 1), `erfc(${x})`).toBeLessThan(1e-14);
      expect(erf(-x)).toBe(-erf(x));
    }
    expect([erf(0), erf(-0), erf(Number.POSITIVE_INFINITY), erf(Number.NEGATIVE_INFINITY), erf(Number.NaN)]).toEqual([
      0,
      -0,
      1,
      -1,
      Number.NaN,
    ]);
    expect([erfc(0), erfc(-30), erfc(30), erfc(Number.POSITIVE_INFINITY), erfc(Number.NaN)]).toEqual([1, 2, 0, 0, Number.NaN]);
  });
  it("take what Math's functions take", () => {
    expect(compiled(["f16"], erf).type).toBe("f16");
    expect(compiled(["f32"], erfc).call(0.5)).toBeCloseTo(0.4795001221869535, 6);
    expect(codeOf(["i32"], erf)).toBe("W2701");
    expect(codeOf(["f64"], erfc)).toBe("W2702");
  });
});

describe("bits and cdiv", () => {
  const next = randomBits(11);
  const words = [0, 1, 0xffffffff, 0x80000000, ...Array.from({ length: 200 }, next)];
  it("are the same static and staged", () => {
    const popcount = compiled(["u32"], bits.popcount);
    const clz = compiled(["u32"], bits.clz);
    const reverse = compiled(["u32"], bits.reverse);
    const funnel = compiled(["u32", "u32", "i32"], bits.funnelShift);
    expect([popcount.type, clz.type, reverse.type, funnel.type]).toEqual(["i32", "i32", "u32", "u32"]);
    for (const [i, x] of words.entries()) {
      const y = words[words.length - 1 - i] ?? 0;
      expect(popcount.call(x)).toBe(bits.popcount(x));
      expect(clz.call(x)).toBe(bits.clz(x));
      expect(reverse.call(x)).toBe(bits.reverse(x));
      expect(funnel.call(x, y, i)).toBe(bits.funnelShift(x, y, i));
      expect(BigInt(bits.funnelShift(x, y, i))).toBe((((BigInt(y) << 32n) | BigInt(x)) >> BigInt(i & 31)) & 0xffffffffn);
    }
    expect(bits.reverse(1)).toBe(0x80000000);
    expect(bits.popcount(-1)).toBe(32);
  });
  it("mulhi is the high half of a product of two i32 or two u32", () => {
    const signed = compiled(["i32", "i32"], bits.mulhi);
    const unsigned = compiled(["u32", "u32"], bits.mulhi);
    expect([signed.type, unsigned.type]).toEqual(["i32", "u32"]);
    for (const [i, x] of words.entries()) {
      const y = words[words.length - 1 - i] ?? 0;
      const product = BigInt(x | 0) * BigInt(y | 0);
      expect(signed.call(x | 0, y | 0)).toBe(Number(product >> 32n));
      expect(bits.mulhi(x | 0, y | 0)).toBe(Number(product >> 32n));
      expect(unsigned.call(x, y)).toBe(Number((BigInt(x) * BigInt(y)) >> 32n));
    }
    expect(compiled(["u32"], (n: never) => bits.mulhi(n, 0x80000000)).call(7)).toBe(3);
    expect(codeOf(["i32", "u32"], bits.mulhi)).toBe("W2003");
    expect(codeOf(["f32"], (x: never) => bits.mulhi(x, 3))).toBe("W2011");
  });
  it("cdiv rounds up, of either sign", () => {
    const { call, type } = compiled(["i32", "i32"], cdiv);
    expect(type).toBe("i32");
    for (let a = -12; a <= 12; a++)
      for (const b of [-5, -3, -1, 1, 2, 3, 128]) {
        expect(Number(call(a, b)) + 0).toBe(Math.ceil(a / b) + 0);
        expect(cdiv(a, b) + 0).toBe(Math.ceil(a / b) + 0);
      }
    expect(compiled(["i32"], (n: never) => cdiv(n, 128)).call(129)).toBe(2);
    expect(codeOf(["f32"], (x: never) => cdiv(x, 2))).toBe("W2011");
    expect(codeOf(["f32"], bits.popcount)).toBe("W2011");
  });
  it("belong to the dsl", () => {
    for (const f of [fma, cdiv, erf, erfc, bits.clz, bits.mulhi, fast.exp, fast.divide]) expect(isOwnFunction(f)).toBe(true);
    expect(isOwnObject(fast) && isOwnObject(bits)).toBe(true);
  });
});

describe("what is refused", () => {
  const math =
    (f: (...args: never[]) => unknown) =>
    (...args: never[]) =>
      callMath(f as never, args);
  it("says why", () => {
    expect(codeOf(["i32"], math(Math.sqrt))).toBe("W2701");
    expect(codeOf(["i32"], math(Math.sin))).toBe("W2701");
    expect(codeOf(["f64"], math(Math.sin))).toBe("W2702");
    expect(codeOf(["e4m3"], math(Math.exp))).toBe("W2702");
    expect(codeOf(["i64"], math(Math.abs))).toBe("W2703");
    expect(codeOf(["f32"], math(Math.atan2))).toBe("W2704");
    expect(codeOf(["pred"], math(Math.abs))).toBe("W2006");
    expect(codeOf(["i32", "f32"], math(Math.max))).toBe("W2003");
    expect(codeOf(["f32", "f32"], math(Math.imul))).toBe("W2011");
    expect(() => unsupportedMath("f16round")).toThrow("f16(x)");
  });
  it("static numbers are JavaScript's own", () => {
    expect(callMath(Math.max as never, [1, 2])).toBe(2);
  });
});
