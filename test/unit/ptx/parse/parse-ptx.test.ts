import { describe, expect, it } from "vitest";
import { type Instruction, type Operand, parsePtx, printPtxTree, printReadInstruction } from "../../../../src/ptx/parse/index.ts";

const head = ".version 9.0\n.target sm_90a, debug\n.address_size 64\n";
const declarations = ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<20>; .reg .b64 %d<4>; .reg .f32 %f<8>; .reg .f64 %e<4>;";
const parse = (body: string, before = "", params = "") =>
  parsePtx(`${head}${before}\n.visible .entry k(${params}) {\n${declarations}\n${body}\n}`);
const bodyOf = (text: string, before = "", params = "") => {
  const body = parse(text, before, params).functions.find((f) => f.name === "k")?.body;
  if (!body) throw new Error("no body");
  return body;
};
const one = (text: string, before = "", params = ""): Instruction => bodyOf(text, before, params).instructions[0]!;
const operand = (text: string, at: number): Operand | undefined => one(text).operands[at];

describe("instructions", () => {
  it("have their form, slots, place and guard", () => {
    const i = one("@!%p1 ld.global.acquire.gpu.v2.b32 {%r1, _}, [%d1+-8];");
    expect(i.opcode.form).toBe("ld");
    expect(i.opcode.modifiers).toMatchObject({ space: "global", order: "acquire", scope: "gpu", vec: "v2", type: "b32" });
    expect(i.opcode.modifiers.nc).toBeUndefined();
    expect([i.line, i.column]).toEqual([7, 7]);
    expect(i.guard).toMatchObject({ negate: true, register: { name: "%p1", type: "pred" } });
    expect(i.operands[1]).toMatchObject({ kind: "address", base: { name: "%d1" }, offset: -8 });
    expect(i.operands[2]).toBeUndefined();
  });
  it("share their opcode", () => {
    const { instructions } = bodyOf("add.s32 %r1, %r1, 1; add.s32 %r2, %r1, 2;");
    expect(instructions[0]?.opcode).toBe(instructions[1]?.opcode);
  });
  it.each([
    ["mov.b64 %d1, {%r1, %r2};", "mov.pack"],
    ["mov.b64 {%r1, %r2}, %d1;", "mov.unpack"],
    ["mov.b32 %r1, 0x10;", "mov"],
    ["atom.add.acq_rel.gpu.s32 %r1, [%d1], 3;", "atom"],
    ["stmatrix.sync.aligned.x4.m8n8.shared.b16 [%r0], {%r1, %r2, %r3, %r4};", "stmatrix"],
    ["cp.async.ca.shared.global [%r1], [%d1], 4, %r2;", "cp.async"],
    ["cp.async.ca.shared.global [%r1], [%d1], 4, %p1;", "cp.async.ignore_src"],
    ["cvt.rn.f16x2.f32 %r1, %f1, %f2;", "cvt.pair"],
    ["cvt.rn.f16x2.e4m3x2 %r1, %h1;", "cvt.fp8"],
    ["fma.rn.f32 %f1, %f2, %f3, 1.0;", "fma"],
    ["add.f32 %f1, %f2, %f3;", "add.float"],
    ["mad.wide.s32 %d1, %r1, 4, %d2;", "mad.wide"],
    ["mad.lo.cc.u32 %r1, %r2, %r3, %r4;", "mad.cc"],
    ["setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;", "setp"],
    ["elect.sync _|%p1, -1;", "elect"],
    ["match.all.sync.b32 %r1|%p1, %r2, -1;", "match.all"],
    ["bar.red.popc.u32 %r1, 0, %p1;", "bar.red.popc"],
    ["mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%r1], %r2, 100;", "mbarrier.try_wait.parity"],
    ["wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %d1, %d2, 1, 1, 1, 0, 1;", "wgmma.mma_async"],
    [
      "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, %d2, %p1, 1, 1;",
      "wgmma.mma_async.rs",
    ],
  ])("%s is %s", (text, form) => {
    const i = one(text);
    expect(i.opcode.form).toBe(form);
    expect(printReadInstruction(one(`${printReadInstruction(i)};`))).toBe(printReadInstruction(i));
  });
  it("lay optional operands where the form has them", () => {
    const text = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes";
    const hinted = one(`${text}.L2::cache_hint [%r1], [%d1, {%r2, -1}], [%r3], %d2;`);
    expect(hinted.operands.map((o) => o?.kind)).toEqual(["address", "tensor", "address", undefined, undefined, "register"]);
    const cast = one(`${text}.multicast::cluster [%r1], [%d1, {%r2, 0}], [%r3], %h1;`);
    expect(cast.operands.map((o) => o?.kind)).toEqual(["address", "tensor", "address", undefined, "register", undefined]);
    const popc = one("barrier.cta.red.popc.aligned.u32 %r1, 0, 64, %p1;");
    expect(popc.operands.map((o) => o?.kind)).toEqual(["register", "int", "int", "register"]);
  });
  it("calls", () => {
    const before = ".func (.param .b32 r) f(.param .b32 a) { ret; }\n.extern .func g;";
    const call = one("{ .param .b32 x; .param .b32 y; call.uni (y), f, (x); }", before);
    expect(call.operands.map((o) => o?.kind)).toEqual(["list", "function", "list", undefined]);
    expect(one("call g;", before).operands.map((o) => o?.kind)).toEqual([undefined, "function", undefined, undefined]);
    const indirect = bodyOf(
      "{ .param .b32 x; proto: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (x), %d1, (x), proto; }",
    );
    expect(indirect.instructions[0]?.operands[3]).toMatchObject({
      kind: "label",
      label: { kind: "callprototype", name: "proto" },
    });
    const listed = one("l: .calltargets f, g;\ncall %d1, l;", before);
    expect(listed.operands.at(-1)).toMatchObject({ label: { kind: "calltargets", functions: [{ name: "f" }, { name: "g" }] } });
  });
  it("parameters in registers are registers of the body", () => {
    const m = parsePtx(`${head}.func (.reg .b32 r) f(.reg .b32 a, .param .b32 b) { mov.b32 r, a; }`);
    const [f] = m.functions;
    const [r, a] = f?.body?.registers ?? [];
    expect([f?.returns[0]?.register, f?.params[0]?.register, f?.params[1]?.register]).toEqual([r, a, undefined]);
    expect(f?.body?.instructions[0]?.operands).toEqual([r, a]);
  });
  it("aliases", () => {
    const m = parsePtx(`${head}.func f { ret; }\n.func g;\n.alias g, f;`);
    expect(m.items.at(-1)).toEqual({ kind: "alias", name: "g", target: "f" });
  });
});

describe("numbers", () => {
  it.each([
    ["4294967295", 4294967295n],
    ["0xFFFFFFFFFFFFFFFF", 0xffff_ffff_ffff_ffffn],
    ["-1", -1n],
    ["017", 15n],
    ["0b101", 5n],
    ["12345678901234567890", 12345678901234567890n],
    ["~0", -1n],
    ["1 << 4 | 3", 19n],
    ["2 + 3 * 4 - 10 / 3", 11n],
    ["(2 + 3) * 4", 20n],
    ["10 - 3 - 2", 5n],
    ["64 / 4 / 2", 8n],
    ["256 >> 2 >> 1", 32n],
    ["WARP_SZ", 32n],
    ["7U", 7n],
  ])("%s", (text, value) => expect(operand(`mov.b64 %d1, ${text};`, 1)).toEqual({ kind: "int", value }));

  it.each([
    ["0f7FC00001", "f32", 0x7fc00001n, Number.NaN],
    ["0f80000000", "f32", 0x80000000n, -0],
    ["0d3FB999999999999A", "f64", 0x3fb999999999999an, 0.1],
    ["-0f3F800000", "f32", 0xbf800000n, -1],
    ["1.5", "f64", 0x3ff8000000000000n, 1.5],
    ["-2.5e1", "f64", 0xc039000000000000n, -25],
  ])("%s", (text, type, bits, value) =>
    expect(operand(`mov.f32 %f1, ${text};`, 1)).toEqual({ kind: "float", type, bits, value }),
  );
});

describe("names", () => {
  it("have registers that are one object, with dense ids", () => {
    const { instructions, registers } = bodyOf("add.s32 %r7, %r3, %r7; .reg .b32 plain; mov.b32 plain, %r3;");
    expect(registers.map((r) => r.name)).toEqual(["%r7", "%r3", "plain"]);
    expect(registers.map((r) => r.id)).toEqual([0, 1, 2]);
    expect(instructions[0]?.operands[0]).toBe(instructions[0]?.operands[2]);
    expect(instructions[1]?.operands[0]).toBe(registers[2]);
  });
  it("belong to their block", () => {
    const { registers } = bodyOf(
      "mov.b32 %r1, 0; { .reg .b32 %r<2>; mov.b32 %r1, 1; } mov.b32 %r1, 2; { .reg .f32 %r1; mov.f32 %r1, 0.0; }",
    );
    expect(registers.map((r) => `${r.name} ${r.type}`)).toEqual(["%r1 b32", "%r1 b32", "%r1 f32"]);
  });
  it.each([
    [
      "a plain name hides one of a range",
      ".reg .b32 a<4>; .reg .f32 a2; mov.f32 a2, 0f00000000; mov.b32 a1, 0;",
      "a2 f32, a1 b32",
    ],
    ["before the range, too", ".reg .f32 a2; .reg .b32 a<4>; mov.f32 a2, 0f00000000; mov.b32 a1, 0;", "a2 f32, a1 b32"],
    ["a range may end in a digit", ".reg .b32 x1<20>; mov.b32 x17, 0; mov.b32 x10, 0;", "x17 b32, x10 b32"],
    ["of two the shorter name counts", ".reg .b32 y<20>; .reg .f32 y1<9>; mov.b32 y17, 0; mov.f32 y199, 0.0;", undefined],
    [
      "a 0 in front belongs to the name",
      ".reg .f32 z0<9>; .reg .b32 z<9>; mov.f32 z01, 0f00000000; mov.b32 z1, 0;",
      "z01 f32, z1 b32",
    ],
    [
      "behind many others",
      `${Array.from({ length: 30 }, (_, i) => `.reg .b32 q${i}_<4>;`).join(" ")} mov.b32 q29_3, q0_0;`,
      "q29_3 b32, q0_0 b32",
    ],
    ["of any number", ".reg .b32 big<2000000000>; mov.b32 big1999999999, big0;", "big1999999999 b32, big0 b32"],
  ])("are of ranges: %s", (_, body, expected) => {
    if (expected === undefined) expect(() => bodyOf(body)).toThrow(/y199/);
    else
      expect(
        bodyOf(body)
          .registers.map((r) => `${r.name} ${r.type}`)
          .join(", "),
      ).toBe(expected);
  });
  it("are no plain ones any more where a range's register has been used", () => {
    expect(() => bodyOf("mov.b32 %r1, 0; .reg .f32 %r1;")).toThrow(/W9804/);
  });
  it("find labels below, in the block or around it", () => {
    const { instructions } = bodyOf("bra L; { bra L; bra M; L: ret; M: } L: exit;");
    const target = (i: number) => (instructions[i]!.operands[0] as unknown as { label: { target: number } }).label.target;
    expect([target(0), target(1), target(2)]).toEqual([4, 3, 4]);
  });
  it("find branch targets", () => {
    const brx = one("brx.idx %r1, T; T: .branchtargets A, B; A: ret; B: exit;");
    const table = (brx.operands[1] as unknown as { label: { targets: { label: { name: string; target: number } }[] } }).label;
    expect(table.targets.map((t) => [t.label.name, t.label.target])).toEqual([
      ["A", 1],
      ["B", 2],
    ]);
  });
  it("are variables with offsets, special registers, functions", () => {
    const before = ".extern .shared .align 16 .b8 sm[];\n.func f { ret; }";
    expect(one("mov.b32 %r1, sm+64;", before).operands[1]).toMatchObject({
      kind: "symbol",
      variable: { name: "sm" },
      offset: 64,
    });
    expect(one("ld.shared.b32 %r1, [sm+4];", before).operands[1]).toMatchObject({ base: { name: "sm", size: 0 }, offset: 4 });
    expect(one("mov.b64 %d1, f;", before).operands[1]).toEqual({ kind: "function", name: "f" });
    expect(one("mov.u32 %r1, %cluster_nctaid.z;").operands[1]).toEqual({ kind: "special", name: "cluster_nctaid.z" });
    expect(one("ld.shared.b32 %r1, [1024];").operands[1]).toEqual({ kind: "address", base: undefined, offset: 1024 });
  });
});

describe("variables", () => {
  const variable = (text: string) => parsePtx(head + text).variables.at(-1)!;
  it.each([
    [".global .b32 a;", { size: 4, align: 4, dims: [], space: "global", initial: undefined }],
    [".const .align 16 .v4 .f32 a[3];", { size: 48, align: 16, dims: [3], vector: 4 }],
    [".visible .global .u64 a[2][3];", { size: 48, align: 8, dims: [2, 3], linkage: "visible" }],
    [".extern .shared .align 1024 .b8 a[];", { size: 0, align: 1024, dims: [0], linkage: "extern" }],
    [".global .b8 a[] = {1, 2, 3};", { size: 3, dims: [3] }],
    [".shared .b32 b, a[2];", { name: "a", size: 8 }],
  ])("%s", (text, expected) => expect(variable(text)).toMatchObject(expected));

  it("are filled by rows, gaps with zeros", () => {
    const a = variable(".global .b32 a[3][2] = {{1}, {2, 3}, {4}};");
    expect(a.initial?.map((v) => (v.kind === "int" ? Number(v.value) : v))).toEqual([1, 0, 2, 3, 4]);
  });
  it("hold addresses", () => {
    const a = variable(".global .b32 x; .global .u64 a[3] = {generic(x)+8, x, 0xFF00(generic(x))};");
    expect(a.initial).toEqual([
      { kind: "address", name: "x", offset: 8, generic: true, mask: undefined },
      { kind: "address", name: "x", offset: 0, generic: false, mask: undefined },
      { kind: "address", name: "x", offset: 0, generic: true, mask: 0xff00n },
    ]);
  });
});

describe("modules", () => {
  it("have header, files, functions with parameters and directives", () => {
    const m = parsePtx(
      `${head}.file 1 "a\\"b.ts", 3, 4\n.visible .entry k(.param .u64 .ptr .global .align 16 p, .param .align 64 .b8 m[128])
       .reqntid 128, 1, 1 .minnctapersm 2 .explicitcluster .reqnctapercluster 2 { ret; }`,
    );
    expect(m).toMatchObject({ version: "9.0", target: ["sm_90a", "debug"], addressSize: 64 });
    expect(m.files).toMatchObject([{ number: 1, path: 'a"b.ts' }]);
    const [k] = m.functions;
    expect(k?.directives).toEqual({ reqntid: [128, 1, 1], minnctapersm: 2, explicitcluster: true, reqnctapercluster: [2] });
    expect(k?.params).toMatchObject([
      { name: "p", pointsTo: { space: "global", align: 16 } },
      { name: "m", size: 128, align: 64 },
    ]);
  });
  it("have variables that the host can reach, too, and are printed so", () => {
    const text = `${head}.visible .global .attribute(.managed) .align 4 .b32 a[2] = {1, 2};\n`;
    const tree = parsePtx(text);
    expect(tree.variables).toMatchObject([{ name: "a", space: "global", managed: true, size: 8 }]);
    expect(printPtxTree(tree)).toContain(".visible .global .attribute(.managed) .align 4 .b32 a[2] = {1, 2};");
  });
  it("have a function once, with its body", () => {
    const m = parsePtx(`${head}.func f(.param .b32 a);\n.extern .func g;\n.func f(.param .b32 a) { ret; }`);
    expect(m.functions.map((f) => [f.name, f.body !== undefined])).toEqual([
      ["f", true],
      ["g", false],
    ]);
  });
  it("give instructions their lines of the source, inlining too", () => {
    const { instructions } = bodyOf("ret; .loc 1 20 5, function_name $s+4, inlined_at 1 9 3\nret;\n.loc 1 30 1\nret;");
    expect(instructions.map((i) => i.loc)).toEqual([
      undefined,
      { kind: "loc", file: 1, line: 20, column: 5, functionName: "$s+4", inlinedAt: { file: 1, line: 9, column: 3 } },
      { kind: "loc", file: 1, line: 30, column: 1, functionName: undefined, inlinedAt: undefined },
    ]);
  });
});
