import { bitsOf, isFloat, isInteger, isSigned, type Op, type ScalarType } from "../ir/index.ts";
import { type FormModifiers, type Reg, vec } from "../ptx/index.ts";
import { addressOf, spaceOf } from "./address.ts";
import { floatExtreme, integerBinary } from "./arithmetic.ts";
import {
  bindScalar,
  branch,
  type Context,
  classOf,
  emit,
  fresh,
  guardOf,
  nextLabel,
  placeLabel,
  register,
  toReg,
  unless,
} from "./context.ts";
import { fail } from "./errors.ts";
import { bitsType, floatType } from "./ptx-types.ts";

type AtomicOp = Op<"atom">["attrs"]["op"];
type AtomType = FormModifiers<"atom">["type"];

/** The type that the instruction works in, where the hardware has that operation on that type (PTX ISA 9.7.13.5). */
function nativeType(what: AtomicOp, type: ScalarType): AtomType | undefined {
  const width = bitsOf(type);
  if (what === "exch") return width === 64 ? "b64" : width === 32 ? "b32" : undefined;
  if (isFloat(type)) return what === "add" ? floatType(type) : undefined;
  if (width < 32) return undefined;
  if (what === "and" || what === "or" || what === "xor") return width === 64 ? "b64" : "b32";
  if (what === "inc" || what === "dec") return width === 32 ? "u32" : undefined;
  const unsigned = width === 64 ? "u64" : "u32";
  return isSigned(type) && what !== "add" ? (width === 64 ? "s64" : "s32") : what === "add" && type === "i32" ? "s32" : unsigned;
}

/** What an atomic operation without an instruction of its own writes. */
function combined(ctx: Context, op: Op<"atom">, type: ScalarType, old: Reg, value: Reg): Reg | undefined {
  const what = op.attrs.op;
  const float = floatType(type);
  if (what === "exch") return value;
  if ((what === "min" || what === "max") && float)
    return floatExtreme(ctx, what === "min" ? "min.float" : "max.float", float, old, value);
  if (!isInteger(type)) return undefined;
  if (what === "add") return integerBinary(ctx, "add", type, old, value);
  if (what === "min" || what === "max") return integerBinary(ctx, what === "min" ? "min.int" : "max.int", type, old, value);
  if (what === "inc" || what === "dec") return undefined;
  const out = fresh(ctx, "b16");
  emit(ctx, what, { type: "b16" }, [out, old, value]);
  return out;
}

/** Tries until nobody has written in between. */
function lowerAtomLoop(ctx: Context, op: Op<"atom">, type: ScalarType): void {
  const { ptr, value, pred } = op.operands;
  const { offset, scope, order } = op.attrs;
  const bits = bitsType(type);
  if (bits === "pred" || bitsOf(type) === 8) fail("W6800", { operation: op.attrs.op, type }, op.spans);
  const name = nextLabel(ctx, "atom");
  const guard = guardOf(ctx, pred);
  const at = addressOf(ctx, ptr, offset);
  const given = register(ctx, value);
  const [old, seen, wanted, same] = [fresh(ctx, classOf(type)), fresh(ctx, bits), fresh(ctx, bits), fresh(ctx, "pred")];
  if (guard) branch(ctx, `${name}_end`, { ...guard, negate: true });
  emit(ctx, "ld.relaxed", { scope, space: spaceOf(ptr), type: bits }, [wanted, at]);
  placeLabel(ctx, name);
  emit(ctx, "mov", { type: bits }, [old, wanted]);
  const next = combined(ctx, op, type, old, given);
  if (!next) fail("W6800", { operation: op.attrs.op, type }, op.spans);
  emit(ctx, "atom.cas", { order, scope, space: spaceOf(ptr), op: "cas", type: bits }, [
    seen,
    at,
    wanted,
    bitsIn(ctx, next, bits),
  ]);
  emit(ctx, "setp", { is: "eq", type: bits }, [same, seen, wanted]);
  emit(ctx, "mov", { type: bits }, [wanted, seen]);
  branch(ctx, name, unless(same));
  if (guard) placeLabel(ctx, `${name}_end`);
  bindScalar(ctx, op.results[0], old);
}

function bitsIn(ctx: Context, r: Reg, cls: "b16" | "b32" | "b64"): Reg {
  if (r.cls === cls) return r;
  const out = fresh(ctx, cls);
  emit(ctx, "mov", { type: cls }, [out, r]);
  return out;
}

function lowerAtom(ctx: Context, op: Op<"atom">): void {
  const { ptr, value, pred } = op.operands;
  const { op: what, offset, scope, order } = op.attrs;
  const scalar = value.type as ScalarType;
  const type = nativeType(what, scalar);
  if (type === undefined) {
    lowerAtomLoop(ctx, op, scalar);
    return;
  }
  const out = fresh(ctx, classOf(scalar));
  const noftz = type === "f16" || type === "bf16" ? "noftz" : "";
  emit(
    ctx,
    "atom",
    { order, scope, space: spaceOf(ptr), op: what, noftz, type },
    [out, addressOf(ctx, ptr, offset), toReg(ctx, register(ctx, value), classOf(scalar))],
    guardOf(ctx, pred),
  );
  bindScalar(ctx, op.results[0], out);
}

function lowerCas(ctx: Context, op: Op<"atom.cas">): void {
  const { ptr, expected, value } = op.operands;
  const { offset, scope, order } = op.attrs;
  const scalar = value.type as ScalarType;
  const type = bitsType(scalar);
  if (type === "pred" || bitsOf(scalar) === 8) fail("W6800", { operation: "cas", type: scalar }, op.spans);
  const out = fresh(ctx, classOf(scalar));
  emit(ctx, "atom.cas", { order, scope, space: spaceOf(ptr), op: "cas", type }, [
    out,
    addressOf(ctx, ptr, offset),
    register(ctx, expected),
    register(ctx, value),
  ]);
  bindScalar(ctx, op.results[0], out);
}

/** Element by element, or neighbours of f32, f16 and bf16 at once. */
function lowerRed(ctx: Context, { operands: { ptr, values, pred }, attrs, spans }: Op<"red">): void {
  const { op: what, offset, scope, order } = attrs;
  const scalar = values[0]?.type as ScalarType;
  const half = scalar === "f16" || scalar === "bf16" ? scalar : undefined;
  const noftz = half ? "noftz" : "";
  const regs = values.map((v) => toReg(ctx, register(ctx, v), classOf(scalar)));
  const [at, guard] = [addressOf(ctx, ptr, offset), guardOf(ctx, pred)];
  if (regs.length > 1) {
    const how = { vec: `v${regs.length as 2 | 4 | 8}`, type: half ?? "f32", op: what as "add" | "min" | "max" } as const;
    emit(ctx, "red.vec", { order, scope, space: "global", noftz, ...how }, [at, vec(regs)], guard);
    return;
  }
  const type = nativeType(what, scalar);
  const [one] = regs;
  if (type === undefined || !one) fail("W6800", { operation: what, type: scalar }, spans);
  emit(ctx, "red", { order, scope, space: spaceOf(ptr), op: what, noftz, type }, [at, one], guard);
}

export const atomicRules = { red: lowerRed, atom: lowerAtom, "atom.cas": lowerCas };
