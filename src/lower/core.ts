import type { Op } from "../ir/index.ts";
import type { coreOps } from "../ir/ops/core.ts";
import { int, pair, type Reg, sink, special } from "../ptx/index.ts";
import { arithmeticRules } from "./arithmetic.ts";
import { bindScalar, type Context, emit, fresh, type RuleOf, register } from "./context.ts";
import { controlRules } from "./control.ts";
import { convertRules } from "./convert.ts";
import { logRules } from "./log.ts";
import { logicRules } from "./logic.ts";

function lowerSreg(ctx: Context, op: Op<"sreg">): void {
  const out = fresh(ctx, "b32");
  emit(ctx, "mov.special", {}, [out, special(op.attrs.reg)]);
  bindScalar(ctx, op.results[0], out);
}

/** x + nx * (y + ny * z) */
function linearThread(ctx: Context): Reg {
  const [nx, ny, nz] = ctx.graph.launch.block;
  const read = (name: "tid.x" | "tid.y" | "tid.z"): Reg => {
    const r = fresh(ctx, "b32");
    emit(ctx, "mov.special", {}, [r, special(name)]);
    return r;
  };
  const x = read("tid.x");
  if (ny === 1 && nz === 1) return x;
  const row = read("tid.y");
  if (nz > 1) emit(ctx, "mad.lo", { type: "u32" }, [row, read("tid.z"), int(ny), row]);
  emit(ctx, "mad.lo", { type: "u32" }, [x, row, int(nx), x]);
  return x;
}

/** Through a shuffle, so that ptxas knows it is the same in the whole warp and branches on it are uniform. */
function lowerWarpIndex(ctx: Context, op: Op<"warp.index">): void {
  const out = fresh(ctx, "b32");
  emit(ctx, "shr", { type: "u32" }, [out, linearThread(ctx), int(5)]);
  emit(ctx, "shfl.sync.idx", {}, [out, out, int(0), int(31), int(-1)]);
  bindScalar(ctx, op.results[0], out);
}

function lowerElect(ctx: Context, op: Op<"elect.sync">): void {
  const out = fresh(ctx, "pred");
  emit(ctx, "elect.sync", {}, [pair(sink, out), int(-1)]);
  bindScalar(ctx, op.results[0], out);
}

function lowerBallot(ctx: Context, op: Op<"vote.ballot">): void {
  const out = fresh(ctx, "b32");
  emit(ctx, "vote.sync.ballot", {}, [out, register(ctx, op.operands.condition), int(-1)]);
  bindScalar(ctx, op.results[0], out);
}

const threadRules = {
  sreg: lowerSreg,
  "warp.index": lowerWarpIndex,
  "elect.sync": lowerElect,
  "vote.ballot": lowerBallot,
  setmaxnreg: (ctx: Context, op: Op<"setmaxnreg">) =>
    emit(ctx, "setmaxnreg", { action: op.attrs.action, rest: "sync.aligned.u32" }, [int(op.attrs.count)]),
  trap: (ctx: Context) => emit(ctx, "trap", {}, []),
};

export const coreRules = {
  ...arithmeticRules,
  ...logicRules,
  ...threadRules,
  ...controlRules,
  ...logRules,
  ...convertRules,
} satisfies { [K in keyof typeof coreOps]: RuleOf<K> };
