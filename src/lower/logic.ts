import { isFloat, type Op, type ScalarType } from "../ir/index.ts";
import { type Imm, int, type Reg } from "../ptx/index.ts";
import { bind, type Context, classOf, emit, fresh, gives, lowered, operand, register } from "./context.ts";
import { extended, toF32 } from "./convert.ts";
import { slotFor } from "./moves.ts";
import { bitsType, floatType, integerType } from "./ptx-types.ts";

function lowerBitwise(ctx: Context, op: Op<"and" | "or" | "xor">): Reg | Imm {
  const type = bitsType(op.operands.a.type);
  const out = fresh(ctx, type);
  const [a, b] =
    type === "pred"
      ? [register(ctx, op.operands.a), register(ctx, op.operands.b)]
      : [operand(ctx, op.operands.a), operand(ctx, op.operands.b)];
  emit(ctx, op.name, { type }, [out, a, b]);
  return out;
}

function lowerNot(ctx: Context, op: Op<"not">): Reg | Imm {
  const type = bitsType(op.operands.a.type);
  const out = fresh(ctx, type);
  emit(ctx, "not", { type }, [out, register(ctx, op.operands.a)]);
  return type === "pred" ? out : extended(ctx, op.operands.a.type as ScalarType, out);
}

/** false is less than true. */
function comparePreds(ctx: Context, is: Op<"cmp">["attrs"]["is"], a: Reg, b: Reg): Reg {
  const out = fresh(ctx, "pred");
  const negated = fresh(ctx, "pred");
  if (is === "eq" || is === "ne") {
    emit(ctx, "xor", { type: "pred" }, [out, a, b]);
    if (is === "eq") emit(ctx, "not", { type: "pred" }, [out, out]);
    return out;
  }
  emit(ctx, "not", { type: "pred" }, [negated, is === "lt" || is === "le" ? a : b]);
  emit(ctx, is === "lt" || is === "gt" ? "and" : "or", { type: "pred" }, [out, negated, is === "lt" || is === "le" ? b : a]);
  return out;
}

function lowerCmp(ctx: Context, op: Op<"cmp">): Reg | Imm {
  const { a, b } = op.operands;
  const { is } = op.attrs;
  if (a.type === "pred") return comparePreds(ctx, is, register(ctx, a), register(ctx, b));
  const out = fresh(ctx, "pred");
  const native = floatType(a.type);
  const ordered = is === "ne" ? "neu" : is; // with NaN, only "not equal" holds
  if (native !== undefined) emit(ctx, "setp", { is: ordered, type: native }, [out, operand(ctx, a), operand(ctx, b)]);
  else if (isFloat(a.type)) {
    const [x, y] = [a, b].map((v) => toF32(ctx, v.type as ScalarType, register(ctx, v)));
    if (x && y) emit(ctx, "setp", { is: ordered, type: "f32" }, [out, x, y]);
  } else emit(ctx, "setp", { is, type: integerType(a.type) }, [out, operand(ctx, a), operand(ctx, b)]);
  return out;
}

function selectPreds(ctx: Context, condition: Reg, yes: Reg, no: Reg): Reg {
  const [out, other] = [fresh(ctx, "pred"), fresh(ctx, "pred")];
  emit(ctx, "not", { type: "pred" }, [other, condition]);
  emit(ctx, "and", { type: "pred" }, [other, other, no]);
  emit(ctx, "and", { type: "pred" }, [out, condition, yes]);
  emit(ctx, "or", { type: "pred" }, [out, out, other]);
  return out;
}

/** Descriptors and accumulators, register by register. */
function selectParts(ctx: Context, op: Op<"select">, condition: Reg): void {
  const result = op.results[0];
  const [yes, no] = [lowered(ctx, op.operands.yes), lowered(ctx, op.operands.no)];
  if (!result) return;
  const slot = slotFor(ctx, result);
  const pick = (out: Reg, a: Reg | undefined, b: Reg | undefined) => {
    if (a && b && out.cls !== "pred" && !(out === a && out === b)) emit(ctx, "selp", { type: out.cls }, [out, a, b, condition]);
  };
  if (slot.kind === "acc" && yes.kind === "acc" && no.kind === "acc")
    for (const [i, out] of slot.regs.entries()) pick(out, yes.regs[i], no.regs[i]);
  if (slot.kind === "desc" && yes.kind === "desc" && no.kind === "desc") {
    const [a, b] = [yes, no].map((d) => {
      const low = fresh(ctx, "b32");
      emit(ctx, "add", { type: "s32" }, [low, d.low, int(d.offset)]);
      return low;
    });
    pick(slot.low, a, b);
    pick(slot.high, yes.high, no.high);
  }
  bind(ctx, result, slot);
}

function lowerSelect(ctx: Context, op: Op<"select">): Reg | undefined {
  const { condition, yes, no } = op.operands;
  const { type } = yes;
  const p = register(ctx, condition);
  if (typeof type === "object" || type === "desc") {
    selectParts(ctx, op, p);
    return undefined;
  }
  const cls = classOf(type);
  if (cls === "pred") return selectPreds(ctx, p, register(ctx, yes), register(ctx, no));
  const out = fresh(ctx, cls);
  emit(ctx, "selp", { type: cls }, [out, operand(ctx, yes), operand(ctx, no), p]);
  return out;
}

export const logicRules = {
  and: gives(lowerBitwise),
  or: gives(lowerBitwise),
  xor: gives(lowerBitwise),
  not: gives(lowerNot),
  cmp: gives(lowerCmp),
  select: gives(lowerSelect),
};
