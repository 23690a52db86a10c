import type { mmaOps, Op, Value } from "../ir/index.ts";
import { vec } from "../ptx/index.ts";
import { bindScalars, type Context, emit, type RuleOf, register } from "./context.ts";
import { fragmentRegs } from "./wmma.ts";

/** PTX's names of the element types. */
const inPtx = { f16: "f16", bf16: "bf16", tf32: "tf32", e4m3: "e4m3", e5m2: "e5m2", i8: "s8", u8: "u8", f64: "f64" } as const;
const sumInPtx = { f16: "f16", f32: "f32", i32: "s32", f64: "f64" } as const;

function lowerProduct(ctx: Context, op: Op<"mma.sync">): void {
  const { k, aType, bType, sum } = op.attrs;
  const read = (values: readonly Value[]) => vec(values.map((v) => register(ctx, v)));
  const regs = fragmentRegs(ctx, op.results);
  const [d, c] = [sumInPtx[sum], sumInPtx[sum]];
  const { a, b, c: sums } = op.operands;
  emit(ctx, "mma", { shape: `m16n8k${k}`, layoutA: "row", layoutB: "col", d, a: inPtx[aType], b: inPtx[bType], c }, [
    vec(regs),
    read(a),
    read(b),
    read(sums),
  ]);
  bindScalars(ctx, op.results, regs);
}

export const mmaRules = { "mma.sync": lowerProduct } satisfies { [K in keyof typeof mmaOps]: RuleOf<K> };
