import { Float16Array, f16round } from "@petamoriken/float16";
import { describe, expect, it } from "vitest";
import { decodeFloat, decodeTable, encodeFloat, floatFormats } from "../../../src/base/small-floats.ts";

describe("small floats", () => {
  it.each(["f16", "bf16", "e4m3", "e5m2", "tf32"] as const)(
    "%s: every value keeps its bits, and the halfway point to the next is tied to even",
    (name) => {
      const format = floatFormats[name];
      const step = name === "tf32" ? 37 : 1;
      const wrong: number[] = [];
      for (let bits = 0; bits < format.maxBits; bits += step) {
        const low = decodeFloat(format, bits);
        const middle = (low + decodeFloat(format, bits + 1)) / 2;
        const good =
          encodeFloat(format, low) === bits &&
          encodeFloat(format, -low) === (bits | format.signBit) &&
          encodeFloat(format, middle) === (bits % 2 === 0 ? bits : bits + 1) &&
          encodeFloat(format, middle * (1 + 2 ** -40)) === bits + 1 &&
          encodeFloat(format, middle * (1 - 2 ** -40)) === bits;
        if (!good) wrong.push(bits);
      }
      expect(wrong).toEqual([]);
    },
  );

  it("agrees with another implementation of f16", () => {
    const bits = Uint16Array.from({ length: 65536 }, (_, i) => i);
    const other = new Float16Array(bits.buffer);
    const mine = decodeTable("f16");
    expect([...bits].filter((i) => !Object.is(mine[i], other[i]))).toEqual([]);
    for (const x of [1 / 3, 65519.99, 65520, 1e-8, 2 ** -25, 2 ** -25 * 1.0001, -Math.PI, 0.1]) {
      expect(decodeFloat(floatFormats.f16, encodeFloat(floatFormats.f16, x))).toBe(f16round(x));
    }
  });

  it("knows the limits that the formats' definitions name", () => {
    expect(decodeFloat(floatFormats.f16, floatFormats.f16.maxBits)).toBe(65504);
    expect(decodeFloat(floatFormats.e4m3, 0x7e)).toBe(448);
    expect(decodeFloat(floatFormats.e5m2, 0x7b)).toBe(57344);
    expect(decodeFloat(floatFormats.e4m3, 1)).toBe(2 ** -9);
    expect(decodeFloat(floatFormats.e5m2, 1)).toBe(2 ** -16);
    expect(decodeFloat(floatFormats.bf16, 1)).toBe(2 ** -133);
    expect(decodeFloat(floatFormats.bf16, 0x3f80)).toBe(1);
  });

  it("overflows to infinity, but fp8 saturates", () => {
    const round = (name: keyof typeof floatFormats, x: number) =>
      decodeFloat(floatFormats[name], encodeFloat(floatFormats[name], x));
    expect(round("f16", 65520)).toBe(Number.POSITIVE_INFINITY);
    expect(round("f16", 1e300)).toBe(Number.POSITIVE_INFINITY);
    expect(round("bf16", -3.4e38)).toBe(Number.NEGATIVE_INFINITY);
    expect(round("e4m3", 1e9)).toBe(448);
    expect(round("e4m3", 470)).toBe(448);
    expect(round("e4m3", Number.NEGATIVE_INFINITY)).toBe(-448);
    expect(round("e5m2", Number.POSITIVE_INFINITY)).toBe(57344);
    for (const name of ["f16", "bf16", "tf32", "e4m3", "e5m2"] as const) expect(round(name, Number.NaN)).toBeNaN();
    expect(decodeFloat(floatFormats.e5m2, 0x7c)).toBe(Number.POSITIVE_INFINITY);
  });

  it("rounds an f64 once, not by way of f32", () => {
    const x = 1 + 2 ** -11 + 2 ** -40;
    expect(Math.fround(x)).toBe(1 + 2 ** -11);
    expect(encodeFloat(floatFormats.f16, x)).toBe(0x3c01);
  });
});
