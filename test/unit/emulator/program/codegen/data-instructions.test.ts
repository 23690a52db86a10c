import { describe, expect, it } from "vitest";
import { bitsOf, edges, pairs, results, signedValue, type Value } from "../../run-instruction.ts";
import { runPtx, wordsOf } from "../../run-ptx.ts";

const one = async (text: string, d: string, types: readonly string[], row: readonly Value[]): Promise<bigint> =>
  (await results(text, d, types, [row]))[0] ?? -1n;
const triples = (xs: readonly bigint[]): bigint[][] => xs.flatMap((a) => xs.flatMap((b) => xs.map((c) => [a, b, c])));
const mask = (bits: number, x: bigint): bigint => BigInt.asUintN(bits, x);
const some = (bits: number): readonly bigint[] => (edges[bits] ?? []).filter((_, i) => i % 2 === 0 || i > 6);

/** Runs instructions on rows of 64-bit operands `%d1` …; gives what they leave in the registers named, as 64 bits each. */
async function run(body: string, rows: readonly (readonly bigint[])[], out: readonly string[]): Promise<bigint[][]> {
  const count = rows[0]?.length ?? 1;
  const input = new Uint8Array(8 * count * rows.length);
  const view = new DataView(input.buffer);
  rows.forEach((row, r) => void row.forEach((x, i) => void view.setBigUint64(8 * (r * count + i), BigInt.asUintN(64, x), true)));
  const loads = Array.from({ length: count }, (_, i) => `  ld.global.u64 %d${i + 1}, [%d31+${8 * i}];`);
  const found = await runPtx({
    input,
    outputBytes: 8 * out.length * rows.length,
    block: [rows.length, 1, 1],
    body: `  mad.wide.u32 %d31, %tid, ${8 * count}, %in;
${loads.join("\n")}
${body}
  mad.wide.u32 %d30, %tid, ${8 * out.length}, %out;
${out.map((name, i) => `  st.global.u64 [%d30+${8 * i}], ${name};`).join("\n")}`,
  });
  return rows.map((_, r) => out.map((_, i) => found.getBigUint64(8 * (r * out.length + i), true)));
}

describe("carries (PTX ISA 9.7.2)", () => {
  it("sums and differences of 128 bits", async () => {
    const words = some(64);
    const rows = pairs(words).flatMap(([a = 0n, b = 0n], i) => [
      [a, b, words[i % words.length] ?? 0n, words[(3 * i + 1) % words.length] ?? 0n],
    ]);
    const found = await run(
      `  add.cc.u64 %d10, %d1, %d3;
  addc.cc.u64 %d11, %d2, %d4;
  addc.u64 %d12, 0, 0;
  sub.cc.s64 %d13, %d1, %d3;
  subc.cc.u64 %d14, %d2, %d4;
  subc.u64 %d15, 0, 0;`,
      rows,
      ["%d10", "%d11", "%d12", "%d13", "%d14", "%d15"],
    );
    expect(found).toEqual(
      rows.map(([al = 0n, ah = 0n, bl = 0n, bh = 0n]) => {
        const [a, b] = [al | (ah << 64n), bl | (bh << 64n)];
        const [sum, rest] = [a + b, a - b];
        return [
          mask(64, sum),
          mask(64, sum >> 64n),
          sum >> 128n,
          mask(64, rest),
          mask(64, rest >> 64n),
          rest < 0n ? mask(64, -1n) : 0n,
        ];
      }),
    );
  });

  it.each([32, 64])("products of twice %i bits and a sum", async (bits) => {
    const n = BigInt(bits);
    const rows = triples(some(bits)).map(([a = 0n, b = 0n, c = 0n], i) => [a, b, c, some(bits)[i % some(bits).length] ?? 0n]);
    const reg =
      bits === 64 ? ["%d1", "%d2", "%d3", "%d4", "%d10", "%d11", "%d12"] : ["%r1", "%r2", "%r3", "%r4", "%r10", "%r11", "%r12"];
    const [a, b, c, e, low, high, over] = reg;
    const narrow = [1, 2, 3, 4].map((i) => `  cvt.u32.u64 %r${i}, %d${i};\n`).join("");
    const wide = [10, 11, 12].map((i) => `  cvt.u64.u32 %d${i}, %r${i};\n`).join("");
    const found = await run(
      `${bits === 32 ? narrow : ""}  mad.lo.cc.u${bits} ${low}, ${a}, ${b}, ${c};
  madc.hi.cc.u${bits} ${high}, ${a}, ${b}, ${e};
  addc.u${bits} ${over}, 0, 0;
${bits === 32 ? wide : ""}`,
      rows,
      ["%d10", "%d11", "%d12"],
    );
    expect(found).toEqual(
      rows.map(([x = 0n, y = 0n, l = 0n, h = 0n]) => {
        const all = x * y + l + (h << n);
        return [mask(bits, all), mask(bits, all >> n), all >> (2n * n)];
      }),
    );
  });

  it("madc.hi.s32 and madc.lo.s64 take the carry, and leave none without .cc", async () => {
    const found = await run(
      `  cvt.u32.u64 %r1, %d1;
  cvt.u32.u64 %r2, %d2;
  add.cc.u32 %r3, 0xffffffff, 1;
  madc.hi.s32 %r4, %r1, %r2, 10;
  madc.lo.s64 %d5, %d1, %d2, 100;
  cvt.u64.u32 %d4, %r4;`,
      [[-3n, 0x40000000n]],
      ["%d4", "%d5"],
    );
    expect(found).toEqual([[10n, mask(64, -3n * 0x40000000n + 101n)]]);
  });
});

describe("packed and clamped integers", () => {
  const halves = (word: bigint, signed: boolean): bigint[] =>
    [word & 0xffffn, word >> 16n].map((x) => (signed ? BigInt.asIntN(16, x) : x));
  const join = (low: bigint, high: bigint): bigint => mask(16, low) | (mask(16, high) << 16n);
  const words = [0n, 0x0001ffffn, 0x7fff8000n, 0x80007fffn, 0xfffffffen, 0x12345678n];
  const least = (a: bigint, b: bigint) => (a < b ? a : b);
  const most = (a: bigint, b: bigint) => (a > b ? a : b);
  const relu = (x: bigint) => most(x, 0n);
  const cases: readonly (readonly [string, boolean, (a: bigint, b: bigint) => bigint])[] = [
    ["add.u16x2", false, (a, b) => a + b],
    ["add.s16x2", true, (a, b) => a + b],
    ["min.u16x2", false, least],
    ["max.u16x2", false, most],
    ["min.s16x2", true, least],
    ["max.s16x2", true, most],
    ["min.relu.s16x2", true, (a, b) => relu(least(a, b))],
    ["max.relu.s16x2", true, (a, b) => relu(most(a, b))],
  ];
  it.each(cases)("%s", async (text, signed, expected) => {
    const found = await results(text, "b32", ["b32", "b32"], pairs(words));
    expect(found).toEqual(
      pairs(words).map(([a = 0n, b = 0n]) => {
        const [x, y] = [halves(a, signed), halves(b, signed)];
        return join(expected(x[0] ?? 0n, y[0] ?? 0n), expected(x[1] ?? 0n, y[1] ?? 0n));
      }),
    );
  });
  it("min.relu.s32, max.relu.s32, mad.hi.sat.s32", async () => {
    const given = pairs(edges["32"] ?? []);
    const signed = (x = 0n) => BigInt.asIntN(32, x);
    expect(await results("min.relu.s32", "s32", ["s32", "s32"], given)).toEqual(
      given.map(([a, b]) => relu(least(signed(a), signed(b)))),
    );
    expect(await results("max.relu.s32", "s32", ["s32", "s32"], given)).toEqual(
      given.map(([a, b]) => relu(most(signed(a), signed(b)))),
    );
    const three = triples(some(32));
    expect(await results("mad.hi.sat.s32", "s32", ["s32", "s32", "s32"], three)).toEqual(
      three.map(([a, b, c]) => mask(32, least(most(((signed(a) * signed(b)) >> 32n) + signed(c), -(2n ** 31n)), 2n ** 31n - 1n))),
    );
  });
});

describe("bits", () => {
  it.each(["u32", "s32", "u64", "s64"])("bfind.%s", async (type) => {
    const bits = bitsOf(type);
    const rows = [...(edges[bits] ?? []), 2n ** 40n, 5n].map((x) => [mask(bits, x)]);
    const top = ([x = 0n]: readonly bigint[]): number => {
      const value = signedValue(type, x);
      const positive = value < 0n ? -value - 1n : value;
      return positive === 0n ? -1 : positive.toString(2).length - 1;
    };
    expect(await results(`bfind.${type}`, "u32", [type], rows)).toEqual(rows.map((row) => mask(32, BigInt(top(row)))));
    expect(await results(`bfind.shiftamt.${type}`, "u32", [type], rows)).toEqual(
      rows.map((row) => mask(32, BigInt(top(row) < 0 ? -1 : bits - 1 - top(row)))),
    );
  });
  it.each(["u16", "s16", "u32", "s32", "u64", "s64"])("sad.%s", async (type) => {
    const bits = bitsOf(type);
    const rows = triples(some(bits));
    expect(await results(`sad.${type}`, type, [type, type, type], rows)).toEqual(
      rows.map((row) => {
        const [a = 0n, b = 0n, c = 0n] = row.map((x) => signedValue(type, x));
        return mask(bits, c + (a < b ? b - a : a - b));
      }),
    );
  });
  it("fns counts from a place upwards, or downwards", async () => {
    const word = 0b1001_0110n;
    const cases: readonly (readonly [bigint, bigint, bigint])[] = [
      [0n, 1n, 1n],
      [0n, 3n, 4n],
      [0n, 5n, -1n],
      [4n, 1n, 4n],
      [5n, 1n, 7n],
      [7n, -1n, 7n],
      [6n, -1n, 4n],
      [6n, -3n, 1n],
      [6n, -4n, -1n],
      [4n, 0n, 4n],
      [3n, 0n, -1n],
      [32n, 1n, -1n],
    ];
    const rows = cases.map(([base, n]) => [word, base, n]);
    expect(await results("fns.b32", "b32", ["b32", "b32", "s32"], rows)).toEqual(cases.map(([, , at]) => mask(32, at)));
  });
  it("szext extends from a place on, clamped or wrapped", async () => {
    const a = 0xdeadbeefn;
    for (const type of ["u32", "s32"]) {
      for (const mode of ["clamp", "wrap"]) {
        const rows = [0n, 1n, 4n, 5n, 16n, 31n, 32n, 33n, 100n].map((b) => [a, b]);
        const expected = rows.map(([, b = 0n]) => {
          if (b > 31n && mode === "clamp") return a;
          const count = Number(b & 31n);
          return mask(32, type === "s32" ? BigInt.asIntN(count, a) : BigInt.asUintN(count, a));
        });
        expect(await results(`szext.${mode}.${type}`, type, [type, "u32"], rows)).toEqual(expected);
      }
    }
  });
  it("bmsk sets bits from a place on, clamped or wrapped", async () => {
    const rows = pairs([0n, 1n, 4n, 16n, 31n, 32n, 40n]);
    for (const mode of ["clamp", "wrap"]) {
      const expected = rows.map(([a = 0n, b = 0n]) => {
        if (mode === "clamp") return a > 31n ? 0n : mask(32, ((1n << b) - 1n) << a);
        return mask(32, ((1n << (b & 31n)) - 1n) << (a & 31n));
      });
      expect(await results(`bmsk.${mode}.b32`, "b32", ["u32", "u32"], rows)).toEqual(expected);
    }
  });
  it("vabsdiff4, side by side and summed up", async () => {
    const [a, b, c] = [0x80ff0110n, 0x7f00ff05n, 1000n];
    const operands = [a, b, c];
    const form = (rest: string) => one(`vabsdiff4.${rest}`, "b32", ["b32", "b32", "b32"], operands);
    // 128 - 127, 255 - 0, 1 - 255, 16 - 5; signed: -128 - 127, -1 - 0, 1 - -1, 16 - 5
    expect(await form("u32.u32.u32")).toBe(0x01fffe0bn);
    expect(await form("u32.u32.u32.add")).toBe(1000n + 1n + 255n + 254n + 11n);
    expect(await form("s32.s32.s32.sat")).toBe(0x7f01020bn);
  });
  it("dp4a and dp2a of all signs", async () => {
    const [a, b, c] = [0x80ff017fn, 0x7f80fe03n, 0xfffffff0n];
    const field = (word: bigint, at: number, bits: number, type: string) =>
      type === "s32" ? BigInt.asIntN(bits, word >> BigInt(at)) : BigInt.asUintN(bits, word >> BigInt(at));
    for (const x of ["u32", "s32"]) {
      for (const y of ["u32", "s32"]) {
        const four = [0, 8, 16, 24].reduce((sum, at) => sum + field(a, at, 8, x) * field(b, at, 8, y), c);
        expect(await one(`dp4a.${x}.${y}`, "b32", ["b32", "b32", "b32"], [a, b, c])).toBe(mask(32, four));
        for (const [half, from] of [["lo", 0] as const, ["hi", 16] as const]) {
          const two = field(a, 0, 16, x) * field(b, from, 8, y) + field(a, 16, 16, x) * field(b, from + 8, 8, y);
          expect(await one(`dp2a.${half}.${x}.${y}`, "b32", ["b32", "b32", "b32"], [a, b, c])).toBe(mask(32, c + two));
        }
      }
    }
  });
  it("prmt in every mode", async () => {
    // The tables of PTX ISA 9.7.9.7: bytes 3, 2, 1, 0 of the result for selectors 0 to 3.
    const tables: Readonly<Record<string, readonly string[]>> = {
      f4e: ["3210", "4321", "5432", "6543"],
      b4e: ["5670", "6701", "7012", "0123"],
      rc8: ["0000", "1111", "2222", "3333"],
      ecl: ["3210", "3211", "3222", "3333"],
      ecr: ["0000", "1110", "2210", "3210"],
      rc16: ["1010", "3232", "1010", "3232"],
    };
    const bytes = [0x10n, 0x91n, 0xa2n, 0x33n, 0x44n, 0xd5n, 0x66n, 0xf7n];
    const [a, b] = [0x33a29110n, 0xf766d544n];
    for (const [mode, table] of Object.entries(tables)) {
      const rows = [0n, 1n, 2n, 3n, 0xffff_fffdn].map((s) => [a, b, s]);
      const expected = rows.map(([, , s = 0n]) =>
        [...(table[Number(s & 3n)] ?? "")].reduce((word, digit) => (word << 8n) | (bytes[Number(digit)] ?? 0n), 0n),
      );
      expect(await results(`prmt.b32.${mode}`, "b32", ["b32", "b32", "b32"], rows), mode).toEqual(expected);
    }
  });
  it("lop3 with a predicate", async () => {
    const run = (op: string, q: string, a: number) =>
      wordsOf(
        `  mov.b32 %r1, ${a};
  setp.eq.u32 %p1, %tid, ${q};
  lop3.${op}.b32 %r0|%p2, %r1, 12, 10, 0x80, %p1;
  selp.b32 %r2, 256, 0, %p2;
  or.b32 %r0, %r0, %r2;`,
        2,
      );
    expect([...(await run("or", "1", 15))]).toEqual([264, 264]);
    expect([...(await run("or", "1", 0))]).toEqual([0, 256]);
    expect([...(await run("and", "1", 15))]).toEqual([8, 264]);
    expect([...(await run("and", "1", 0))]).toEqual([0, 0]);
  });
});

describe("packing and moving", () => {
  it("cvt.pack clamps a over b, over c", async () => {
    const three = ["s32", "s32", "b32"];
    expect(await one("cvt.pack.sat.u16.s32", "b32", ["s32", "s32"], [70000, -5])).toBe(0xffff0000n);
    expect(await one("cvt.pack.sat.s16.s32", "b32", ["s32", "s32"], [-70000, 70000])).toBe(0x80007fffn);
    expect(await one("cvt.pack.sat.u8.s32.b32", "b32", three, [300, -1, 0x1234n])).toBe(0x1234ff00n);
    expect(await one("cvt.pack.sat.s8.s32.b32", "b32", three, [-300, 5, 0xabcdn])).toBe(0xabcd8005n);
    expect(await one("cvt.pack.sat.u4.s32.b32", "b32", three, [20, 3, 0xabcdefn])).toBe(0xabcdeff3n);
    expect(await one("cvt.pack.sat.s4.s32.b32", "b32", three, [-20, 20, 0x123456n])).toBe(0x12345687n);
    expect(await one("cvt.pack.sat.u2.s32.b32", "b32", three, [9, 1, 0x1234567n])).toBe(0x1234567dn);
    expect(await one("cvt.pack.sat.s2.s32.b32", "b32", three, [-9, 9, 0x1234567n])).toBe(0x12345679n);
  });
  it("registers of 128 bits are moved, loaded, stored and taken apart", async () => {
    const input = new Uint8Array(48).map((_, i) => 3 * i + 1);
    const view = await runPtx({
      input,
      outputBytes: 64,
      block: [2, 1, 1],
      body: `  .reg .b128 %q<4>;
  mad.wide.u32 %d1, %tid, 16, %in;
  ld.global.b128 %q0, [%d1];
  mov.b128 %q1, %q0;
  mov.b128 {%d2, %d3}, %q1;
  add.u64 %d2, %d2, 1;
  mov.b128 %q2, {%d3, %d2};
  mad.wide.u32 %d4, %tid, 32, %out;
  st.global.b128 [%d4], %q1;
  @%p0 mov.b128 %q2, %q1;
  st.global.b128 [%d4+16], %q2;`,
    });
    for (const thread of [0, 1]) {
      const low = new DataView(input.buffer).getBigUint64(16 * thread, true);
      const high = new DataView(input.buffer).getBigUint64(16 * thread + 8, true);
      const found = [0, 8, 16, 24].map((at) => view.getBigUint64(32 * thread + at, true));
      expect(found).toEqual([low, high, high, low + 1n]);
    }
  });
  it("128 bits are exchanged, and swapped where they are as expected", async () => {
    const view = await runPtx({
      input: new Uint8Array(32).map((_, i) => i),
      outputBytes: 48,
      block: [1, 1, 1],
      body: `  .reg .b128 %q<6>;
  ld.global.b128 %q0, [%in];
  ld.global.b128 %q1, [%in+16];
  st.global.b128 [%out], %q0;
  atom.global.relaxed.gpu.exch.b128 %q2, [%out], %q1;
  st.global.b128 [%out+16], %q2;
  atom.global.relaxed.gpu.cas.b128 %q3, [%out], %q0, %q0;
  st.global.b128 [%out+32], %q3;
  atom.global.relaxed.gpu.cas.b128 %q3, [%out], %q1, %q0;`,
    });
    const bytes = (at: number) => Array.from({ length: 16 }, (_, i) => view.getUint8(at + i));
    const from = (first: number) => Array.from({ length: 16 }, (_, i) => first + i);
    expect([bytes(0), bytes(16), bytes(32)]).toEqual([from(0), from(0), from(16)]);
  });
});
