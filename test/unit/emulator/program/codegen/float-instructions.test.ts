import { describe, expect, it } from "vitest";
import { decodeFloat, encodeFloat, floatFormats } from "../../../../../src/base/small-floats.ts";
import { encoded, results, type Value } from "../../run-instruction.ts";
import { wordsOf } from "../../run-ptx.ts";

const nan = Number.NaN;
const inf = Number.POSITIVE_INFINITY;
const column = (xs: readonly Value[]): Value[][] => xs.map((x) => [x]);
const floats = (type: string, bits: readonly bigint[]): number[] =>
  bits.map((x) => {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, x, true);
    return type === "f32" ? view.getFloat32(0, true) : view.getFloat64(0, true);
  });

describe("approximations of f64 (PTX ISA 9.7.3.14, 9.7.3.17)", () => {
  it("read and write the upper word alone, and nothing subnormal", async () => {
    const xs = [3, -7, 2 ** 1023, 2 ** -1022, 1e-310, -1e-310, 0, inf, nan, 1 + 2 ** -52];
    const bits = await results("rcp.approx.ftz.f64", "f64", ["f64"], column(xs));
    expect(bits.map((x) => x & 0xffffffffn)).toEqual(xs.map(() => 0n));
    const found = floats("f64", bits);
    expect(found.slice(2)).toEqual([0, 2 ** 1022, inf, -inf, inf, 0, nan, 1]);
    for (const i of [0, 1]) expect(Math.abs(found[i]! * xs[i]! - 1)).toBeLessThan(2 ** -20);
    const roots = await results("rsqrt.approx.ftz.f64", "f64", ["f64"], column([3, 4, 0, -0, -1, inf, 1e-310]));
    expect(roots.map((x) => x & 0xffffffffn)).toEqual(roots.map(() => 0n));
    expect(floats("f64", roots).slice(1)).toEqual([0.5, inf, -inf, nan, 0, inf]);
    expect(Math.abs(floats("f64", roots)[0]! * Math.sqrt(3) - 1)).toBeLessThan(2 ** -20);
  });
  it("div.approx.f32 gives zero for the greatest divisors", async () => {
    const rows = [
      [6, 3],
      [1, 2 ** 126],
      [1, 2 ** 127],
      [-1, 2 ** 127],
      [inf, 2 ** 127],
      [1, inf],
    ];
    expect(floats("f32", await results("div.approx.f32", "f32", ["f32", "f32"], rows))).toEqual([2, 2 ** -126, 0, -0, nan, 0]);
    expect(floats("f32", await results("div.full.f32", "f32", ["f32", "f32"], rows))).toEqual([
      2,
      2 ** -126,
      2 ** -127,
      -(2 ** -127),
      inf,
      0,
    ]);
  });
});

describe("approximations of small floats are rounded once", () => {
  const halves = [0, 0.5, -1.25, 3, -8, 10];
  const cases = [
    ["tanh.approx", Math.tanh],
    ["ex2.approx", (x: number) => 2 ** x],
  ] as const;
  it.each(cases)("%s", async (text, exact) => {
    for (const type of ["f16", "bf16"] as const) {
      const format = floatFormats[type];
      const given = halves.map((x) => [encodeFloat(format, x)]);
      const opcode = `${text}${type === "bf16" && text === "ex2.approx" ? ".ftz" : ""}.${type}`;
      const expected = halves.map((x) => encodeFloat(format, exact(decodeFloat(format, encodeFloat(format, x)))));
      expect(await results(opcode, type, [type], given)).toEqual(expected.map(BigInt));
      const both = given.map(([x = 0], i) => [(x | ((given[given.length - 1 - i]?.[0] ?? 0) << 16)) >>> 0]);
      const pairs = expected.map((x, i) => BigInt((x | ((expected[expected.length - 1 - i] ?? 0) << 16)) >>> 0));
      expect(await results(`${opcode}x2`, `${type}x2`, [`${type}x2`], both)).toEqual(pairs);
    }
  });
});

describe("signs and kinds of numbers", () => {
  it("min and max with .xorsign.abs", async () => {
    const rows = [
      [3, -5],
      [-3, -5],
      [0, -2],
      [-4, nan],
      [nan, nan],
      [-inf, 1],
    ];
    const of = async (text: string) => floats("f32", await results(text, "f32", ["f32", "f32"], rows));
    expect(await of("min.xorsign.abs.f32")).toEqual([-3, 3, -0, -4, nan, -1]);
    expect(await of("max.xorsign.abs.f32")).toEqual([-5, 5, -2, -4, nan, -inf]);
    expect(await of("max.NaN.xorsign.abs.f32")).toEqual([-5, 5, -2, nan, nan, -inf]);
    // Halves: 3, -5.
    expect(await results("min.xorsign.abs.f16x2", "f16x2", ["f16x2", "f16x2"], [[0x42004200n, 0xc5004500n]])).toEqual([
      0xc2004200n,
    ]);
  });
  it("testp counts zeros as normal numbers", async () => {
    const of = async (is: string, type: "f32" | "f64", x: number) => {
      const bits = encoded(type, x);
      const register = type === "f32" ? "%f1" : "%g1";
      const [found] = await wordsOf(
        `  mov.b${type.slice(1)} ${register}, ${bits};
  testp.${is}.${type} %p1, ${register};
  selp.u32 %r0, 1, 0, %p1;`,
        1,
      );
      return found;
    };
    const table: Readonly<Record<string, readonly number[]>> = {
      finite: [1, 1, 1, 1, 0, 0],
      infinite: [0, 0, 0, 0, 1, 0],
      number: [1, 1, 1, 1, 1, 0],
      notanumber: [0, 0, 0, 0, 0, 1],
      normal: [1, 1, 1, 0, 0, 0],
      subnormal: [0, 0, 0, 1, 0, 0],
    };
    for (const [is, expected] of Object.entries(table)) {
      for (const [type, tiny] of [["f32", 2 ** -130] as const, ["f64", 2 ** -1030] as const]) {
        const found = await Promise.all([1.5, 0, -0, -tiny, -inf, nan].map((x) => of(is, type, x)));
        expect(found, `${is} ${type}`).toEqual(expected);
      }
    }
  });
  it("copysign takes the sign of the first operand", async () => {
    const rows = [
      [-1, 2],
      [1, -2],
      [-0, inf],
      [0, -0],
    ];
    for (const type of ["f32", "f64"]) {
      expect(floats(type, await results(`copysign.${type}`, type, [type, type], rows))).toEqual([-2, 2, -inf, 0]);
    }
  });
});

describe("fma of small floats", () => {
  it("relu, saturation, and .oob: zero for the NaN of what lies outside", async () => {
    const three = ["f16", "f16", "f16"];
    const [one, two, minus, outside] = [0x3c00, 0x4000, 0xbc00, 0x7ff7];
    expect(
      await results("fma.rn.relu.f16", "f16", three, [
        [one, minus, 0],
        [one, two, 0],
        [0x7e00, one, 0],
      ]),
    ).toEqual([0n, 0x4000n, 0x7fffn]);
    expect(
      await results("fma.rn.sat.f16", "f16", three, [
        [two, two, 0],
        [minus, two, 0],
        [0x7e00, one, 0],
      ]),
    ).toEqual([0x3c00n, 0n, 0n]);
    expect(
      await results("fma.rn.oob.f16", "f16", three, [
        [one, outside, one],
        [one, two, minus],
        [0x7e00, one, one],
      ]),
    ).toEqual([0n, 0x3c00n, 0x7fffn]);
    const packed = ["bf16x2", "bf16x2", "bf16x2"];
    // Low: 2 * 1 + 1, high: outside.
    expect(await results("fma.rn.oob.relu.bf16x2", "bf16x2", packed, [[0x7ff74000n, 0x3f803f80n, 0x3f803f80n]])).toEqual([
      0x4040n,
    ]);
  });
});

describe("comparisons of packed floats", () => {
  const [a, b] = [0x3c007e00n, 0x40003c00n];
  it("set gives one, or all ones, for each half", async () => {
    // Low: NaN against 1; high: 1 against 2.
    expect(await results("set.lt.f16x2.f16x2", "f16x2", ["f16x2", "f16x2"], [[a, b]])).toEqual([0x3c000000n]);
    expect(await results("set.ltu.u32.f16x2", "u32", ["f16x2", "f16x2"], [[a, b]])).toEqual([0xffffffffn]);
    expect(await results("set.nan.s32.f16x2", "s32", ["f16x2", "f16x2"], [[a, b]])).toEqual([0x0000ffffn]);
    expect(await results("set.gt.bf16x2.bf16x2", "bf16x2", ["bf16x2", "bf16x2"], [[0x40003f80n, 0x3f803f80n]])).toEqual([
      0x3f800000n,
    ]);
  });
  it("setp gives a predicate for each half, each combined", async () => {
    const run = (text: string) =>
      wordsOf(
        `  mov.b32 %r1, ${a};
  mov.b32 %r2, ${b};
  setp.eq.u32 %p3, %tid, 0;
  ${text};
  selp.u32 %r3, 1, 0, %p1;
  selp.u32 %r4, 2, 0, %p2;
  or.b32 %r0, %r3, %r4;`,
        2,
      );
    expect([...(await run("setp.lt.f16x2 %p1|%p2, %r1, %r2"))]).toEqual([2, 2]);
    expect([...(await run("setp.geu.f16x2 %p1|%p2, %r1, %r2"))]).toEqual([1, 1]);
    expect([...(await run("setp.lt.and.f16x2 %p1|%p2, %r1, %r2, %p3"))]).toEqual([2, 0]);
  });
});

describe("conversions to tf32 and fp8", () => {
  const bits = (x: number) => Number(encoded("f32", x));
  it("cvt.tf32 in each rounding", async () => {
    const tie = 1 + 2 ** -11;
    const xs = [tie, 1 + 3 * 2 ** -11, tie + 2 ** -23, -tie, 3.4028234663852886e38, nan, -2, -inf];
    const of = async (text: string) => (await results(text, "b32", ["f32"], column(xs))).map(Number);
    const up = 1 + 2 ** -10;
    const most = bits(2 ** 127 * (2 - 2 ** -10));
    expect(await of("cvt.rna.tf32.f32")).toEqual(
      [up, 1 + 2 ** -9, up, -up, inf].map(bits).concat(0x7fc00000, bits(-2), bits(-inf)),
    );
    expect(await of("cvt.rn.tf32.f32")).toEqual([1, 1 + 2 ** -9, up, -1, inf].map(bits).concat(0x7fffe000, bits(-2), bits(-inf)));
    expect(await of("cvt.rz.relu.tf32.f32")).toEqual([bits(1), bits(up), bits(1), 0, most, 0x7fffe000, 0, 0]);
  });
  it("cvt.satfinite and relu of pairs", async () => {
    const two = ["f32", "f32"];
    expect(await results("cvt.rn.satfinite.e5m2x2.f32", "e5m2x2", two, [[1e9, -inf]])).toEqual([0x7bfbn]);
    expect(await results("cvt.rn.satfinite.relu.e4m3x2.f32", "e4m3x2", two, [[-1, nan]])).toEqual([0x007fn]);
    expect(await results("cvt.rn.satfinite.e4m3x2.f16x2", "e4m3x2", ["f16x2"], [[0x3c00fbffn]])).toEqual([0x38fen]);
    expect(await results("cvt.rn.relu.f16x2.e4m3x2", "f16x2", ["e4m3x2"], [[0xb838]])).toEqual([0x00003c00n]);
    expect(await results("cvt.rz.bf16x2.f32", "bf16x2", two, [[1 + 2 ** -8 + 2 ** -9, -(1 + 2 ** -8 + 2 ** -9)]])).toEqual([
      0x3f80bf80n,
    ]);
    expect(await results("cvt.rn.relu.f16x2.f32", "f16x2", two, [[-3, 1]])).toEqual([0x00003c00n]);
  });
});
