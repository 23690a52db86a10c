import { describe, expect, it } from "vitest";
import {
  address,
  f32,
  f64,
  formNames,
  formSpec,
  type Instruction,
  instruction,
  int,
  not,
  type PtxModule,
  pair,
  printInstruction,
  printPtx,
  reg,
  type Statement,
  sink,
  special,
  symbol,
  tensorAddress,
  validatePtx,
  vec,
} from "../../../src/ptx/index.ts";
import { assemble, noPtxas } from "../../support/ptxas.ts";

const r = (id: number) => reg("b32", id);
const d = (id: number) => reg("b64", id);
const p = reg("pred", 0);

function moduleOf(body: readonly Statement[], change: Partial<PtxModule["entry"]> = {}): PtxModule {
  return {
    version: "8.0",
    target: "sm_90a",
    files: ['a "b".ts'],
    shared: { name: "smem", align: 1024 },
    entry: {
      name: "k",
      params: [
        { name: "p0", type: { align: 64, bytes: 128 }, about: "map" },
        { name: "p1", type: "f32" },
      ],
      directives: { reqntid: [128, 1, 1], maxnreg: 64, cluster: [2, 1, 1] },
      registers: { pred: 4, b16: 4, b32: 8, b64: 8, f32: 8, f64: 4 },
      body,
      ...change,
    },
  };
}

describe("print", () => {
  const cases: readonly (readonly [Instruction, string])[] = [
    [instruction("add", { type: "s32" }, [r(0), r(1), int(-3)]), "add.s32 %r0, %r1, -3"],
    [instruction("mov", { type: "f32" }, [reg("f32", 0), f32(1)]), "mov.f32 %f0, 0f3F800000"],
    [instruction("mov", { type: "f32" }, [reg("f32", 0), f32(-0)]), "mov.f32 %f0, 0f80000000"],
    [instruction("mov", { type: "f64" }, [reg("f64", 0), f64(0.1)]), "mov.f64 %fd0, 0d3FB999999999999A"],
    [instruction("mov.special", {}, [r(0), special("ctaid.x")]), "mov.u32 %r0, %ctaid.x"],
    [instruction("mov.symbol", { type: "b32" }, [r(0), symbol("smem")]), "mov.b32 %r0, smem"],
    [
      instruction("ld", { space: "global", nc: "nc", vec: "v2", type: "b32" }, [vec([r(0), r(1)]), address(d(0), -8)]),
      "ld.global.nc.v2.b32 {%r0, %r1}, [%rd0+-8]",
    ],
    [instruction("selp", { type: "b32" }, [r(0), int(1), int(0), not(p)]), "selp.b32 %r0, 1, 0, !%p0"],
    [instruction("elect.sync", {}, [pair(sink, p), int(-1)]), "elect.sync _|%p0, -1"],
    [
      instruction(
        "cp.async.bulk.tensor.store",
        { dim: "2d", dst: "global", src: "shared::cta", mode: "tile", completion: "bulk_group" },
        [tensorAddress(d(0), [r(0), int(4)]), address(r(1), 16), undefined],
      ),
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd0, {%r0, 4}], [%r1+16]",
    ],
    [instruction("exit", {}, [], { reg: p, negate: true }), "@!%p0 exit"],
  ];
  it.each(cases)("%#", (i, text) => expect(printInstruction(i)).toBe(text));

  it("gives a module that ptxas takes", (context) => {
    const text = printPtx(
      moduleOf([
        { kind: "loc", file: 1, line: 3, column: 5 },
        ...cases.slice(0, 7).map(([i]) => i),
        { kind: "comment", text: "done" },
        { kind: "label", name: "end" },
        instruction("exit", {}, []),
      ]),
    );
    expect(text).toContain('.file 1 "a \\"b\\".ts"');
    expect(text).toContain(".param .align 64 .b8 p0[128], // map\n  .param .f32 p1\n");
    expect(text).toContain(".reqntid 128, 1, 1\n.maxnreg 64\n.explicitcluster\n.reqnctapercluster 2, 1, 1\n");
    const assembled = assemble(text.replace('\\"b\\"', "b"));
    if (!assembled) return context.skip(noPtxas);
    expect(assembled.log).not.toMatch(/error/);
    expect(assembled.ok).toBe(true);
  });

  it("is what the assembler's check can refuse", (context) => {
    const assembled = assemble(printPtx(moduleOf([])).replace("{", "{ nothing.known;"));
    if (!assembled) return context.skip(noPtxas);
    expect(assembled.ok).toBe(false);
  });
});

describe("validate", () => {
  const wrong: readonly (readonly [string, Statement, RegExp])[] = [
    ["a modifier", instruction("add", { type: "f32" as "s32" }, [r(0), r(1), r(2)]), /\.f32 is no type of add/],
    ["a missing modifier", instruction("add", {} as { type: "s32" }, [r(0), r(1), r(2)]), /is no type of add/],
    [
      "a modifier of another form",
      instruction("add", { type: "s32", sat: "sat" } as { type: "s32" }, [r(0), r(1), r(2)]),
      /no modifier sat/,
    ],
    ["a register class", instruction("add", { type: "s32" }, [r(0), d(0), r(1)]), /operand 1 is in a \.b64 register/],
    [
      "a float register in integer arithmetic",
      instruction("add", { type: "s32" }, [r(0), reg("f32", 0), r(1)]),
      /\.f32 register, which \.s32/,
    ],
    ["an operand's kind", instruction("ld.param", { type: "b32" }, [r(0), r(1) as never]), /operand 1 is reg, not addr/],
    ["too few operands", instruction("add", { type: "s32" }, [r(0), r(1)] as never), /operand 2 is missing/],
    ["too many operands", instruction("exit", {}, [r(0)] as never), /has 0 operands, not 1/],
    ["an undeclared register", instruction("not", { type: "b32" }, [r(0), r(99)]), /\.b32 99 is not declared/],
    ["a label", instruction("bra", {}, [{ kind: "label", name: "nowhere" }]), /no label nowhere/],
    ["a variable", instruction("mov.symbol", { type: "b64" }, [d(0), symbol("p7")]), /no variable p7/],
    ["a guard", instruction("exit", {}, [], { reg: r(0), negate: false }), /no predicate/],
    ["a file", { kind: "loc", file: 2, line: 1, column: 1 }, /names file 2 of 1/],
  ];
  it.each(wrong)("finds %s", (_what, statement, problem) =>
    expect(validatePtx(moduleOf([statement])).join("\n")).toMatch(problem),
  );

  it("finds a label defined twice", () => {
    const label = { kind: "label", name: "x" } as const;
    expect(validatePtx(moduleOf([label, label]))).toEqual(["a label is defined twice"]);
  });
});

describe("the table of forms", () => {
  it("names only slots that exist as types of operands", () => {
    for (const name of formNames) {
      const spec = formSpec(name);
      for (const operand of spec.operands) {
        const type = operand.split(":")[1];
        const known = type === undefined || /^(b|u|s|f)\d+$/.test(type) || type in (spec.modifiers ?? {});
        expect(known, `${name}: ${operand}`).toBe(true);
      }
    }
  });
  it("has no modifiers out of other forms, by type", () => {
    // @ts-expect-error f32 is no type of the integer form
    instruction("add", { type: "f32" }, [r(0), r(1), r(2)]);
    // @ts-expect-error a load needs its space
    instruction("ld", { type: "b32" }, [r(0), address(d(0))]);
    // @ts-expect-error a store takes the address first
    instruction("st", { space: "global", type: "b32" }, [r(0), address(d(0))]);
    expect(instruction("exit", {}, []).form).toBe("exit");
  });
});
