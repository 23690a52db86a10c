import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fma32, fma64, roundF32, roundTo } from "../../../../src/emulator/machine/numerics/rounding.ts";
import {
  bf16Bits,
  bf16Value,
  e4m3Bits,
  e4m3Value,
  e5m2Bits,
  e5m2Value,
  f16Bits,
  f16Value,
} from "../../../../src/emulator/machine/numerics/small-floats.ts";
import { ofProperty } from "../../../support/amount.ts";

/** x = mantissa * 2 ** exponent. */
function exact(x: number): { m: bigint; e: number } {
  let e = 0;
  let y = x;
  while (!Number.isInteger(y)) {
    y *= 2;
    e -= 1;
  }
  return { m: BigInt(y), e };
}

/** a * b + c rounded to so many bits, ties to even, exponents not below `least`; by whole numbers alone. */
function fmaOracle(a: number, b: number, c: number, bits: number, least: number): number {
  const [x, y, z] = [exact(a), exact(b), exact(c)];
  const e = Math.min(x.e + y.e, z.e);
  const sum = ((x.m * y.m) << BigInt(x.e + y.e - e)) + (z.m << BigInt(z.e - e));
  if (sum === 0n) return a * b + c;
  const magnitude = sum < 0n ? -sum : sum;
  const length = magnitude.toString(2).length;
  const drop = Math.max(length - bits, least - bits + 1 - e, 0);
  let kept = magnitude >> BigInt(drop);
  const rest = magnitude - (kept << BigInt(drop));
  const half = drop > 0 ? 1n << BigInt(drop - 1) : 0n;
  if (drop > 0 && (rest > half || (rest === half && (kept & 1n) === 1n))) kept += 1n;
  let value = Number(kept);
  for (let i = 0; i < Math.abs(e + drop); i++) value *= e + drop > 0 ? 2 : 0.5;
  return sum < 0n ? -value : value;
}

/** Floats of moderate size whose low bits are all zeros or ones with an odd one, so that sums come near ties. */
const f32 = fc
  .tuple(
    fc.integer({ min: 2 ** 23, max: 2 ** 24 - 1 }),
    fc.integer({ min: 0, max: 22 }),
    fc.integer({ min: -40, max: 20 }),
    fc.boolean(),
  )
  .map(([m, zeros, e, negative]) => (negative ? -1 : 1) * Math.fround(Math.floor(m / 2 ** zeros) * 2 ** zeros * 2 ** e));
const f64 = fc
  .tuple(
    fc.integer({ min: 2 ** 52, max: 2 ** 53 - 1 }),
    fc.integer({ min: 0, max: 51 }),
    fc.integer({ min: -70, max: 30 }),
    fc.boolean(),
  )
  .map(([m, zeros, e, negative]) => (negative ? -1 : 1) * Math.floor(m / 2 ** zeros) * 2 ** zeros * 2 ** e);

describe("fma is rounded once", () => {
  it("f32", () => {
    fc.assert(
      fc.property(f32, f32, f32, (a, b, c) => {
        expect(fma32(a, b, c)).toBe(fmaOracle(a, b, c, 24, -126));
      }),
      ofProperty(2000, 300),
    );
  });
  it("f32 on built ties", () => {
    // a * b = 1 + 2^-36, and 1 is half of the distance between two f32 from 2^24 on: doubles lose what decides.
    const [a, b] = [1 + 2 ** -12, 1 - 2 ** -12 + 2 ** -24];
    let naive = 0;
    for (let i = 2; i < 500; i++) {
      const c = 2 ** 24 + 2 * i;
      for (const sign of [1, -1]) {
        const wanted = fmaOracle(sign * a, b, c, 24, -126);
        expect(fma32(sign * a, b, c)).toBe(wanted);
        if (Math.fround(sign * a * b + c) !== wanted) naive += 1;
      }
    }
    expect(naive).toBeGreaterThan(100);
  });
  it("f64", () => {
    fc.assert(
      fc.property(f64, f64, f64, (a, b, c) => {
        expect(fma64(a, b, c)).toBe(fmaOracle(a, b, c, 53, -1022));
      }),
      ofProperty(2000, 300),
    );
  });
  it("f64 at the ends of its range", () => {
    expect(fma64(2 ** -600, 2 ** -600, 2 ** -1074)).toBe(2 ** -1074);
    expect(fma64(2 ** -537, 2 ** -537, 0)).toBe(2 ** -1074);
    expect(fma64(2 ** -537, 2 ** -538, 2 ** -1074)).toBe(2 ** -1073);
    expect(fma64(2 ** 600, 2 ** 600, 1)).toBe(Number.POSITIVE_INFINITY);
    expect(fma64(2 ** 1000, 2 ** 100, -(2 ** 1023))).toBe(Number.POSITIVE_INFINITY);
    expect(fma64(1.5 * 2 ** 1000, 2 ** 23, -(2 ** 1023))).toBe(2 ** 1022);
    expect(fma64(Number.POSITIVE_INFINITY, 0, 1)).toBeNaN();
    expect(Object.is(fma64(-0, 1, -0), -0)).toBe(true);
  });
});

describe("small floats", () => {
  it("come back from their values", () => {
    // One `expect` for all: it takes longer than a conversion.
    const wrong: string[] = [];
    const comesBack = (type: string, bits: number, back: number) => back === bits || wrong.push(`${type} ${bits}: ${back}`);
    for (let bits = 0; bits < 65536; bits++) {
      if (!Number.isNaN(f16Value(bits))) comesBack("f16", bits, f16Bits(f16Value(bits)));
      if (!Number.isNaN(bf16Value(bits))) comesBack("bf16", bits, bf16Bits(bf16Value(bits)));
    }
    for (let bits = 0; bits < 256; bits++) {
      const [x, y] = [e4m3Value(bits), e5m2Value(bits)];
      if (!Number.isNaN(x)) comesBack("e4m3", bits, e4m3Bits(x));
      if (Number.isFinite(y)) comesBack("e5m2", bits, e5m2Bits(y));
    }
    expect(wrong).toEqual([]);
  });
  it("go to the nearest, ties to even", () => {
    const wrong: number[] = [];
    for (let bits = 0; bits < 0x7bff; bits++) {
      const [low, high] = [f16Value(bits), f16Value(bits + 1)];
      const middle = (low + high) / 2;
      const above = f16Bits(middle * (1 + 2 ** -40));
      if (f16Bits(middle) !== (bits % 2 === 0 ? bits : bits + 1) || above !== bits + 1) wrong.push(bits);
    }
    expect(wrong).toEqual([]);
  });
});

describe("directed rounding", () => {
  it("encloses", () => {
    fc.assert(
      fc.property(f64, (x) => {
        const [down, up, zero] = [roundF32(x, "rm"), roundF32(x, "rp"), roundF32(x, "rz")];
        expect(down <= x && x <= up).toBe(true);
        expect(zero).toBe(x > 0 ? down : up);
        expect([down, up]).toContain(Math.fround(x));
        expect(roundTo(x, 24, -126, "rn")).toBe(Math.fround(x));
      }),
    );
  });
});
