import { bitsOf, isFloat, isInteger, isSigned, type Op, type ScalarType } from "../ir/index.ts";
import { f32, f64, type Imm, int, type Reg, sink, vec } from "../ptx/index.ts";
import { bindScalars, type Context, classOf, emit, fresh, gives, operand, register, toReg, when } from "./context.ts";
import { bitsType, integerType } from "./ptx-types.ts";

type Operand = Reg | Imm;

/** 8-bit integers are kept extended to 16 bits; this extends what an operation left in the register. */
export function extended(ctx: Context, type: ScalarType, r: Reg): Reg {
  if (type !== "i8" && type !== "u8" && type !== "e4m3" && type !== "e5m2") return r;
  const out = fresh(ctx, "b16");
  if (type === "i8") emit(ctx, "cvt", { to: "s16", from: "s8" }, [out, r]);
  else emit(ctx, "and", { type: "b16" }, [out, r, int(0xff)]);
  return out;
}

/** A small float as f32, exactly. */
export function toF32(ctx: Context, from: ScalarType, r: Reg): Reg {
  if (from === "f32") return r;
  const out = fresh(ctx, "f32");
  if (from === "f16" || from === "bf16") emit(ctx, "cvt", { to: "f32", from }, [out, r]);
  else if (from === "f64") emit(ctx, "cvt", { round: "rn", to: "f32", from }, [out, r]);
  else {
    const [both, half] = [fresh(ctx, "b32"), fresh(ctx, "b16")];
    emit(ctx, "cvt.f16x2", { from: from === "e4m3" ? "e4m3x2" : "e5m2x2" }, [both, r]);
    emit(ctx, "mov.unpack", { type: "b32" }, [vec([half, sink]), both]);
    emit(ctx, "cvt", { to: "f32", from: "f16" }, [out, half]);
  }
  return out;
}

/** An f32 rounded to a float type. */
export function fromF32(ctx: Context, to: ScalarType, r: Reg): Reg {
  if (to === "f32") return r;
  const out = fresh(ctx, classOf(to));
  if (to === "f64") emit(ctx, "cvt", { to: "f64", from: "f32" }, [out, r]);
  else if (to === "e4m3" || to === "e5m2")
    emit(ctx, "cvt.fp8x2", { to: to === "e4m3" ? "e4m3x2" : "e5m2x2", from: "f32" }, [out, f32(0), r]);
  else emit(ctx, "cvt", { round: "rn", to: to === "bf16" ? "bf16" : "f16", from: "f32" }, [out, r]);
  return out;
}

/** An f64 as an f32 rounded to odd, so that rounding once more gives what one rounding would have given. */
function roundedToOdd(ctx: Context, r: Reg): Reg {
  const [out, back, inexact, bits] = [fresh(ctx, "f32"), fresh(ctx, "f64"), fresh(ctx, "pred"), fresh(ctx, "b32")];
  emit(ctx, "cvt", { round: "rz", to: "f32", from: "f64" }, [out, r]);
  emit(ctx, "cvt", { to: "f64", from: "f32" }, [back, out]);
  emit(ctx, "setp", { is: "ne", type: "f64" }, [inexact, back, r]);
  emit(ctx, "mov", { type: "b32" }, [bits, out]);
  emit(ctx, "or", { type: "b32" }, [bits, bits, int(1)], when(inexact));
  const odd = fresh(ctx, "f32");
  emit(ctx, "mov", { type: "b32" }, [odd, bits]);
  return odd;
}

function floatToFloat(ctx: Context, r: Reg, from: ScalarType, to: ScalarType): Reg {
  if (from === to) return r;
  if (from !== "f64") return fromF32(ctx, to, toF32(ctx, from, r));
  return to === "f32" ? toF32(ctx, from, r) : fromF32(ctx, to, roundedToOdd(ctx, r));
}

/** Towards zero, saturating. The hardware's NaN is 0 only from f32 to at most 32 bits. */
function floatToInteger(ctx: Context, value: Reg, from: ScalarType, to: ScalarType): Reg {
  const wide = from === "f64" ? value : toF32(ctx, from, value);
  const source = from === "f64" ? "f64" : "f32";
  const out = fresh(ctx, classOf(to));
  const target = bitsOf(to) === 8 ? (to === "i8" ? "s8" : "u8") : integerType(to);
  emit(ctx, "cvt", { round: "rzi", to: target, from: source }, [out, wide]);
  if (source === "f64" || bitsOf(to) === 64) {
    const nan = fresh(ctx, "pred");
    emit(ctx, "setp", { is: "nan", type: source }, [nan, wide, wide]);
    emit(ctx, "mov", { type: classOf(to) }, [out, int(0)], when(nan));
  }
  return extended(ctx, to, out);
}

function integerToFloat(ctx: Context, r: Reg, from: ScalarType, to: ScalarType): Reg {
  if (to === "e4m3" || to === "e5m2") return fromF32(ctx, to, integerToFloat(ctx, r, from, "f32")); // what f32 would round is past saturation
  const out = fresh(ctx, classOf(to));
  emit(
    ctx,
    "cvt",
    { round: "rn", to: to === "bf16" ? "bf16" : to === "f16" ? "f16" : to === "f64" ? "f64" : "f32", from: integerType(from) },
    [out, r],
  );
  return out;
}

function integerToInteger(ctx: Context, r: Reg, from: ScalarType, to: ScalarType): Reg {
  if (classOf(from) === classOf(to)) return bitsOf(to) === 8 && from !== to ? extended(ctx, to, r) : r;
  const out = fresh(ctx, classOf(to));
  emit(ctx, "cvt", { to: integerType(bitsOf(to) > bitsOf(from) && isSigned(from) ? signed(to) : to), from: integerType(from) }, [
    out,
    r,
  ]);
  return extended(ctx, to, out);
}

const signed = (type: ScalarType): ScalarType => (bitsOf(type) === 64 ? "i64" : bitsOf(type) === 32 ? "i32" : "i16");

function fromPred(ctx: Context, p: Reg, to: ScalarType): Reg {
  const out = fresh(ctx, classOf(to));
  if (to === "f32" || to === "f64")
    emit(ctx, "selp", { type: to }, [out, to === "f32" ? f32(1) : f64(1), to === "f32" ? f32(0) : f64(0), p]);
  else if (isFloat(to))
    emit(ctx, "selp", { type: "b16" }, [out, int({ f16: 0x3c00, bf16: 0x3f80, e4m3: 0x38, e5m2: 0x3c }[to as "f16"]), int(0), p]);
  else
    emit(ctx, "selp", { type: bitsType(to) === "b64" ? "b64" : bitsType(to) === "b32" ? "b32" : "b16" }, [
      out,
      int(1),
      int(0),
      p,
    ]);
  return out;
}

/** As JavaScript's truthiness: neither 0 nor NaN. */
function toPred(ctx: Context, r: Reg, from: ScalarType): Reg {
  const p = fresh(ctx, "pred");
  if (from === "f64") emit(ctx, "setp", { is: "ne", type: "f64" }, [p, r, f64(0)]);
  else if (isFloat(from)) emit(ctx, "setp", { is: "ne", type: "f32" }, [p, toF32(ctx, from, r), f32(0)]);
  else emit(ctx, "setp", { is: "ne", type: integerType(from) }, [p, r, int(0)]);
  return p;
}

export function convertScalar(ctx: Context, value: Operand, from: ScalarType, to: ScalarType): Operand {
  if (from === to) return value;
  const r = toReg(ctx, value, classOf(from));
  if (from === "pred") return fromPred(ctx, r, to);
  if (to === "pred") return toPred(ctx, r, from);
  if (isInteger(from)) return isInteger(to) ? integerToInteger(ctx, r, from, to) : integerToFloat(ctx, r, from, to);
  return isInteger(to) ? floatToInteger(ctx, r, from, to) : floatToFloat(ctx, r, from, to);
}

function lowerConvert(ctx: Context, op: Op<"convert">): Reg | Imm | undefined {
  const result = op.results[0];
  if (!result) return undefined;
  return convertScalar(ctx, operand(ctx, op.operands.a), op.operands.a.type as ScalarType, result.type as ScalarType);
}

function lowerBitcast(ctx: Context, op: Op<"bitcast">): Reg | Imm | undefined {
  const result = op.results[0];
  const from = op.operands.a.type as ScalarType;
  if (!result) return undefined;
  const to = result.type as ScalarType;
  const r = register(ctx, op.operands.a);
  if (bitsOf(to) === 8) return from === to ? r : extended(ctx, to, r);
  if (classOf(from) === classOf(to)) return r;
  const out = fresh(ctx, classOf(to));
  emit(ctx, "mov", { type: bitsType(to) }, [out, r]);
  return out;
}

function lowerPairPack(ctx: Context, op: Op<"pair.pack">): Reg {
  const { low, high } = op.operands;
  const a = register(ctx, low);
  const b = register(ctx, high);
  const out = fresh(ctx, "b32");
  if (low.type === "f32") emit(ctx, "cvt.pair", { to: op.attrs.type === "f16" ? "f16x2" : "bf16x2", from: "f32" }, [out, b, a]);
  else emit(ctx, "mov.pack", { type: "b32" }, [out, vec([a, b])]);
  return out;
}

function lowerPairUnpack(ctx: Context, op: Op<"pair.unpack">): void {
  const halves = [fresh(ctx, "b16"), fresh(ctx, "b16")] as const;
  emit(ctx, "mov.unpack", { type: "b32" }, [vec(halves), register(ctx, op.operands.pair)]);
  bindScalars(ctx, op.results, halves);
}

export const convertRules = {
  convert: gives(lowerConvert),
  bitcast: gives(lowerBitcast),
  "pair.pack": gives(lowerPairPack),
  "pair.unpack": lowerPairUnpack,
};
