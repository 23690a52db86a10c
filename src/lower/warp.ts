import { isSigned, type Op } from "../ir/index.ts";
import { int, pair, type Reg, sink } from "../ptx/index.ts";
import { bindScalar, type Context, emit, fresh, gives, operand, register } from "./context.ts";

/** All 32 lanes. */
const everyLane = int(-1);

function lowerVote(ctx: Context, { operands, attrs: { mode } }: Op<"vote">): Reg {
  const out = fresh(ctx, "pred");
  emit(ctx, "vote.sync", { mode, type: "pred" }, [out, register(ctx, operands.condition), everyLane]);
  return out;
}

/** The bits of a value of 32 or 64 bits in a register for integers. */
function bitsIn(ctx: Context, value: Reg): Reg {
  if (value.cls !== "f32" && value.cls !== "f64") return value;
  const type = value.cls === "f32" ? "b32" : "b64";
  const bits = fresh(ctx, type);
  emit(ctx, "mov", { type }, [bits, value]);
  return bits;
}

const widthOf = (bits: Reg): "b32" | "b64" => (bits.cls === "b64" ? "b64" : "b32");

function lowerMatchAny(ctx: Context, op: Op<"match.any">): Reg {
  const bits = bitsIn(ctx, register(ctx, op.operands.value));
  const out = fresh(ctx, "b32");
  emit(ctx, "match.any", { type: widthOf(bits) }, [out, bits, everyLane]);
  return out;
}

function lowerMatchAll(ctx: Context, op: Op<"match.all">): void {
  const bits = bitsIn(ctx, register(ctx, op.operands.value));
  const out = fresh(ctx, "pred");
  emit(ctx, "match.all", { type: widthOf(bits) }, [pair(sink, out), bits, everyLane]);
  bindScalar(ctx, op.results[0], out);
}

/** Is there one instruction for signed and one for unsigned words? */
const signMatters = { add: true, min: true, max: true, and: false, or: false, xor: false } as const;

function lowerRedux(ctx: Context, op: Op<"redux.sync">): Reg {
  const { value } = op.operands;
  const out = fresh(ctx, "b32");
  const type = !signMatters[op.attrs.op] ? "b32" : isSigned(value.type) ? "s32" : "u32";
  emit(ctx, "redux.sync", { op: op.attrs.op, type }, [out, operand(ctx, value), everyLane]);
  return out;
}

export const warpRules = {
  vote: gives(lowerVote),
  "match.any": gives(lowerMatchAny),
  "match.all": lowerMatchAll,
  "redux.sync": gives(lowerRedux),
};
