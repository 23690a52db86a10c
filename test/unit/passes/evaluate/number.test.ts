import { f16round } from "@petamoriken/float16";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  binary,
  bitcast,
  compare,
  converted,
  funnel,
  fused,
  roundEven,
  roundInteger,
  roundTo,
  unary,
  wrapTo,
} from "../../../../src/passes/evaluate/number.ts";
import { ofProperty } from "../../../support/amount.ts";

const bits = (x: number): number => new Uint32Array(new Float32Array([x]).buffer)[0] ?? 0;

describe("rounding", () => {
  test("to f16 as the library for it does", () => {
    const near = fc.integer({ min: 0, max: 0xffff }).map((n) => n / 2 ** 24);
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.float(), near, fc.double({ min: -70000, max: 70000 })), (x) => {
        if (!Number.isNaN(x)) expect(roundTo("f16", x)).toBe(f16round(x));
      }),
      ofProperty(400, 100),
    );
  });
  test("to bf16: the upper half of an f32, ties to even", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffffff }), (n) => {
        const x = new Float32Array(new Uint32Array([n]).buffer)[0] ?? 0;
        if (!Number.isFinite(x)) return;
        const wanted = ((n + 0x7fff + ((n >>> 16) & 1)) & 0xffff0000) >>> 0;
        expect(bits(roundTo("bf16", x) ?? Number.NaN)).toBe(wanted);
      }),
      ofProperty(400, 100),
    );
  });
  test("to an integer, with the sign kept on zero", () => {
    expect([0.5, 1.5, 2.5, -0.5, -1.5, 0.49999999999999994, -0, 2 ** 53 + 2].map(roundEven)).toEqual([
      0,
      2,
      2,
      -0,
      -2,
      0,
      -0,
      2 ** 53 + 2,
    ]);
    expect(roundInteger("pi", "f32", -0.5)).toBe(-0);
    expect(roundInteger("mi", "f32", -0.5)).toBe(-1);
    expect(roundInteger("zi", "f32", -0.5)).toBe(-0);
  });
});

test("f32 arithmetic is that of Math.fround", () => {
  fc.assert(
    fc.property(fc.float(), fc.float(), (a, b) => {
      for (const [name, wanted] of [
        ["add", a + b],
        ["sub", a - b],
        ["mul", a * b],
        ["div", a / b],
        ["rem", a % b],
        ["min", Math.min(a, b)],
        ["max", Math.max(a, b)],
      ] as const) {
        expect(binary(name, "f32", a, b)).toBe(Number.isNaN(wanted) ? undefined : Math.fround(wanted));
      }
    }),
    ofProperty(400, 100),
  );
});

test("32-bit integers are those of JavaScript", () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer(), (a, b) => {
      expect(binary("add", "i32", a, b)).toBe((a + b) | 0);
      expect(binary("mul", "i32", a, b)).toBe(Math.imul(a, b));
      expect(binary("shl", "i32", a, b)).toBe(a << b);
      expect(binary("shr", "i32", a, b)).toBe(a >> b);
      expect(binary("shr", "u32", a >>> 0, b)).toBe(a >>> b);
      expect(binary("and", "i32", a, b)).toBe(a & b);
      expect(unary("not", "i32", a)).toBe(~a);
      expect(unary("clz", "i32", a)).toBe(Math.clz32(a));
      expect(binary("mul.hi", "u32", a >>> 0, b >>> 0)).toBe(Number((BigInt(a >>> 0) * BigInt(b >>> 0)) >> 32n));
    }),
    ofProperty(400, 100),
  );
});

test("a division by 0 gives 0, and the least integer by -1 wraps", () => {
  const least = -(2 ** 31);
  expect([
    binary("div", "i32", 1, 0),
    binary("rem", "i32", 1, 0),
    binary("div", "i32", least, -1),
    binary("rem", "i32", least, -1),
  ]).toEqual([0, 0, least, 0]);
});

test("what the hardware decides is left to it", () => {
  expect(binary("add", "e4m3", 1, 1)).toBeUndefined();
  expect(bitcast("i32", "f32", -1)).toBeUndefined();
  expect(converted("i32", "pred", 1)).toBeUndefined();
});

test("the edges of integers", () => {
  expect(unary("neg", "i32", -(2 ** 31))).toBe(-(2 ** 31));
  expect(unary("abs", "i32", -(2 ** 31))).toBe(-(2 ** 31));
  expect(wrapTo("u64", -1n)).toBe(2n ** 64n - 1n);
  expect(unary("brev", "u32", 1)).toBe(2 ** 31);
  expect(unary("popc", "i32", -1)).toBe(32);
  expect(funnel("u32", "l", 0x80000000, 1, 1)).toBe(3);
  expect(funnel("u32", "r", 0, 1, 33)).toBe(2 ** 31);
});

test("conversions round once and saturate", () => {
  expect(converted("f32", "i32", -3e9)).toBe(-(2 ** 31));
  expect(converted("f32", "u8", -1)).toBe(0);
  expect(converted("f32", "i32", Number.NaN)).toBe(0);
  expect(converted("f64", "i64", 2 ** 63)).toBe(2n ** 63n - 1n);
  expect(converted("i32", "f32", 16777217)).toBe(16777216);
  // 2^60 + 2^36 + 1 is above the tie of f32, but not once it has been rounded to f64.
  expect(converted("i64", "f32", 2n ** 60n + 2n ** 36n + 1n)).toBeUndefined();
  expect(converted("i32", "u8", -1)).toBe(255);
  expect(converted("pred", "i64", true)).toBe(1n);
});

test("comparisons are IEEE's", () => {
  const nan = Number.NaN;
  expect(["eq", "ne", "lt", "le", "gt", "ge"].map((is) => compare(is, "f32", nan, nan))).toEqual([
    false,
    true,
    false,
    false,
    false,
    false,
  ]);
  expect(compare("eq", "f32", -0, 0)).toBe(true);
  expect(compare("eq", "f32", 0.1, Math.fround(0.1))).toBe(true);
});

test("a fused sum that f64 cannot hold exactly is left alone", () => {
  expect(fused("f32", 3, 4, 5)).toBe(17);
  expect(fused("f32", 1 + 2 ** -23, 1 + 2 ** -23, 1e30)).toBeUndefined();
});
