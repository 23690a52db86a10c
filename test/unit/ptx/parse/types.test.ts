import { describe, expect, it } from "vitest";
import { readForm, readFormNames } from "../../../../src/ptx/parse/index.ts";
import { candidatesFor } from "../../../../src/ptx/parse/match-form.ts";
import { shapeNamed, spaceNamed } from "../../../../src/ptx/parse/modifiers.ts";
import { doubled, fitsRegister, typeNamed } from "../../../../src/ptx/parse/types.ts";

const named = (name: string) => {
  const type = typeNamed(name);
  if (!type) throw new Error(`no type ${name}`);
  return type;
};

describe("types", () => {
  it.each([
    ["pred", "predicate", 1, 1, undefined],
    ["b8", "bits", 8, 1, undefined],
    ["u16", "unsigned", 16, 1, undefined],
    ["s64", "signed", 64, 1, undefined],
    ["s16x2", "signed", 32, 2, "s16"],
    ["bf16x2", "float", 32, 2, "bf16"],
    ["e5m2x2", "float", 16, 2, "e5m2"],
    ["tf32", "float", 32, 1, undefined],
    ["b128", "bits", 128, 1, undefined],
    ["s4", "signed", 4, 1, undefined],
  ])("%s", (name, kind, bits, lanes, element) => {
    expect(named(name)).toEqual({ name, kind, bits, lanes, element: element && named(element) });
  });

  it("are known wherever a form names one", () => {
    const unknown = readFormNames.flatMap((form) =>
      ["type", "to", "from", "by"].flatMap((slot) =>
        (readForm(form).modifiers?.[slot] ?? []).filter((v) => /\d$/.test(v) && !typeNamed(v)).map((v) => `${form} ${v}`),
      ),
    );
    expect(unknown).toEqual([]);
  });

  it.each([
    ["u16", "u32"],
    ["s32", "s64"],
  ])("%s is half of %s", (half, whole) => expect(doubled(named(half))).toBe(named(whole)));

  // PTX ISA 9.2, and 9.4.1 where registers may be wider.
  it.each([
    ["b32", "s32", false, true],
    ["u32", "s32", false, true],
    ["f32", "b32", false, true],
    ["f32", "s32", false, false],
    ["u64", "f64", false, false],
    ["b32", "f16x2", false, true],
    ["u32", "f16x2", false, true],
    ["f32", "f16x2", false, true],
    ["u32", "tf32", false, true],
    ["u16", "f16", false, true],
    ["f16", "u16", false, true],
    ["b16", "e4m3x2", false, true],
    ["b32", "u8", false, true],
    ["b64", "u32", false, false],
    ["b64", "u32", true, true],
    ["b16", "u32", true, false],
    ["pred", "b32", false, false],
    ["b32", "pred", false, false],
    ["pred", "pred", false, true],
  ] as const)("a register of %s as an operand of %s, wider ones allowed: %s", (register, type, wide, expected) =>
    expect(fitsRegister(register, named(type), wide)).toBe(expected),
  );
});

describe("opcodes", () => {
  const opcode = (text: string) => candidatesFor(text)[0]?.opcode;
  it("have their types by slot", () => {
    expect(opcode("cvt.rn.f16x2.f32")?.types).toEqual({ to: named("f16x2"), from: named("f32") });
    expect(opcode("ld.global.L2::128B.v4.u32")?.types).toEqual({ type: named("u32") });
    expect(opcode("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")?.types).toEqual({
      d: named("f32"),
      a: named("bf16"),
      b: named("bf16"),
      c: named("f32"),
    });
    expect(opcode("wmma.load.a.sync.aligned.row.m16n16k16.f16")?.types).toEqual({ type: named("f16") });
    expect(opcode("bar.sync")?.types).toEqual({});
  });

  it("have shapes and spaces that can be read", () => {
    expect(shapeNamed("m64n256k16")).toEqual({ m: 64, n: 256, k: 16 });
    const values = readFormNames.flatMap((form) => readForm(form).modifiers?.space ?? []);
    const expected = { "": "generic", "shared::cta": "shared", "shared::cluster": "shared" };
    const parts = { "param::entry": "param", "param::func": "param" };
    for (const value of values) expect(spaceNamed(value)).toBe({ ...expected, ...parts }[value] ?? value);
  });
});
