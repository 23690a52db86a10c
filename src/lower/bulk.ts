import { bitsOf, isFloat, isSigned, type Op, type ScalarType, type Value } from "../ir/index.ts";
import { type FormModifiers, int, type Reg } from "../ptx/index.ts";
import { addressOf } from "./address.ts";
import { policy } from "./cache-policy.ts";
import { type Context, emit, guardOf, operand, toReg } from "./context.ts";
import { convertScalar } from "./convert.ts";

/** A number of 16 bits: a multicast mask, an im2col offset. */
export const half = (ctx: Context, v: Value): Reg =>
  toReg(ctx, convertScalar(ctx, operand(ctx, v), v.type as ScalarType, "u16"), "b16");

function lowerLoad(ctx: Context, op: Op<"bulk.load">): void {
  const { dst, src, bytes, bar, multicast, pred } = op.operands;
  const hint = policy(ctx, op.attrs.cacheHint);
  const mask = multicast && half(ctx, multicast);
  emit(
    ctx,
    "cp.async.bulk.load",
    {
      dst: "shared::cluster",
      src: "global",
      completion: "mbarrier::complete_tx::bytes",
      multicast: mask ? "multicast::cluster" : "",
      hint: hint ? "L2::cache_hint" : "",
    },
    [addressOf(ctx, dst), addressOf(ctx, src), operand(ctx, bytes), addressOf(ctx, bar), mask, hint],
    guardOf(ctx, pred),
  );
}

function lowerPeer(ctx: Context, op: Op<"bulk.peer">): void {
  const { dst, src, bytes, bar, pred } = op.operands;
  emit(
    ctx,
    "cp.async.bulk.peer",
    { dst: "shared::cluster", src: "shared::cta", completion: "mbarrier::complete_tx::bytes" },
    [addressOf(ctx, dst), addressOf(ctx, src), operand(ctx, bytes), addressOf(ctx, bar)],
    guardOf(ctx, pred),
  );
}

function lowerStore(ctx: Context, op: Op<"bulk.store">): void {
  const { dst, src, bytes, pred } = op.operands;
  const hint = policy(ctx, op.attrs.cacheHint);
  emit(
    ctx,
    "cp.async.bulk.store",
    { dst: "global", src: "shared::cta", completion: "bulk_group", hint: hint ? "L2::cache_hint" : "" },
    [addressOf(ctx, dst), addressOf(ctx, src), operand(ctx, bytes), hint],
    guardOf(ctx, pred),
  );
}

type Reduction = Op<"bulk.reduce">["attrs"]["op"];

/** How the instruction spells the type: bits of bitwise operations, and no sign where a sum has none. */
function reducedType(op: Reduction, type: ScalarType): FormModifiers<"cp.reduce.async.bulk">["type"] {
  if (isFloat(type)) return type as "f16" | "bf16" | "f32" | "f64";
  const wide = bitsOf(type) === 64;
  if (op === "and" || op === "or" || op === "xor") return wide ? "b64" : "b32";
  if (op === "add" && wide) return "u64";
  return isSigned(type) ? (wide ? "s64" : "s32") : wide ? "u64" : "u32";
}

function lowerReduce(ctx: Context, { operands, attrs }: Op<"bulk.reduce">): void {
  const { dst, src, bytes, pred } = operands;
  const hint = policy(ctx, attrs.cacheHint);
  const type = reducedType(attrs.op, attrs.type as ScalarType);
  const noftz = attrs.op === "add" && (type === "f16" || type === "bf16") ? "noftz" : "";
  emit(
    ctx,
    "cp.reduce.async.bulk",
    {
      dst: "global",
      src: "shared::cta",
      completion: "bulk_group",
      hint: hint ? "L2::cache_hint" : "",
      op: attrs.op,
      noftz,
      type,
    },
    [addressOf(ctx, dst), addressOf(ctx, src), operand(ctx, bytes), hint],
    guardOf(ctx, pred),
  );
}

function lowerPrefetch(ctx: Context, op: Op<"bulk.prefetch">): void {
  const { src, bytes, pred } = op.operands;
  emit(ctx, "cp.async.bulk.prefetch", {}, [addressOf(ctx, src), operand(ctx, bytes)], guardOf(ctx, pred));
}

/** Bulk copies without a tensor map, and groups of bulk copies. */
export const bulkRules = {
  "bulk.load": lowerLoad,
  "bulk.peer": lowerPeer,
  "bulk.store": lowerStore,
  "bulk.reduce": lowerReduce,
  "bulk.prefetch": lowerPrefetch,
  "bulk.commit_group": (ctx: Context) => emit(ctx, "cp.async.bulk.commit_group", {}, []),
  "bulk.wait_group": (ctx: Context, op: Op<"bulk.wait_group">) =>
    emit(ctx, "cp.async.bulk.wait_group", { read: op.attrs.read ? "read" : "" }, [int(op.attrs.pending)]),
};
