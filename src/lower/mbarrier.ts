import type { mbarrierOps, Op, Value } from "../ir/index.ts";
import { type Imm, int, type Reg, sink } from "../ptx/index.ts";
import { addressOf, pointer } from "./address.ts";
import {
  bind,
  bindScalar,
  branch,
  type Context,
  emit,
  fresh,
  guardOf,
  nextLabel,
  operand,
  placeLabel,
  type RuleOf,
  unless,
} from "./context.ts";

/** The parity as the number that the instruction takes. */
export function parityOf(ctx: Context, parity: Value): Reg | Imm {
  const p = operand(ctx, parity);
  if (p.kind === "imm" || p.cls === "b32") return p;
  const out = fresh(ctx, "b32");
  emit(ctx, "selp", { type: "b32" }, [out, int(1), int(0), p]);
  return out;
}

const blockOf = (bar: Value): "shared::cta" | "shared::cluster" =>
  bar.type === "ptr.cluster" ? "shared::cluster" : "shared::cta";

/** A shift that is known is the same on the other side: it stays apart from the register. */
function lowerMapa(ctx: Context, op: Op<"mapa">): void {
  const { base, offset } = pointer(ctx, op.operands.ptr);
  const there = fresh(ctx, "b32");
  emit(ctx, "mapa", {}, [there, base, operand(ctx, op.operands.rank)]);
  bind(ctx, op.results[0], { kind: "pointer", base: there, offset });
}

/** Without `.release.cluster`: the default orders as much as barriers need, and the explicit form costs a fence of the whole GPU. */
function lowerArrive(ctx: Context, op: Op<"mbarrier.arrive" | "mbarrier.arrive.remote">): void {
  const { bar, count, pred } = op.operands;
  emit(
    ctx,
    "mbarrier.arrive",
    { space: blockOf(bar), type: "b64" },
    [sink, addressOf(ctx, bar), count && operand(ctx, count)],
    guardOf(ctx, pred),
  );
}

function lowerTest(ctx: Context, op: Op<"mbarrier.test_wait" | "mbarrier.try_wait">): void {
  const done = fresh(ctx, "pred");
  emit(ctx, op.name, {}, [done, addressOf(ctx, op.operands.bar), parityOf(ctx, op.operands.parity)]);
  bindScalar(ctx, op.results[0], done);
}

function lowerWait(ctx: Context, op: Op<"mbarrier.wait">): void {
  const done = fresh(ctx, "pred");
  const parity = parityOf(ctx, op.operands.parity);
  const name = nextLabel(ctx, "wait");
  placeLabel(ctx, name);
  emit(ctx, "mbarrier.try_wait", {}, [done, addressOf(ctx, op.operands.bar), parity]);
  branch(ctx, name, unless(done));
}

export const mbarrierRules = {
  "mbarrier.init": (ctx, op) =>
    emit(ctx, "mbarrier.init", {}, [addressOf(ctx, op.operands.bar), operand(ctx, op.operands.count)]),
  "mbarrier.inval": (ctx, op) => emit(ctx, "mbarrier.inval", {}, [addressOf(ctx, op.operands.bar)]),
  "mbarrier.arrive": lowerArrive,
  "mbarrier.arrive.expect_tx": (ctx, op) => {
    const { bar, tx, pred } = op.operands;
    emit(
      ctx,
      "mbarrier.arrive.expect_tx",
      { space: blockOf(bar), type: "b64" },
      [sink, addressOf(ctx, bar), operand(ctx, tx)],
      guardOf(ctx, pred),
    );
  },
  "cp.async.mbarrier.arrive": (ctx, op) =>
    emit(ctx, "cp.async.mbarrier.arrive", { noinc: op.attrs.counted ? "noinc" : "", space: "shared::cta", type: "b64" }, [
      addressOf(ctx, op.operands.bar),
    ]),
  mapa: lowerMapa,
  "mbarrier.arrive.remote": lowerArrive,
  "mbarrier.expect_tx": (ctx, op) => {
    const { bar, tx, pred } = op.operands;
    const scope = bar.type === "ptr.cluster" ? "cluster" : "cta";
    emit(
      ctx,
      "mbarrier.expect_tx",
      { scope, space: blockOf(bar), type: "b64" },
      [addressOf(ctx, bar), operand(ctx, tx)],
      guardOf(ctx, pred),
    );
  },
  "mbarrier.test_wait": lowerTest,
  "mbarrier.try_wait": lowerTest,
  "mbarrier.wait": lowerWait,
  "fence.mbarrier_init": (ctx) => emit(ctx, "fence.mbarrier_init", {}, []),
} satisfies { [K in keyof typeof mbarrierOps]: RuleOf<K> };
