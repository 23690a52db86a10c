import type { Op } from "../ir/index.ts";
import { int, pair, type Reg, sink, vec } from "../ptx/index.ts";
import { bindScalar, type Context, emit, fresh, gives, operand, register } from "./context.ts";
import { readSpecial } from "./special-register.ts";

function lowerSreg(ctx: Context, op: Op<"sreg">): void {
  bindScalar(ctx, op.results[0], readSpecial(ctx, op.attrs.reg));
}

/** x + nx * (y + ny * z) */
export function linearThread(ctx: Context): Reg {
  const [nx, ny, nz] = ctx.graph.launch.block;
  const x = readSpecial(ctx, "tid.x");
  if (ny === 1 && nz === 1) return x;
  const row = readSpecial(ctx, "tid.y");
  if (nz > 1) emit(ctx, "mad.lo", { type: "u32" }, [row, readSpecial(ctx, "tid.z"), int(ny), row]);
  emit(ctx, "mad.lo", { type: "u32" }, [x, row, int(nx), x]);
  return x;
}

/** Through a shuffle, so that ptxas knows it is the same in the whole warp and branches on it are uniform. */
function lowerWarpIndex(ctx: Context, op: Op<"warp.index">): void {
  const out = fresh(ctx, "b32");
  emit(ctx, "shr", { type: "u32" }, [out, linearThread(ctx), int(5)]);
  emit(ctx, "shfl.sync", { mode: "idx", type: "b32" }, [out, out, int(0), int(31), int(-1)]);
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

/** A value of at most 32 bits as a word, and as what the word stands for. */
const words = {
  pred: {
    to: (ctx: Context, r: Reg, w: Reg) => emit(ctx, "selp", { type: "b32" }, [w, int(1), int(0), r]),
    from: (ctx: Context, w: Reg, r: Reg) => emit(ctx, "setp", { is: "ne", type: "s32" }, [r, w, int(0)]),
  },
  b16: {
    to: (ctx: Context, r: Reg, w: Reg) => emit(ctx, "mov.pack", { type: "b32" }, [w, vec([r, r])]),
    from: (ctx: Context, w: Reg, r: Reg) => emit(ctx, "mov.unpack", { type: "b32" }, [vec([r, sink]), w]),
  },
  f32: {
    to: (ctx: Context, r: Reg, w: Reg) => emit(ctx, "mov", { type: "b32" }, [w, r]),
    from: (ctx: Context, w: Reg, r: Reg) => emit(ctx, "mov", { type: "b32" }, [r, w]),
  },
} as const;

/** One word from another lane. The bound is the last lane, for `up` the first one: PTX ISA 9.7.9.6. */
function shuffleWord(ctx: Context, { operands, attrs: { mode } }: Op<"shfl">, word: Reg): Reg {
  const out = fresh(ctx, "b32");
  emit(ctx, "shfl.sync", { mode, type: "b32" }, [out, word, operand(ctx, operands.by), int(mode === "up" ? 0 : 31), int(-1)]);
  return out;
}

/** Words of 32 bits move: narrower values fill one, those of 64 bits are two, a predicate is 1 or 0. */
function lowerShuffle(ctx: Context, op: Op<"shfl">): Reg {
  const value = register(ctx, op.operands.value);
  const { cls } = value;
  if (cls === "b32") return shuffleWord(ctx, op, value);
  const out = fresh(ctx, cls);
  if (cls === "b64" || cls === "f64") {
    const [low, high] = [fresh(ctx, "b32"), fresh(ctx, "b32")];
    emit(ctx, "mov.unpack", { type: "b64" }, [vec([low, high]), value]);
    emit(ctx, "mov.pack", { type: "b64" }, [out, vec([shuffleWord(ctx, op, low), shuffleWord(ctx, op, high)])]);
    return out;
  }
  const word = fresh(ctx, "b32");
  words[cls].to(ctx, value, word);
  words[cls].from(ctx, shuffleWord(ctx, op, word), out);
  return out;
}

export const threadRules = {
  sreg: lowerSreg,
  "warp.index": lowerWarpIndex,
  "elect.sync": lowerElect,
  "vote.ballot": lowerBallot,
  shfl: gives(lowerShuffle),
  setmaxnreg: (ctx: Context, op: Op<"setmaxnreg">) =>
    emit(ctx, "setmaxnreg", { action: op.attrs.action, rest: "sync.aligned.u32" }, [int(op.attrs.count)]),
  trap: (ctx: Context) => emit(ctx, "trap", {}, []),
};
