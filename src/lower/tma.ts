import type { Op, tmaOps, Value } from "../ir/index.ts";
import { address, outsideNote, type TensorAddress, tensorAddress, vec } from "../ptx/index.ts";
import { addressOf } from "./address.ts";
import { bulkRules, half } from "./bulk.ts";
import { policy } from "./cache-policy.ts";
import { type Context, emit, emitStatement, guardOf, operand, type RuleOf, register } from "./context.ts";
import { tensorMapRules } from "./tensor-map.ts";

const dims = ["1d", "2d", "3d", "4d", "5d"] as const;
const dimOf = (coords: readonly Value[]): (typeof dims)[number] => dims[coords.length - 1] ?? "5d";

function tensorAt(ctx: Context, map: Value, coords: readonly Value[]): TensorAddress {
  return tensorAddress(
    register(ctx, map),
    coords.map((c) => operand(ctx, c)),
  );
}

/** The offsets of an im2col transfer. */
const offsetsOf = (ctx: Context, offsets: readonly Value[]) =>
  offsets.length > 0 ? vec(offsets.map((o) => half(ctx, o))) : undefined;

/** Right before the copy: what its operands take comes first. */
function noteOutside(ctx: Context, outside: boolean | undefined): void {
  if (outside) emitStatement(ctx, outsideNote);
}

function lowerPrefetch(ctx: Context, op: Op<"tma.prefetch">): void {
  const { map, coords, offsets, pred } = op.operands;
  const im2col = offsetsOf(ctx, offsets);
  emit(
    ctx,
    "cp.async.bulk.prefetch.tensor",
    { dim: dimOf(coords), level: "L2", src: "global", mode: im2col ? "im2col" : "tile" },
    [tensorAt(ctx, map, coords), im2col],
    guardOf(ctx, pred),
  );
}

function lowerLoad(ctx: Context, op: Op<"tma.load">): void {
  const { dst, map, bar, coords, offsets, multicast, pred } = op.operands;
  const hint = policy(ctx, op.attrs.cacheHint);
  const im2col = offsetsOf(ctx, offsets);
  const mask = multicast && half(ctx, multicast);
  const guard = guardOf(ctx, pred);
  const [to, from, barrier] = [addressOf(ctx, dst), tensorAt(ctx, map, coords), addressOf(ctx, bar)];
  noteOutside(ctx, op.attrs.outside);
  emit(
    ctx,
    "cp.async.bulk.tensor.load",
    {
      dim: dimOf(coords),
      dst: "shared::cluster",
      src: "global",
      mode: im2col ? "im2col" : "tile",
      completion: "mbarrier::complete_tx::bytes",
      multicast: mask ? "multicast::cluster" : "",
      hint: hint ? "L2::cache_hint" : "",
    },
    [to, from, barrier, im2col, mask, hint],
    guard,
  );
}

/** A store, or a reduction into what the tensor holds. */
function lowerStore(ctx: Context, op: Op<"tma.store" | "tma.reduce">): void {
  const { src, map, coords, pred } = op.operands;
  const hint = policy(ctx, op.attrs.cacheHint);
  const [to, from, guard] = [tensorAt(ctx, map, coords), addressOf(ctx, src), guardOf(ctx, pred)];
  noteOutside(ctx, op.attrs.outside);
  const slots = {
    dim: dimOf(coords),
    dst: "global",
    src: "shared::cta",
    mode: "tile",
    completion: "bulk_group",
    hint: hint ? "L2::cache_hint" : "",
  } as const;
  const reduction = op.name === "tma.reduce" ? (op as Op<"tma.reduce">).attrs.op : undefined;
  if (reduction) emit(ctx, "cp.reduce.async.bulk.tensor", { ...slots, op: reduction }, [to, from, hint], guard);
  else emit(ctx, "cp.async.bulk.tensor.store", slots, [to, from, hint], guard);
}

export const tmaRules = {
  ...bulkRules,
  ...tensorMapRules,
  "prefetch.tensormap": (ctx, op) =>
    emit(ctx, "prefetch.tensormap", {}, [address(register(ctx, op.operands.map))], guardOf(ctx, op.operands.pred)),
  "tma.prefetch": lowerPrefetch,
  "tma.load": lowerLoad,
  "tma.store": lowerStore,
  "tma.reduce": lowerStore,
} satisfies { [K in keyof typeof tmaOps]: RuleOf<K> };
