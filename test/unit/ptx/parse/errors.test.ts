import { describe, expect, it } from "vitest";
import { WarpsmithError } from "../../../../src/base/diag/index.ts";
import { parsePtx, refuseUnknown } from "../../../../src/ptx/parse/index.ts";

const head = ".version 9.0\n.target sm_90a\n.address_size 64\n";
const module = (body: string) =>
  `${head}.entry k() {\n.reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %d<4>; .reg .f32 %f<8>;\n${body}\n}`;

function messageOf(text: string): string {
  try {
    const tree = parsePtx(text, "k.ptx");
    refuseUnknown(tree, tree.functions);
  } catch (error) {
    if (error instanceof WarpsmithError) return error.message;
    throw error;
  }
  return "no error";
}

describe("errors", () => {
  it("point into the text", () => {
    expect(messageOf(module("  mov.b32 %r1, 0;\n  ld.globl.b32 %r1, [%d1];"))).toBe(
      [
        "W9801  `ld.globl.b32` is not known: .globl does not belong to ld.",
        "  k.ptx:7:3",
        "  7 |   ld.globl.b32 %r1, [%d1];",
        "    |   ^^^^^^^^^^^^",
        "  fix: the nearest form is `ld.global.b32`",
      ].join("\n"),
    );
  });

  const deep = 100_000;
  it.each([
    ["brackets", `mov.b32 %r1, ${"(".repeat(deep)}1${")".repeat(deep)};`],
    ["signs", `mov.b32 %r1, ${"- ".repeat(deep)}1;`],
    ["lists", `.const .b32 a${"[1]".repeat(deep)} = ${"{".repeat(deep)}1${"}".repeat(deep)};`],
  ])("%s without an end are refused, not followed", (_, body) => {
    expect(messageOf(module(body))).toMatch(/^W9807 {2}This is nested more than 256 deep\.\n {2}k\.ptx:6:/);
  });

  it("blocks within blocks are read, however deep", () => {
    expect(messageOf(module(`${"{".repeat(deep)} bra L; ${"}".repeat(deep)} L: ret;`))).toBe("no error");
  });

  it.each([
    ["fmaa.rn.f32 %f1, %f1, %f1, %f1;", "W9801", /no instruction fmaa[\s\S]*nearest form is `fma\.rn\.f32`/],
    ["vset2.s32.s32.eq %r1, %r1, %r1, %r1;", "W9801", /no instruction vset2[\s\S]*video/],
    ["tex.2d.v4.f64.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f1, %f2}];", "W9801", /\.f64 does not belong to tex/],
    ["tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1];", "W9802", /operand 2 is not \[map, \{coordinates\}\]/],
    ["suld.b.1d.b32.trap %r1|%p1, [%d1, {%r1}];", "W9802", /operand 1 is not a register or \{ \}/],
    ["fma.f32 %f1, %f1, %f1, %f1;", "W9801", /lacks one of \.rn \.rz \.rm \.rp[\s\S]*`fma\.rn\.f32`/],
    ["add %r1, %r1, %r1;", "W9801", /lacks one of \.u16/],
    ["wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%f1}, %d1, %d1, 1;", "W9801", /m64n12k16 does not belong/],
    ["add.s32 %r1, %r2;", "W9802", /takes 3 operands, and 2 are given[\s\S]*`add\.s32 d, a, a`/],
    ["add.s32 %r1, %r2, %r3, %r4;", "W9802", /takes 3 operands, and 4 are given/],
    ["add.s32 5, %r2, %r3;", "W9802", /operand 1 is not a register\./],
    ["ld.global.b32 %r1, %d1;", "W9802", /operand 2 is not an address/],
    ["bar.sync;", "W9802", /takes 1 operand, and 0 are given/],
    ["add.s32 %r1, %d2, %r3;", "W9806", /'%d2' is a register of type \.b64[\s\S]*takes \.s32/],
    ["add.s32 %r1, %f2, %r3;", "W9806", /'%f2'/],
    ["and.pred %p1, %p2, %r1;", "W9806", /'%r1'/],
    ["setp.eq.s32 %r1, %r1, %r1;", "W9806", /takes \.pred/],
    ["cp.async.bulk.wait_group %r1;", "W9802", /operand 1 is not an integer/],
    ["add.s32 %r1, %r20, %r3;", "W9803", /'%r20' is declared here/],
    ["add.s32 %r1, %x, %r3;", "W9803", /'%x'/],
    ["bra NOWHERE; NOWHERF: ret;", "W9803", /write 'NOWHERF'/],
    ["{ L: ret; } bra L;", "W9803", /'L'/],
    ["st.shared.b32 [sm], %r1;", "W9803", /'sm'/],
    ["@%p9 bra L; L:", "W9803", /'%p9'/],
    ["L: L: ret;", "W9804", /'L' is declared twice/],
    [".reg .b32 a, a;", "W9804", /'a'/],
    [".reg .v2 .f32 a;", "W9805", /vector register/],
    [".global .attribute(.unified(1, 2)) .b32 a;", "W9805", /\.attribute\(\.unified\) of a variable/],
    ["ld.global.b32 %r1, [%d1-8];", "W9800", /'-' where '\]' should stand/],
    ["mov.b32 %r1, 089;", "W9800", /octal/],
    ["mov.b32 %r1, 1 / 0;", "W9800", /divisor/],
    [".const .b32 a = 1, ;", "W9800", /a name/],
  ])("%s", (body, code, what) => {
    const message = messageOf(module(body));
    expect(message.slice(0, 5)).toBe(code);
    expect(message).toMatch(what);
    expect(message).toMatch(/k\.ptx:6:\d+\n {2}6 \| .*\n.*\^/);
  });

  it("name what stands instead of a semicolon", () => {
    expect(messageOf(module("add.s32 %r1, %r2, %r3"))).toMatch(/'}' where ',' or ';'[\s\S]*k\.ptx:6:22\n/);
  });

  it.each([
    ["", /\.version/],
    [`${head}.entry k() {`, /the end of the text where '}'/],
    [`${head}.global .b32 a; .global .b32 a;`, /declared twice/],
    [`${head}.global .texref t;`, /\.texref/],
    [`${head}.alias a;`, /';' where ','/],
    [`${head}mov.b32 a, b;`, /a directive such as/],
    [`${head}.entry f(.reg .b32 a) { ret; }`, /parameter of an entry in a register/],
    [`${head}.func f(.reg .b32 a) { .reg .b32 b; mov.b32 b, c; }`, /\bc\b/],
  ])("of a module: %s", (text, what) => expect(messageOf(text)).toMatch(what));
});
