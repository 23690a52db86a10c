import type { Op, Value } from "../ir/index.ts";
import { address, int, type Reg, special } from "../ptx/index.ts";
import { addressOf } from "./address.ts";
import { bindScalar, type Context, emit, fresh, operand, register, toReg, when } from "./context.ts";

/** Bytes of a tensor map. */
const mapBytes = 128;

/** The address `lane` words further on. */
function wordOf(ctx: Context, base: Reg, lane: Reg): Reg {
  const wide = base.cls === "b64";
  const at = fresh(ctx, base.cls);
  const by = fresh(ctx, "b32");
  emit(ctx, "shl", { type: "b32" }, [by, lane, int(2)]);
  if (!wide) {
    emit(ctx, "add", { type: "s32" }, [at, base, by]);
    return at;
  }
  emit(ctx, "cvt", { to: "u64", from: "u32" }, [at, by]);
  emit(ctx, "add", { type: "s64" }, [at, base, at]);
  return at;
}

/** The fields that one lane changes in shared memory. */
function changeFields(ctx: Context, { operands }: Op<"tensormap.make">, first: Reg): void {
  const { through, address: base, extents, strides } = operands;
  const [at, only] = [addressOf(ctx, through), when(first)];
  const how = { space: "shared::cta", object: "b1024" } as const;
  const each = (values: readonly Value[], field: "global_dim" | "global_stride", type: "b32" | "b64"): void => {
    for (const [d, value] of values.entries())
      emit(ctx, "tensormap.replace.dimension", { ...how, field, type }, [at, int(d), register(ctx, value)], only);
  };
  if (base) emit(ctx, "tensormap.replace", { ...how, field: "global_address", type: "b64" }, [at, register(ctx, base)], only);
  each(extents, "global_dim", "b32");
  each(strides, "global_stride", "b64");
}

function lowerReplace(ctx: Context, op: Op<"tensormap.make">): void {
  const { from, to, through } = op.operands;
  const [lane, word, first] = [fresh(ctx, "b32"), fresh(ctx, "b32"), fresh(ctx, "pred")];
  const meet = (): void => emit(ctx, "bar.warp.sync", {}, [int(-1)]);
  emit(ctx, "mov.special", {}, [lane, special("laneid")]);
  emit(ctx, "setp", { is: "eq", type: "b32" }, [first, lane, int(0)]);
  emit(ctx, "ld.generic", { type: "b32" }, [word, address(wordOf(ctx, register(ctx, from), lane))]);
  meet();
  const place = toReg(ctx, operand(ctx, through), "b32");
  emit(ctx, "st", { space: "shared", cache: "", evict: "", vec: "", type: "b32" }, [address(wordOf(ctx, place, lane)), word]);
  meet();
  changeFields(ctx, op, first);
  meet();
  emit(ctx, "tensormap.cp_fenceproxy", {}, [address(register(ctx, to)), addressOf(ctx, through), int(mapBytes)]);
}

/** Tensor maps that a kernel changes: in shared memory, and from there to global memory, where copies read them. */
export const tensorMapRules = {
  "tensormap.at": (ctx: Context, op: Op<"tensormap.at">) => bindScalar(ctx, op.results[0], register(ctx, op.operands.ptr)),
  "tensormap.make": lowerReplace,
  "fence.proxy.tensormap": (ctx: Context, op: Op<"fence.proxy.tensormap">) =>
    emit(ctx, "fence.proxy.tensormap", { scope: "gpu" }, [address(register(ctx, op.operands.map)), int(mapBytes)]),
};
