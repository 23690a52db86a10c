import { describe, expect, it } from "vitest";
import { bits, callMath, cdiv, erf, erfc, fast, fma } from "../../../../src/dsl/math/index.ts";
import type { ScalarType } from "../../../../src/ir/index.ts";
import { runPasses } from "../../../../src/passes/index.ts";
import { checkedPtx } from "../../lower/check.ts";
import { graphOf } from "./graph-of.ts";

type Function_ = (...args: never[]) => unknown;
const math =
  (name: string): Function_ =>
  (...args) =>
    callMath(Math[name as "abs"] as never, args);
const ptxOf = (name: string, types: readonly ScalarType[], out: ScalarType, run: Function_): string =>
  checkedPtx(runPasses(graphOf(name, types, out, run), { verify: true }));

const one =
  "abs acos acosh asin asinh atan atanh cbrt ceil cos cosh exp expm1 floor fround log log10 log1p log2 round sign sin sinh sqrt tan tanh trunc".split(
    " ",
  );
const two = "atan2 hypot max min pow".split(" ");
const onF64 = "abs acos asin atan ceil exp expm1 floor log log10 log1p log2 round sign sqrt tanh trunc".split(" ");

describe("the assembler takes every function, and nothing spills", () => {
  it.each(one)("Math.%s of an f32", (name) => {
    expect(ptxOf(name, ["f32"], "f32", math(name))).toContain(".entry");
  });
  it.each(two)("Math.%s of two f32", (name) => {
    expect(ptxOf(name, ["f32", "f32"], "f32", math(name))).toContain(".entry");
  });
  it.each(onF64)("Math.%s of an f64", (name) => {
    expect(ptxOf(name, ["f64"], "f64", math(name))).toContain(".entry");
  });
  it.each([
    ["erf", erf],
    ["erfc", erfc],
  ] as const)("%s of an f32", (name, f) => {
    expect(ptxOf(name, ["f32"], "f32", f)).toContain(".entry");
  });
  it.each([...one, ...two])("Math.%s of f32 has no f64, but for huge angles", (name) => {
    const ptx = ptxOf(name, two.includes(name) ? ["f32", "f32"] : ["f32"], "f32", math(name));
    const lines = ptx.split("\n").filter((line) => line.includes(".f64") && !line.includes(".reg"));
    expect(lines.length, lines.join("\n")).toBeLessThanOrEqual(["sin", "cos", "tan"].includes(name) ? 3 : 0);
  });
  it.each(["exp", "sin", "round", "sign", "max", "sqrt", "tanh"])("Math.%s of f16 and bf16", (name) => {
    for (const type of ["f16", "bf16"] as const) expect(ptxOf(name, [type], type, math(name))).toContain(".entry");
  });
  it.each(Object.keys(fast).filter((name) => name !== "divide"))("fast.%s", (name) => {
    for (const type of ["f32", "f16", "bf16"] as const)
      expect(ptxOf(name, [type], type, fast[name as "exp"])).toContain(".approx");
  });
  it("fast.divide, fma, bits, cdiv and the integers of Math", () => {
    expect(ptxOf("divide", ["f32", "f32"], "f32", fast.divide)).toContain("div.approx");
    expect(ptxOf("fma", ["f32", "f32", "f32"], "f32", fma)).toContain("fma.rn.f32");
    expect(ptxOf("popcount", ["u32"], "i32", bits.popcount)).toContain("popc");
    expect(ptxOf("clz", ["u32"], "i32", bits.clz)).toContain("clz");
    expect(ptxOf("reverse", ["u32"], "u32", bits.reverse)).toContain("brev");
    expect(ptxOf("funnel", ["u32", "u32", "i32"], "u32", bits.funnelShift)).toContain("shf.r.wrap");
    expect(ptxOf("cdiv", ["i32", "i32"], "i32", cdiv)).toContain("div.s32");
    expect(ptxOf("imul", ["i32", "i32"], "i32", math("imul"))).toContain("mul.lo");
    expect(ptxOf("mulhi", ["u32", "u32"], "u32", bits.mulhi)).toContain("mul.hi.u32");
    expect(ptxOf("clz32", ["i32"], "i32", math("clz32"))).toContain("clz");
  });
});
