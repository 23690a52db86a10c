/** Where the manual leaves results open: the rules that the recorded answers of an H200 follow (docs/hardware.md). */
import { describe, expect, it } from "vitest";
import { results } from "./run-instruction.ts";

type Rows = readonly (readonly bigint[])[];

/** An instruction on operands of one type but for the last ones, all as bits. */
const given = (text: string, types: string, ...rows: Rows): Promise<bigint[]> => {
  const [d = "", ...sources] = types.split(" ");
  return results(text, d, sources, rows);
};

describe("integers", () => {
  it.each([16, 32, 64])("a remainder by zero is all ones, of %i bits", async (bits) => {
    for (const kind of ["u", "s"]) {
      const type = `${kind}${bits}`;
      expect(await given(`rem.${type}`, `${type} ${type} ${type}`, [15n, 0n], [0n, 0n])).toEqual(
        Array(2).fill(2n ** BigInt(bits) - 1n),
      );
    }
  });

  it("bfe and bfi of 64 bits take positions and lengths beyond 255 as they are", async () => {
    const two = "u64 u64 u32 u32";
    expect(
      await given("bfe.u64", two, [0x739eee0b9d5af3f6n, 0x40192123n, 0x231e540fn], [0x3ca0000000000001n, 2n, 0x800001n]),
    ).toEqual([0n, 0xf28000000000000n]);
    expect(await given("bfe.s64", "s64 s64 u32 u32", [0x8000000000000002n, 0xc2000001n, 2n])).toEqual([2n ** 64n - 1n]);
    expect(
      await given(
        "bfi.b64",
        "b64 b64 b64 u32 u32",
        [0xbff0000000000001n, 0x8010000000000001n, 0n, 0x800001n],
        [0x3fn, 0x3fn, 0xff800001n, 0x40n],
      ),
    ).toEqual([0xbff0000000000001n, 0x3fn]);
  });

  it("fns gives 0 for the least n", async () => {
    expect(
      await given("fns.b32", "b32 b32 b32 s32", [0x80000001n, 15n, 0x80000000n], [0xfc008002n, 0xb4000000n, 0x80000000n]),
    ).toEqual([0n, 0n]);
  });
});

describe(".ftz", () => {
  it("looks at a result before it is rounded to the least normal number", async () => {
    const f16 = "f16 f16 f16";
    expect(await given("mul.rn.ftz.f16", f16, [0xbbffn, 0x8400n])).toEqual([0n]);
    expect(await given("mul.rn.f16", f16, [0xbbffn, 0x8400n])).toEqual([0x400n]);
    expect(await given("fma.rn.ftz.f16", `${f16} f16`, [0x8400n, 0xbbffn, 0x3ffn])).toEqual([0n]);
    expect(await given("mul.rn.ftz.f16x2", "f16x2 f16x2 f16x2", [0x8400ffffn, 0x3bff0000n])).toEqual([0x80007fffn]);
    const quotients: Rows = [
      [0x80800001n, 0x3f800002n],
      [0x800001n, 0x3f800002n],
    ];
    expect(await given("div.rm.ftz.f32", "b32 b32 b32", ...quotients)).toEqual([0x80000000n, 0n]);
    expect(await given("div.rp.ftz.f32", "b32 b32 b32", ...quotients)).toEqual([0x80000000n, 0n]);
    expect(await given("div.rm.f32", "b32 b32 b32", ...quotients)).toEqual([0x80800000n, 0x7fffffn]);
    // A sum that is zero, rounded down, is not flushed to the other zero.
    expect(await given("add.rm.ftz.f32", "b32 b32 b32", [0x3f800000n, 0xbf800000n])).toEqual([0x80000000n]);
  });
});

describe("NaN", () => {
  it("fma.oob: of either sign in a factor, not in what is added", async () => {
    const rows: Rows = [
      [0x8100n, 0xfff7n, 0xbc00n],
      [0x7ff7n, 0x3f83n, 0xbc01n],
      [0x41n, 0x7fffn, 0x807fn],
      [0x3c00n, 0x3c00n, 0x7ff7n],
    ];
    for (const type of ["f16", "bf16"])
      expect(await given(`fma.rn.oob.${type}`, `${type} ${type} ${type} ${type}`, ...rows)).toEqual([0n, 0n, 0x7fffn, 0x7fffn]);
  });

  it("neg and abs of small floats give the one NaN", async () => {
    expect(await given("neg.f16", "f16 f16", [0x7e05n], [0x7fffn], [0x3c00n])).toEqual([0x7fffn, 0x7fffn, 0xbc00n]);
    expect(await given("neg.f16x2", "f16x2 f16x2", [0x7fc00005n], [0xff800001n])).toEqual([0x7fff8005n, 0x7fff8001n]);
    expect(await given("abs.bf16", "bf16 bf16", [0xffc0n], [0x7ff7n], [0xbf80n])).toEqual([0x7fffn, 0x7fffn, 0x3f80n]);
    expect(await given("abs.bf16x2", "bf16x2 bf16x2", [0x7fc00005n])).toEqual([0x7fff0005n]);
  });

  it("has a sign that counts in .xorsign and copysign", async () => {
    for (const name of ["min", "max"]) {
      expect(await given(`${name}.xorsign.abs.f32`, "b32 b32 b32", [0xff800001n, 0xc2000001n], [0xffffffffn, 0x21n])).toEqual([
        0x42000001n,
        0x80000021n,
      ]);
      const halves = await given(
        `${name}.xorsign.abs.f16`,
        "f16 f16 f16",
        [0x8100n, 0xfff7n],
        [0xffffn, 0x21n],
        [0x7fffn, 0xffffn],
      );
      expect(halves).toEqual([0x100n, 0x8021n, 0x7fffn]);
      expect(await given(`${name}.xorsign.abs.bf16`, "bf16 bf16 bf16", [0xffc0n, 0xfe00n])).toEqual([0x7e00n]);
    }
    expect(await given("min.xorsign.abs.f16x2", "f16x2 f16x2 f16x2", [0xbf4cfce2n, 0xbe9cd3b0n])).toEqual([0x3e9c53b0n]);
    expect(await given("copysign.f32", "b32 b32 b32", [0xff800001n, 0xc2000001n], [0xffffffffn, 0x21n])).toEqual([
      0xc2000001n,
      0x80000021n,
    ]);
    expect(
      await given("copysign.f64", "b64 b64 b64", [0x1fn, 2n ** 64n - 1n], [0xfff0000000000001n, 0xbcb0000000000000n]),
    ).toEqual([0x7fffffffffffffffn, 0xbcb0000000000000n]);
  });

  it("of f64 keeps its sign and upper bits as f16 and bf16", async () => {
    const rows: Rows = [[2n ** 64n - 1n], [0x7ff0000000000001n], [0xfff4dc55da66fbfan]];
    expect(await given("cvt.rn.f16.f64", "f16 b64", ...rows)).toEqual([0xffffn, 0x7e00n, 0xff37n]);
    expect(await given("cvt.rz.bf16.f64", "bf16 b64", ...rows)).toEqual([0xffffn, 0x7fc0n, 0xffe6n]);
  });

  it("becomes tf32 by cutting bits off, or the one of tf32", async () => {
    const rows: Rows = [[0x7fc00005n], [0xffffffffn], [0x7f800000n]];
    expect(await given("cvt.rna.tf32.f32", "b32 b32", ...rows)).toEqual([0x7fc00000n, 0xffffe000n, 0x7f800000n]);
    expect(await given("cvt.rna.satfinite.tf32.f32", "b32 b32", ...rows)).toEqual([0x7fbfe000n, 0xffffc000n, 0x7f7fe000n]);
    expect(await given("cvt.rz.tf32.f32", "b32 b32", ...rows)).toEqual([0x7fffe000n, 0x7fffe000n, 0x7f800000n]);
  });
});
