import type { Eviction, memoryOps, Op, ScalarType, Value } from "../ir/index.ts";
import { int, type Reg, vec } from "../ptx/index.ts";
import { addressOf, addressRules, spaceOf } from "./address.ts";
import { atomicRules } from "./atomics.ts";
import { policy } from "./cache-policy.ts";
import { bindScalars, type Context, emit, fresh, guardOf, moveZero, operand, type RuleOf, register } from "./context.ts";
import { lowerGridSync } from "./grid-barrier.ts";
import { pack, packedRegisters, packingOf, unpack, vectorOperand } from "./vectors.ts";

const elementType = (values: readonly Value[]): ScalarType => values[0]?.type as ScalarType;

/** What the registers of a predicated load hold where it does not run. */
function presetRegisters(ctx: Context, type: ScalarType, regs: readonly Reg[], other: Value | undefined, elements: number): void {
  if (other === undefined) {
    for (const r of regs) moveZero(ctx, r);
    return;
  }
  const one = register(ctx, other);
  const packed = pack(
    ctx,
    type,
    Array.from({ length: elements }, () => one),
  );
  for (const [i, r] of regs.entries()) {
    const p = packed[i];
    if (p) emit(ctx, "mov", { type: r.cls }, [r, p]);
  }
}

const priorities = {
  first: "L1::evict_first",
  last: "L1::evict_last",
  normal: "L1::evict_normal",
  unchanged: "L1::evict_unchanged",
  noAllocate: "L1::no_allocate",
} as const satisfies Record<Eviction, string>;

const evictionOf = (evict: string | undefined): (typeof priorities)[Eviction] | "" =>
  evict === undefined ? "" : priorities[evict as Eviction];

function lowerLoad(ctx: Context, op: Op<"ld.global" | "ld.shared">): void {
  const type = elementType(op.results);
  const packing = packingOf(type, op.results.length);
  const regs = packedRegisters(ctx, type, packing);
  const { ptr, pred, other } = op.operands;
  const guard = guardOf(ctx, pred);
  if (guard) presetRegisters(ctx, type, regs, other, op.results.length);
  const hints = op.name === "ld.global" ? (op as Op<"ld.global">).attrs : undefined;
  const cache = hints?.cache ?? "";
  const how = cache === "nc" ? ({ nc: "nc" } as const) : { cache };
  const prefetch = hints?.prefetch === undefined ? "" : (`L2::${hints.prefetch as 64 | 128 | 256}B` as const);
  const hint = policy(ctx, hints?.cacheHint);
  emit(
    ctx,
    "ld",
    {
      space: spaceOf(ptr),
      ...how,
      evict: evictionOf(hints?.evict),
      hint: hint ? "L2::cache_hint" : "",
      prefetch,
      vec: packing.vec,
      type: packing.type,
    },
    [vectorOperand(regs), addressOf(ctx, ptr, op.attrs.offset), hint],
    guard,
  );
  bindScalars(ctx, op.results, unpack(ctx, type, regs, op.results.length));
}

/** Values as a store takes them. */
function packed(ctx: Context, values: readonly Value[]) {
  const type = elementType(values);
  const registers = values.map((v) => register(ctx, v));
  return [pack(ctx, type, registers), packingOf(type, values.length)] as const;
}

function lowerStore(ctx: Context, op: Op<"st.global" | "st.shared">): void {
  const { ptr, values, pred } = op.operands;
  const [regs, packing] = packed(ctx, values);
  const hints = op.name === "st.global" ? (op as Op<"st.global">).attrs : undefined;
  const hint = policy(ctx, hints?.cacheHint);
  emit(
    ctx,
    "st",
    {
      space: spaceOf(ptr),
      cache: hints?.cache ?? "",
      evict: evictionOf(hints?.evict),
      hint: hint ? "L2::cache_hint" : "",
      vec: packing.vec,
      type: packing.type,
    },
    [addressOf(ctx, ptr, op.attrs.offset), vectorOperand(regs), hint],
    guardOf(ctx, pred),
  );
}

function lowerAcquire(ctx: Context, op: Op<"ld.acquire">): void {
  const type = elementType(op.results);
  const packing = packingOf(type, op.results.length);
  const regs = packedRegisters(ctx, type, packing);
  const { ptr } = op.operands;
  emit(ctx, "ld.acquire", { scope: op.attrs.scope, space: spaceOf(ptr), vec: packing.vec, type: packing.type }, [
    vectorOperand(regs),
    addressOf(ctx, ptr, op.attrs.offset),
  ]);
  bindScalars(ctx, op.results, unpack(ctx, type, regs, op.results.length));
}

function lowerRelease(ctx: Context, op: Op<"st.release">): void {
  const { ptr, values } = op.operands;
  const [regs, packing] = packed(ctx, values);
  emit(ctx, "st.release", { scope: op.attrs.scope, space: spaceOf(ptr), vec: packing.vec, type: packing.type }, [
    addressOf(ctx, ptr, op.attrs.offset),
    vectorOperand(regs),
  ]);
}

/** Elements of less than 32 bits go in words; the others as their bits. */
function lowerStoreAsync(ctx: Context, op: Op<"st.async">): void {
  const { ptr, values, bar, pred } = op.operands;
  const [regs, packing] = packed(ctx, values);
  const wide = packing.type === "b64" ? "b64" : "b32";
  emit(
    ctx,
    "st.async",
    { space: "shared::cluster", completion: "mbarrier::complete_tx::bytes", vec: packing.vec, type: wide },
    [addressOf(ctx, ptr, op.attrs.offset), vectorOperand(regs), addressOf(ctx, bar)],
    guardOf(ctx, pred),
  );
}

function lowerReduceAsync(ctx: Context, { operands, attrs }: Op<"red.async">): void {
  const { ptr, value, bar, pred } = operands;
  const bits = attrs.op === "and" || attrs.op === "or" || attrs.op === "xor";
  const wide = value.type === "i64" || value.type === "u64";
  emit(
    ctx,
    "red.async",
    {
      space: "shared::cluster",
      completion: "mbarrier::complete_tx::bytes",
      op: attrs.op,
      type: wide ? "u64" : bits ? "b32" : value.type === "i32" ? "s32" : "u32",
    },
    [addressOf(ctx, ptr, attrs.offset), register(ctx, value), addressOf(ctx, bar)],
    guardOf(ctx, pred),
  );
}

function lowerCopy(ctx: Context, op: Op<"cp.async">): void {
  const { dst, src, from, pred } = op.operands;
  const { bytes, to, at, cache } = op.attrs;
  emit(
    ctx,
    "cp.async",
    { cache, dst: "shared", src: "global" },
    [addressOf(ctx, dst, to), addressOf(ctx, src, at), int(bytes), from && operand(ctx, from)],
    guardOf(ctx, pred),
  );
}

const matrices = (count: number): "x1" | "x2" | "x4" => (count === 1 ? "x1" : count === 2 ? "x2" : "x4");

function lowerLdmatrix(ctx: Context, op: Op<"ldmatrix">): void {
  const words = op.results.map(() => fresh(ctx, "b32"));
  emit(ctx, "ldmatrix", { num: matrices(words.length), trans: op.attrs.trans ? "trans" : "", space: "shared", type: "b16" }, [
    vec(words),
    addressOf(ctx, op.operands.ptr, op.attrs.offset),
  ]);
  bindScalars(ctx, op.results, words);
}

function lowerStmatrix(ctx: Context, op: Op<"stmatrix">): void {
  const { ptr, values } = op.operands;
  const words = values.map((v) => {
    const r = register(ctx, v);
    if (r.cls === "b32") return r;
    const word = fresh(ctx, "b32");
    emit(ctx, "mov", { type: "b32" }, [word, r]);
    return word;
  });
  emit(ctx, "stmatrix", { num: matrices(words.length), trans: op.attrs.trans ? "trans" : "", space: "shared", type: "b16" }, [
    addressOf(ctx, ptr, op.attrs.offset),
    vec(words),
  ]);
}

function lowerBarrier(ctx: Context, op: Op<"bar.sync">): void {
  const { count } = op.attrs;
  emit(ctx, "bar.sync", {}, [operand(ctx, op.operands.id), count === 0 ? undefined : int(count)]);
}

function lowerArrive(ctx: Context, op: Op<"bar.arrive">): void {
  const { count } = op.attrs;
  const all = ctx.graph.launch.block.reduce((a, b) => a * b, 1);
  emit(ctx, "bar.arrive", {}, [operand(ctx, op.operands.id), int(count === 0 ? Math.ceil(all / 32) * 32 : count)]);
}

export const memoryRules = {
  ...addressRules,
  ...atomicRules,
  "ld.global": lowerLoad,
  "ld.shared": lowerLoad,
  "st.global": lowerStore,
  "st.shared": lowerStore,
  "prefetch.global": (ctx: Context, op: Op<"prefetch.global">) => {
    const { level, evict } = op.attrs;
    const place = evict === "" ? level : (`L2::evict_${evict}` as const);
    emit(ctx, "prefetch", { space: "global", level: place }, [addressOf(ctx, op.operands.ptr)], guardOf(ctx, op.operands.pred));
  },
  "st.async": lowerStoreAsync,
  "red.async": lowerReduceAsync,
  "cp.async": lowerCopy,
  "cp.async.commit_group": (ctx: Context) => emit(ctx, "cp.async.commit_group", {}, []),
  "cp.async.wait_group": (ctx: Context, op: Op<"cp.async.wait_group">) =>
    emit(ctx, "cp.async.wait_group", {}, [int(op.attrs.pending)]),
  "ld.acquire": lowerAcquire,
  "st.release": lowerRelease,
  ldmatrix: lowerLdmatrix,
  stmatrix: lowerStmatrix,
  "bar.sync": lowerBarrier,
  "bar.arrive": lowerArrive,
  "bar.warp.sync": (ctx: Context, op: Op<"bar.warp.sync">) => emit(ctx, "bar.warp.sync", {}, [int(op.attrs.mask | 0)]),
  "barrier.cluster.arrive": (ctx: Context, op: Op<"barrier.cluster.arrive">) =>
    emit(ctx, "barrier.cluster.arrive", { order: op.attrs.order, rest: "aligned" }, []),
  "barrier.cluster.wait": (ctx: Context) => emit(ctx, "barrier.cluster.wait", {}, []),
  "grid.sync": (ctx: Context) => lowerGridSync(ctx),
  "griddepcontrol.wait": (ctx: Context) => emit(ctx, "griddepcontrol", { action: "wait" }, []),
  "griddepcontrol.launch_dependents": (ctx: Context) => emit(ctx, "griddepcontrol", { action: "launch_dependents" }, []),
  "fence.proxy.async": (ctx: Context, op: Op<"fence.proxy.async">) =>
    emit(ctx, "fence.proxy.async", { space: op.attrs.space }, []),
  fence: (ctx: Context, op: Op<"fence">) => emit(ctx, "fence", { order: op.attrs.order, scope: op.attrs.scope }, []),
} satisfies { [K in keyof typeof memoryOps]: RuleOf<K> };
