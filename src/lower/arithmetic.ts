import { encodeFloat, floatFormats } from "../base/small-floats.ts";
import { bitsOf, isFloat, isInteger, type Op, type ScalarType, type Value } from "../ir/index.ts";
import { f32, f64, type Imm, int, type Reg } from "../ptx/index.ts";
import { type Context, classOf, emit, fresh, gives, operand, register, when } from "./context.ts";
import { extended, fromF32, toF32 } from "./convert.ts";
import { bitsType, floatType, integerType } from "./ptx-types.ts";
import { lowerRemainder } from "./remainder.ts";

const typeOf = (v: Value): ScalarType => v.type as ScalarType;

type IntegerForm = "add" | "sub" | "mul.lo" | "div.int" | "rem.int" | "min.int" | "max.int";
type FloatForm = "add.rn" | "sub.rn" | "mul.rn";

/** `a op b` on integers, in the type of the operation. */
export function integerBinary(ctx: Context, form: IntegerForm, type: ScalarType, a: Reg | Imm, b: Reg | Imm): Reg {
  const out = fresh(ctx, classOf(type));
  emit(ctx, form, { type: integerType(type) }, [out, a, b]);
  return extended(ctx, type, out);
}

/** Runs `compute` in f32 and rounds to the small type once: 24 bits hold enough for the sum, product, quotient or root of 11-bit numbers. */
function viaF32(ctx: Context, type: ScalarType, inputs: readonly Reg[], compute: (inputs: readonly Reg[]) => Reg): Reg {
  return fromF32(ctx, type, compute(inputs.map((r) => toF32(ctx, type, r))));
}

function binary(integer: IntegerForm, float: FloatForm) {
  return (ctx: Context, op: Op<"add" | "sub" | "mul">): Reg | Imm => {
    const { a, b } = op.operands;
    const type = typeOf(a);
    if (isInteger(type)) return integerBinary(ctx, integer, type, operand(ctx, a), operand(ctx, b));
    const native = floatType(type);
    if (native === undefined)
      return viaF32(ctx, type, [register(ctx, a), register(ctx, b)], (r) => floatBinary(ctx, float, "f32", r));
    const out = fresh(ctx, classOf(type));
    emit(ctx, float, { type: native }, [out, operand(ctx, a), operand(ctx, b)]);
    return out;
  };
}

function floatBinary(ctx: Context, form: FloatForm | "div.rn", type: "f32" | "f64", [a, b]: readonly Reg[]): Reg {
  const out = fresh(ctx, type);
  if (a && b) emit(ctx, form, { type }, [out, a, b]);
  return out;
}

/** A quotient or rest of integers; 0 where the divisor is 0, which PTX leaves to the machine (9.7.1.8). A literal divisor costs nothing. */
function divided(ctx: Context, form: "div.int" | "rem.int", { a, b }: Op<"div" | "rem">["operands"]): Reg | Imm {
  const type = typeOf(a);
  const by = ctx.literals.get(b.id);
  if (by !== undefined) return Number(by) === 0 ? int(0) : integerBinary(ctx, form, type, operand(ctx, a), operand(ctx, b));
  const [divisor, none, out] = [register(ctx, b), fresh(ctx, "pred"), fresh(ctx, classOf(type))];
  emit(ctx, "setp", { is: "eq", type: integerType(type) }, [none, divisor, int(0)]);
  const result = integerBinary(ctx, form, type, operand(ctx, a), divisor);
  emit(ctx, "selp", { type: bitsOf(type) === 64 ? "b64" : bitsOf(type) === 32 ? "b32" : "b16" }, [out, int(0), result, none]);
  return out;
}

function lowerDiv(ctx: Context, op: Op<"div">): Reg | Imm {
  const { a, b } = op.operands;
  const type = typeOf(a);
  if (isInteger(type)) return divided(ctx, "div.int", op.operands);
  const inputs = [register(ctx, a), register(ctx, b)];
  return type === "f64"
    ? floatBinary(ctx, "div.rn", "f64", inputs)
    : viaF32(ctx, type, inputs, (r) => floatBinary(ctx, "div.rn", "f32", r));
}

function lowerRem(ctx: Context, op: Op<"rem">): Reg | Imm {
  const { a, b } = op.operands;
  const type = typeOf(a);
  if (isInteger(type)) return divided(ctx, "rem.int", op.operands);
  const [x, y] = [register(ctx, a), register(ctx, b)];
  // the remainder of two numbers of a small type is one of that type
  const inF32 = ([p, q]: readonly Reg[]) => (p && q ? lowerRemainder(ctx, "f32", p, q) : x);
  return type === "f64" ? lowerRemainder(ctx, "f64", x, y) : viaF32(ctx, type, [x, y], inF32);
}

function lowerMulHi(ctx: Context, op: Op<"mul.hi">): Reg | Imm {
  const { a, b } = op.operands;
  const type = typeOf(a);
  const out = fresh(ctx, classOf(type));
  if (bitsOf(type) > 8) emit(ctx, "mul.hi", { type: integerType(type) }, [out, operand(ctx, a), operand(ctx, b)]);
  else {
    emit(ctx, "mul.lo", { type: integerType(type) }, [out, operand(ctx, a), operand(ctx, b)]);
    emit(ctx, "shr", { type: integerType(type) }, [out, out, int(8)]);
  }
  return out;
}

function lowerFma(ctx: Context, op: Op<"fma">): Reg | Imm {
  const { a, b, c } = op.operands;
  const type = typeOf(a);
  const native = floatType(type);
  const out = fresh(ctx, native === undefined ? "f32" : classOf(type));
  if (native !== undefined) emit(ctx, "fma.rn", { type: native }, [out, operand(ctx, a), operand(ctx, b), operand(ctx, c)]);
  else
    emit(ctx, "fma.rn", { type: "f32" }, [
      out,
      toF32(ctx, type, register(ctx, a)),
      toF32(ctx, type, register(ctx, b)),
      toF32(ctx, type, register(ctx, c)),
    ]);
  return native === undefined ? fromF32(ctx, type, out) : out;
}

function lowerSaturatedFma(ctx: Context, op: Op<"fma.sat">): Reg | Imm {
  const { a, b, c } = op.operands;
  const out = fresh(ctx, "f32");
  emit(ctx, "fma.rn.sat", {}, [out, operand(ctx, a), operand(ctx, b), operand(ctx, c)]);
  return out;
}

/**
 * Not by `abs.s32`: where that bounds a loop, ptxas 13.0 and the compiler of driver 580 unroll the loop by what another value has left in
 * its register (docs/hardware.md).
 */
function absolute(ctx: Context, bits: number, out: Reg, a: Reg): void {
  const [signed, plain] =
    bits === 64 ? (["s64", "b64"] as const) : bits === 32 ? (["s32", "b32"] as const) : (["s16", "b16"] as const);
  const [sign, flipped] = [fresh(ctx, plain), fresh(ctx, plain)];
  emit(ctx, "shr", { type: signed }, [sign, a, int(Math.max(16, bits) - 1)]);
  emit(ctx, "xor", { type: plain }, [flipped, a, sign]);
  emit(ctx, "sub", { type: signed }, [out, flipped, sign]);
}

function unary(name: "neg" | "abs", float: "neg.float" | "abs.float") {
  return (ctx: Context, op: Op<"neg" | "abs">): Reg | Imm => {
    const type = typeOf(op.operands.a);
    const a = register(ctx, op.operands.a);
    const out = fresh(ctx, classOf(type));
    const native = floatType(type);
    if (native !== undefined) emit(ctx, float, { type: native }, [out, a]);
    else if (isFloat(type))
      emit(ctx, name === "neg" ? "xor" : "and", { type: "b16" }, [out, a, int(name === "neg" ? 0x80 : 0x7f)]);
    else if (name === "abs" && integerType(type).startsWith("u")) return a;
    else if (name === "abs") absolute(ctx, bitsOf(type), out, a);
    else emit(ctx, "neg.int", { type: bitsOf(type) === 64 ? "s64" : bitsOf(type) === 32 ? "s32" : "s16" }, [out, a]);
    return isInteger(type) ? extended(ctx, type, out) : out;
  };
}

/** The lesser or greater one of two floats: NaN wins, and 0 is greater than -0 (as the instructions have it). */
export function floatExtreme(
  ctx: Context,
  form: "min.float" | "max.float",
  type: "f16" | "bf16" | "f32" | "f64",
  a: Reg,
  b: Reg,
): Reg {
  const out = fresh(ctx, classOf(type));
  if (type !== "f64") {
    emit(ctx, form, { nan: "NaN", type }, [out, a, b]);
    return out;
  }
  const nan = fresh(ctx, "pred");
  emit(ctx, form, { type }, [out, a, b]);
  emit(ctx, "setp", { is: "nan", type }, [nan, a, b]);
  emit(ctx, "mov", { type: "f64" }, [out, f64(Number.NaN)], when(nan));
  return out;
}

function extreme(integer: "min.int" | "max.int", float: "min.float" | "max.float") {
  return (ctx: Context, op: Op<"min" | "max">): Reg | Imm => {
    const { a, b } = op.operands;
    const type = typeOf(a);
    if (isInteger(type)) return integerBinary(ctx, integer, type, operand(ctx, a), operand(ctx, b));
    const [x, y] = [register(ctx, a), register(ctx, b)];
    const native = floatType(type);
    const inF32 = ([p, q]: readonly Reg[]) => (p && q ? floatExtreme(ctx, float, "f32", p, q) : x);
    return native === undefined ? viaF32(ctx, type, [x, y], inF32) : floatExtreme(ctx, float, native, x, y);
  };
}

const roundings = { ni: "rni", zi: "rzi", mi: "rmi", pi: "rpi" } as const;

function lowerRound(ctx: Context, op: Op<"round">): Reg | Imm {
  const type = typeOf(op.operands.a);
  const a = register(ctx, op.operands.a);
  const round = roundings[op.attrs.mode];
  const native = (t: "f16" | "f32" | "f64", r: Reg): Reg => {
    const out = fresh(ctx, classOf(t));
    emit(ctx, "cvt", { round, to: t, from: t }, [out, r]);
    return out;
  };
  return type === "f16" || type === "f32" || type === "f64"
    ? native(type, a)
    : viaF32(ctx, type, [a], ([r = a]) => native("f32", r));
}

function lowerSqrt(ctx: Context, op: Op<"sqrt">): Reg | Imm {
  const type = typeOf(op.operands.a);
  const a = register(ctx, op.operands.a);
  const root = (t: "f32" | "f64", r: Reg): Reg => {
    const out = fresh(ctx, t);
    emit(ctx, "sqrt.rn", { type: t }, [out, r]);
    return out;
  };
  return type === "f64" ? root("f64", a) : viaF32(ctx, type, [a], ([r = a]) => root("f32", r));
}

function lowerApprox(ctx: Context, op: Op<"approx">): Reg | Imm {
  const type = typeOf(op.operands.a);
  const a = register(ctx, op.operands.a);
  const { fn } = op.attrs;
  const half = type === "f16" || type === "bf16" ? type : undefined;
  if ((fn === "ex2" || fn === "tanh") && half) {
    const out = fresh(ctx, "b16");
    if (fn === "tanh") emit(ctx, "tanh", { type: half }, [out, a]);
    else emit(ctx, "ex2", { ftz: half === "bf16" ? "ftz" : "", type: half }, [out, a]);
    return out;
  }
  const inF32 = ([r = a]: readonly Reg[]): Reg => {
    const out = fresh(ctx, "f32");
    if (fn === "tanh") emit(ctx, fn, { type: "f32" }, [out, r]);
    else if (fn === "ex2" || fn === "ex2.ftz") emit(ctx, "ex2", { ftz: fn === "ex2" ? "" : "ftz", type: "f32" }, [out, r]);
    else if (fn === "rcp" || fn === "rcp.ftz") emit(ctx, "rcp.approx", { ftz: fn === "rcp" ? "" : "ftz", type: "f32" }, [out, r]);
    else if (fn === "rsqrt" || fn === "rsqrt.ftz")
      emit(ctx, "rsqrt.approx", { ftz: fn === "rsqrt" ? "" : "ftz", type: "f32" }, [out, r]);
    else emit(ctx, `${fn}.approx`, {}, [out, r]);
    return out;
  };
  return viaF32(ctx, type, [a], inF32);
}

function lowerDivApprox(ctx: Context, op: Op<"div.approx">): Reg | Imm {
  const type = typeOf(op.operands.a);
  const inputs = [register(ctx, op.operands.a), register(ctx, op.operands.b)];
  const quotient = ([a, b]: readonly Reg[]): Reg => {
    const out = fresh(ctx, "f32");
    if (a && b) emit(ctx, "div.approx", { type: "f32" }, [out, a, b]);
    return out;
  };
  return viaF32(ctx, type, inputs, quotient);
}

/** An integer's bits, extended by zeros to a width that bit counting has. */
function countable(ctx: Context, v: Value): { readonly r: Reg; readonly type: "b32" | "b64"; readonly missing: number } {
  const bits = bitsOf(typeOf(v));
  const r = register(ctx, v);
  if (bits >= 32) return { r, type: bits === 64 ? "b64" : "b32", missing: 0 };
  const wide = fresh(ctx, "b32");
  emit(ctx, "cvt", { to: "u32", from: "u16" }, [wide, r]);
  if (bits === 8) emit(ctx, "and", { type: "b32" }, [wide, wide, int(0xff)]);
  return { r: wide, type: "b32", missing: 32 - bits };
}

function lowerCount(ctx: Context, op: Op<"popc" | "clz">): Reg | Imm {
  const { r, type, missing } = countable(ctx, op.operands.a);
  const out = fresh(ctx, "b32");
  emit(ctx, op.name, { type }, [out, r]);
  if (op.name === "clz" && missing > 0) emit(ctx, "sub", { type: "s32" }, [out, out, int(missing)]);
  return out;
}

function lowerBrev(ctx: Context, op: Op<"brev">): Reg | Imm {
  const type = typeOf(op.operands.a);
  const { r, type: bits, missing } = countable(ctx, op.operands.a);
  const out = fresh(ctx, r.cls);
  emit(ctx, "brev", { type: bits }, [out, r]);
  if (missing === 0) return out;
  const narrow = fresh(ctx, "b16");
  emit(ctx, "shr", { type: "b32" }, [out, out, int(missing)]);
  emit(ctx, "cvt", { to: "u16", from: "u32" }, [narrow, out]);
  return extended(ctx, type, narrow);
}

/** Shift amounts count modulo the width, as in JavaScript; PTX clamps them. */
function shiftAmount(ctx: Context, by: Value, width: number): Reg | Imm {
  const amount = operand(ctx, by);
  if (amount.kind === "imm") return amount.type === "int" ? int(amount.value & BigInt(width - 1)) : amount;
  const masked = fresh(ctx, "b32");
  emit(ctx, "and", { type: "b32" }, [masked, amount, int(width - 1)]);
  return masked;
}

function lowerShift(ctx: Context, op: Op<"shl" | "shr">): Reg | Imm {
  const { a, by } = op.operands;
  const type = typeOf(a);
  const amount = shiftAmount(ctx, by, bitsOf(type));
  const out = fresh(ctx, classOf(type));
  const bits = bitsType(type);
  if (op.name === "shr") emit(ctx, "shr", { type: integerType(type) }, [out, operand(ctx, a), amount]);
  else if (bits !== "pred") emit(ctx, "shl", { type: bits }, [out, operand(ctx, a), amount]);
  return op.name === "shl" ? extended(ctx, type, out) : out;
}

function lowerShf(ctx: Context, op: Op<"shf">): Reg | Imm {
  const out = fresh(ctx, "b32");
  emit(ctx, "shf", { direction: op.attrs.direction, mode: "wrap", type: "b32" }, [
    out,
    register(ctx, op.operands.low),
    register(ctx, op.operands.high),
    operand(ctx, op.operands.by),
  ]);
  return out;
}

function lowerConst(ctx: Context, op: Op<"const">): Reg | Imm | undefined {
  const result = op.results[0];
  if (!result) return undefined;
  const type = typeOf(result);
  const { value } = op.attrs;
  if (type === "f32") return f32(Number(value));
  if (type === "f64") return f64(Number(value));
  if (type !== "f16" && type !== "bf16" && type !== "e4m3" && type !== "e5m2") return int(BigInt(value));
  const r = fresh(ctx, "b16"); // 16-bit floats have no literals
  emit(ctx, "mov", { type: "b16" }, [r, int(encodeFloat(floatFormats[type], Number(value)))]);
  return r;
}

export const arithmeticRules = {
  const: gives(lowerConst),
  add: gives(binary("add", "add.rn")),
  sub: gives(binary("sub", "sub.rn")),
  mul: gives(binary("mul.lo", "mul.rn")),
  "mul.hi": gives(lowerMulHi),
  fma: gives(lowerFma),
  "fma.sat": gives(lowerSaturatedFma),
  div: gives(lowerDiv),
  rem: gives(lowerRem),
  neg: gives(unary("neg", "neg.float")),
  abs: gives(unary("abs", "abs.float")),
  min: gives(extreme("min.int", "min.float")),
  max: gives(extreme("max.int", "max.float")),
  shl: gives(lowerShift),
  shr: gives(lowerShift),
  round: gives(lowerRound),
  sqrt: gives(lowerSqrt),
  approx: gives(lowerApprox),
  "div.approx": gives(lowerDivApprox),
  popc: gives(lowerCount),
  clz: gives(lowerCount),
  brev: gives(lowerBrev),
  shf: gives(lowerShf),
};
