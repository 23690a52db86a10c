import { describe, expect, it } from "vitest";
import { bitsOf, edges, encoded, pairs, results, signedValue, type Value } from "../../run-instruction.ts";

/** An integer instruction of two operands against the same in BigInt, on all pairs of edges. */
function integers(
  name: string,
  types: readonly string[],
  expected: (a: bigint, b: bigint, type: string) => bigint,
  skipZero = false,
): void {
  it.each(types)(`${name}.%s`, async (type) => {
    const rows = pairs(edges[bitsOf(type)] ?? []).filter(([, b]) => !(skipZero && b === 0n));
    const found = await results(`${name}.${type}`, type, [type, type], rows);
    const wanted = rows.map(([a = 0n, b = 0n]) =>
      BigInt.asUintN(bitsOf(type), expected(signedValue(type, a), signedValue(type, b), type)),
    );
    expect(found).toEqual(wanted);
  });
}

const all = ["u16", "s16", "u32", "s32", "u64", "s64"] as const;

describe("integer instructions", () => {
  integers("add", all, (a, b) => a + b);
  integers("sub", all, (a, b) => a - b);
  integers("mul.lo", all, (a, b) => a * b);
  integers("mul.hi", all, (a, b, type) => (a * b) >> BigInt(bitsOf(type)));
  integers("div", all, (a, b) => a / b, true);
  integers("rem", all, (a, b) => a % b, true);
  integers("min", all, (a, b) => (a < b ? a : b));
  integers("max", all, (a, b) => (a > b ? a : b));
  const bits = ["b16", "b32", "b64"] as const;
  integers("and", bits, (a, b) => a & b);
  integers("or", bits, (a, b) => a | b);
  integers("xor", bits, (a, b) => a ^ b);

  it.each(["u16", "s16", "u32", "s32"])("mul.wide.%s", async (type) => {
    const rows = pairs(edges[bitsOf(type)] ?? []);
    const wide = `${type[0]}${2 * bitsOf(type)}`;
    const found = await results(`mul.wide.${type}`, wide, [type, type], rows);
    expect(found).toEqual(
      rows.map(([a = 0n, b = 0n]) => BigInt.asUintN(2 * bitsOf(type), signedValue(type, a) * signedValue(type, b))),
    );
  });

  it.each(["b16", "b32", "b64", "u16", "s16", "u32", "s32", "u64", "s64"])("shl and shr of %s", async (type) => {
    const width = bitsOf(type);
    const rows = (edges[width] ?? []).flatMap((a) => [0n, 1n, 5n, 15n, 16n, 31n, 32n, 33n, 63n, 64n, 1000n].map((n) => [a, n]));
    const right = await results(`shr.${type}`, type, [type, "u32"], rows);
    expect(right).toEqual(rows.map(([a = 0n, n = 0n]) => BigInt.asUintN(width, signedValue(type, a) >> n)));
    if (!type.startsWith("b")) return;
    const left = await results(`shl.${type}`, type, [type, "u32"], rows);
    expect(left).toEqual(rows.map(([a = 0n, n = 0n]) => BigInt.asUintN(width, a << n)));
  });

  it("mad, neg, abs, popc, clz, brev, bfe, bfi, prmt, shf, lop3", async () => {
    const one = async (text: string, d: string, types: readonly string[], row: readonly Value[]): Promise<bigint> =>
      (await results(text, d, types, [row]))[0] ?? -1n;
    expect(await one("mad.lo.s32", "s32", ["s32", "s32", "s32"], [-7, 6, 100])).toBe(58n);
    expect(await one("mad.wide.u32", "u64", ["u32", "u32", "u64"], [0xffffffffn, 4n, 5n])).toBe(0x400000001n);
    expect(await one("neg.s64", "s64", ["s64"], [5n])).toBe(2n ** 64n - 5n);
    expect(await one("abs.s64", "s64", ["s64"], [-(2n ** 40n)])).toBe(2n ** 40n);
    expect(await one("abs.s16", "s16", ["s16"], [-3])).toBe(3n);
    expect(await one("popc.b64", "u32", ["b64"], [0xff00ff0000000001n])).toBe(17n);
    expect(await one("clz.b32", "u32", ["b32"], [0n])).toBe(32n);
    expect(await one("clz.b64", "u32", ["b64"], [1n])).toBe(63n);
    expect(await one("brev.b32", "b32", ["b32"], [1n])).toBe(0x80000000n);
    expect(await one("bfe.s32", "s32", ["s32", "u32", "u32"], [0x0000_0f00n, 8n, 4n])).toBe(0xffffffffn);
    expect(await one("bfe.u32", "u32", ["u32", "u32", "u32"], [0xabcd1234n, 16n, 16n])).toBe(0xabcdn);
    expect(await one("bfi.b32", "b32", ["b32", "b32", "u32", "u32"], [0xffn, 0n, 4n, 8n])).toBe(0xff0n);
    expect(await one("prmt.b32", "b32", ["b32", "b32", "b32"], [0x33221100n, 0x77665544n, 0x7531n])).toBe(0x77553311n);
    expect(await one("shf.l.wrap.b32", "b32", ["b32", "b32", "u32"], [0x80000000n, 1n, 33n])).toBe(3n);
    expect(await one("shf.r.clamp.b32", "b32", ["b32", "b32", "u32"], [1n, 2n, 40n])).toBe(2n);
  });
});

describe("comparisons", () => {
  const tests: readonly (readonly [string, (a: bigint, b: bigint) => boolean])[] = [
    ["eq", (a, b) => a === b],
    ["ne", (a, b) => a !== b],
    ["lt", (a, b) => a < b],
    ["le", (a, b) => a <= b],
    ["gt", (a, b) => a > b],
    ["ge", (a, b) => a >= b],
  ];
  it.each(all.flatMap((type) => tests.map(([is, holds]) => [is, type, holds] as const)))(
    "set.%s.u32.%s",
    async (is, type, holds) => {
      const rows = pairs(edges[bitsOf(type)] ?? []);
      const found = await results(`set.${is}.u32.${type}`, "u32", [type, type], rows);
      expect(found).toEqual(
        rows.map(([a = 0n, b = 0n]) => (holds(signedValue(type, a), signedValue(type, b)) ? 0xffffffffn : 0n)),
      );
    },
  );
  it("floats: ordered ones are false with NaN, unordered ones true", async () => {
    const rows = [
      [1, 2],
      [2, 2],
      [Number.NaN, 1],
      [1, Number.NaN],
      [-0, 0],
    ];
    const of = async (is: string) =>
      (await results(`set.${is}.u32.f32`, "u32", ["f32", "f32"], rows)).map((x) => (x === 0n ? 0 : 1));
    expect(await of("lt")).toEqual([1, 0, 0, 0, 0]);
    expect(await of("ne")).toEqual([1, 0, 0, 0, 0]);
    expect(await of("neu")).toEqual([1, 0, 1, 1, 0]);
    expect(await of("geu")).toEqual([0, 1, 1, 1, 1]);
    expect(await of("num")).toEqual([1, 1, 0, 0, 1]);
    expect(await of("nan")).toEqual([0, 0, 1, 1, 0]);
  });
});

describe("floats", () => {
  const xs = [0, -0, 1, -1.5, 3.4028234663852886e38, 1e-45, -1.1754943508222875e-38, Number.POSITIVE_INFINITY, Number.NaN, 0.1];
  const rows = xs.flatMap((a) => xs.map((b) => [a, b]));
  const f32s: readonly (readonly [string, (a: number, b: number) => number])[] = [
    ["add.rn.f32", (a, b) => a + b],
    ["sub.rn.f32", (a, b) => a - b],
    ["mul.rn.f32", (a, b) => a * b],
    ["div.rn.f32", (a, b) => a / b],
    ["min.NaN.f32", Math.min],
    ["max.NaN.f32", Math.max],
    ["min.f32", (a, b) => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.min(a, b))],
  ];
  const same = (bits: bigint, x: number, type: string): boolean => {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, bits, true);
    return Object.is(type === "f32" ? view.getFloat32(0, true) : view.getFloat64(0, true), type === "f32" ? Math.fround(x) : x);
  };
  it.each(f32s)("%s", async (text, expected) => {
    const given = rows.map((row) => row.map(Math.fround));
    const found = await results(text, "f32", ["f32", "f32"], given);
    given.forEach(([a = 0, b = 0], i) => void expect(same(found[i] ?? 0n, expected(a, b), "f32"), `${a} ${b}`).toBe(true));
  });
  it("small floats are rounded once", async () => {
    // 1 + 2^-11 is halfway between two f16: to even. (1 + 3 * 2^-10)^2 - 1 keeps what the square alone would lose.
    expect(
      await results(
        "add.rn.f16",
        "f16",
        ["f16", "f16"],
        [
          [0x3c00, 0x1000],
          [0x7bff, 0x7bff],
        ],
      ),
    ).toEqual([0x3c00n, 0x7c00n]);
    expect(await results("fma.rn.f16", "f16", ["f16", "f16", "f16"], [[0x3c03, 0x3c03, 0xbc00]])).toEqual([0x1e02n]);
    expect(await results("mul.rn.bf16", "bf16", ["bf16", "bf16"], [[0x3f81, 0x3f81]])).toEqual([0x3f82n]);
    expect(await results("neg.f16", "f16", ["f16"], [[0x0000]])).toEqual([0x8000n]);
  });
  it("fma.rn.f32 and f64 round once", async () => {
    const a = 1 + 2 ** -23;
    expect(await results("fma.rn.f32", "f32", ["f32", "f32", "f32"], [[a, a, -1]])).toEqual([
      encoded("f32", 2 ** -22 + 2 ** -46),
    ]);
    // On the border between two f32 but for a bit far below.
    expect(
      await results(
        "fma.rn.f32",
        "f32",
        ["f32", "f32", "f32"],
        [
          [1, 2 ** -24, 1],
          [1 + 2 ** -20, 2 ** -24, 1],
        ],
      ),
    ).toEqual([encoded("f32", 1), encoded("f32", a)]);
    const b = 1 + 2 ** -52;
    expect(
      await results(
        "fma.rn.f64",
        "f64",
        ["f64", "f64", "f64"],
        [
          [b, b, -1],
          [2 ** 600, 2 ** 500, Number.NEGATIVE_INFINITY],
        ],
      ),
    ).toEqual([encoded("f64", 2 ** -51 + 2 ** -104), encoded("f64", Number.NEGATIVE_INFINITY)]);
  });
});

describe("conversions", () => {
  const cases: readonly (readonly [string, string, string, readonly (readonly [Value, Value])[]])[] = [
    [
      "cvt.rzi.s32.f32",
      "s32",
      "f32",
      [
        [2.9, 2],
        [-2.9, -2],
        [3e9, 2147483647],
        [-3e9, -2147483648],
        [Number.NaN, 0],
      ],
    ],
    [
      "cvt.rni.s32.f32",
      "s32",
      "f32",
      [
        [2.5, 2],
        [3.5, 4],
        [-0.5, 0],
      ],
    ],
    [
      "cvt.rmi.s32.f64",
      "s32",
      "f64",
      [
        [-1.25, -2],
        [1.75, 1],
        [Number.NaN, -2147483648],
      ],
    ],
    [
      "cvt.rpi.u32.f32",
      "u32",
      "f32",
      [
        [1.25, 2],
        [-5, 0],
        [5e9, 4294967295],
      ],
    ],
    [
      "cvt.rzi.s64.f64",
      "s64",
      "f64",
      [
        [-1e15 - 0.5, -(10n ** 15n)],
        [1e30, 2n ** 63n - 1n],
        [Number.NaN, 2n ** 63n],
      ],
    ],
    [
      "cvt.rzi.u64.f32",
      "u64",
      "f32",
      [
        [1e19, 9999999980506447872n],
        [-1, 0],
      ],
    ],
    [
      "cvt.rn.f32.s64",
      "f32",
      "s64",
      [
        [2n ** 60n + 2n ** 36n + 1n, 2 ** 60 + 2 ** 37],
        [-(2n ** 63n), -(2 ** 63)],
      ],
    ],
    [
      "cvt.rn.f32.u32",
      "f32",
      "u32",
      [
        [0xffffffffn, 2 ** 32],
        [16777217n, 16777216],
      ],
    ],
    ["cvt.rz.f32.u32", "f32", "u32", [[0xffffffffn, 4294967040]]],
    ["cvt.rn.f64.s64", "f64", "s64", [[2n ** 53n + 1n, 2 ** 53]]],
    [
      "cvt.rn.f32.f64",
      "f32",
      "f64",
      [
        [1 + 2 ** -24, 1],
        [1 + 2 ** -24 + 2 ** -40, 1 + 2 ** -23],
      ],
    ],
    [
      "cvt.rp.f32.f64",
      "f32",
      "f64",
      [
        [1 + 2 ** -40, 1 + 2 ** -23],
        [1e300, Number.POSITIVE_INFINITY],
      ],
    ],
    [
      "cvt.rm.f32.f64",
      "f32",
      "f64",
      [
        [1e300, 3.4028234663852886e38],
        [-1e-60, -1.401298464324817e-45],
      ],
    ],
    [
      "cvt.rn.f16.f32",
      "f16",
      "f32",
      [
        [65519, 0x7bff],
        [65520, 0x7c00],
        [2 ** -25, 0],
        [2 ** -24, 1],
        [Number.NaN, 0x7fff],
      ],
    ],
    [
      "cvt.rn.bf16.f32",
      "bf16",
      "f32",
      [
        [1 + 2 ** -8, 0x3f80],
        [1 + 3 * 2 ** -8, 0x3f82],
      ],
    ],
    [
      "cvt.f32.f16",
      "f32",
      "f16",
      [
        [0x3555, 0.333251953125],
        [0x0001, 2 ** -24],
        [0xfc00, Number.NEGATIVE_INFINITY],
      ],
    ],
    ["cvt.s64.s32", "s64", "s32", [[-5, -5]]],
    ["cvt.u64.u32", "u64", "u32", [[0xffffffffn, 0xffffffffn]]],
    ["cvt.u16.u32", "u16", "u32", [[0x12345n, 0x2345n]]],
    [
      "cvt.s32.s8",
      "s32",
      "b32",
      [
        [0x80, -128],
        [0x17f, 127],
      ],
    ],
    [
      "cvt.sat.s16.s32",
      "s16",
      "s32",
      [
        [40000, 32767],
        [-40000, -32768],
      ],
    ],
    [
      "cvt.sat.u32.s64",
      "u32",
      "s64",
      [
        [-1, 0],
        [2n ** 40n, 0xffffffffn],
      ],
    ],
    [
      "cvt.rni.f32.f32",
      "f32",
      "f32",
      [
        [2.5, 2],
        [-0.25, -0],
      ],
    ],
  ];
  it.each(cases)("%s", async (text, d, s, rows) => {
    const found = await results(
      text,
      d,
      [s],
      rows.map(([x]) => [x]),
    );
    expect(found).toEqual(rows.map(([, wanted]) => encoded(d, wanted)));
  });
  it("pairs: the first source is the upper half", async () => {
    expect(await results("cvt.rn.f16x2.f32", "f16x2", ["f32", "f32"], [[1, 2]])).toEqual([0x3c004000n]);
    expect(await results("cvt.rn.satfinite.e4m3x2.f32", "e4m3x2", ["f32", "f32"], [[1, 1000]])).toEqual([0x387en]);
    expect(await results("cvt.rn.f16x2.e5m2x2", "f16x2", ["e5m2x2"], [[0x3c40]])).toEqual([0x3c004000n]);
  });
});
