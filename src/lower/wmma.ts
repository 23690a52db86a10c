import type { Op, Value, wmmaOps } from "../ir/index.ts";
import { type Reg, type Vec, vec } from "../ptx/index.ts";
import { addressOf } from "./address.ts";
import { bindScalars, type Context, classOf, emit, fresh, operand, type RuleOf, register } from "./context.ts";

/** PTX's names of the element types. */
const inPtx = { f16: "f16", bf16: "bf16", tf32: "tf32", i8: "s8", u8: "u8", f32: "f32", i32: "s32", f64: "f64" } as const;

const memory = ({ type }: Value): "global" | "shared" => (type === "ptr.global" ? "global" : "shared");

const read = (ctx: Context, values: readonly Value[]): Vec => vec(values.map((v) => register(ctx, v)));

/** Registers for the parts of a matrix that an instruction gives. */
export function fragmentRegs(ctx: Context, values: readonly Value[]): readonly Reg[] {
  return values.map(({ type }) => {
    if (typeof type === "object") throw new TypeError("a fragment is held in registers");
    return fresh(ctx, classOf(type));
  });
}

function lowerLoad(ctx: Context, op: Op<"wmma.load">): void {
  const { ptr, stride } = op.operands;
  const { fragment, layout, shape, type, offset } = op.attrs;
  const regs = fragmentRegs(ctx, op.results);
  emit(ctx, "wmma.load", { fragment, sync: "sync", aligned: "aligned", layout, shape, space: memory(ptr), type: inPtx[type] }, [
    vec(regs),
    addressOf(ctx, ptr, offset),
    operand(ctx, stride),
  ]);
  bindScalars(ctx, op.results, regs);
}

function lowerStore(ctx: Context, op: Op<"wmma.store">): void {
  const { ptr, stride, values } = op.operands;
  const { layout, shape, type, offset } = op.attrs;
  emit(ctx, "wmma.store", { layout, shape, space: memory(ptr), type: inPtx[type] }, [
    addressOf(ctx, ptr, offset),
    read(ctx, values),
    operand(ctx, stride),
  ]);
}

function lowerProduct(ctx: Context, op: Op<"wmma.mma">): void {
  const { shape, aLayout: layoutA, bLayout: layoutB, input, sum, saturate } = op.attrs;
  const [a, b, c] = [op.operands.a, op.operands.b, op.operands.c].map((values) => read(ctx, values)) as [Vec, Vec, Vec];
  const regs = fragmentRegs(ctx, op.results);
  if (input === "f16") {
    const d = sum === "f16" ? sum : "f32";
    emit(ctx, "wmma.mma.half", { layoutA, layoutB, shape, d, c: d }, [vec(regs), a, b, c]);
  } else {
    const [of, d] = [inPtx[input], inPtx[sum]] as const;
    const satfinite = saturate ? "satfinite" : "";
    emit(ctx, "wmma.mma", { layoutA, layoutB, shape, d, a: of, b: of, c: d, satfinite }, [vec(regs), a, b, c]);
  }
  bindScalars(ctx, op.results, regs);
}

export const wmmaRules = {
  "wmma.load": lowerLoad,
  "wmma.store": lowerStore,
  "wmma.mma": lowerProduct,
} satisfies { [K in keyof typeof wmmaOps]: RuleOf<K> };
