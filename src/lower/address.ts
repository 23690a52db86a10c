import { isInteger, type Op, type Value } from "../ir/index.ts";
import { type Address, address, int, type Reg, symbol } from "../ptx/index.ts";
import { bind, type Context, emit, emitFirst, fresh, lowered, operand, sharedRegister } from "./context.ts";

/** The name of the block's shared memory in PTX. */
export const sharedSymbol = "smem";

/** Offsets up to here stay in the address. */
const farthest = 2 ** 30;

/** An address as base + offset. */
export function pointer(ctx: Context, value: Value): { readonly base: Reg; readonly offset: number } {
  const l = lowered(ctx, value);
  if (l.kind !== "pointer") throw new TypeError(`value ${value.id} is no address`);
  return l;
}

/** `[ptr + offset]` */
export function addressOf(ctx: Context, value: Value, offset = 0): Address {
  const { base, offset: known } = pointer(ctx, value);
  return address(base, known + offset);
}

/** Space of a pointer, as loads and stores name it. */
export function spaceOf(value: Value): "global" | "shared" | "shared::cluster" {
  if (value.type === "ptr.global") return "global";
  return value.type === "ptr.cluster" ? "shared::cluster" : "shared";
}

function extendOffset(ctx: Context, by: Value, wide: boolean): Reg | undefined {
  const r = operand(ctx, by);
  if (r.kind !== "reg" || !isInteger(by.type)) return undefined;
  if ((r.cls === "b64") === wide) return r;
  const out = fresh(ctx, wide ? "b64" : "b32");
  if (!wide) emit(ctx, "cvt", { to: "u32", from: "u64" }, [out, r]);
  else emit(ctx, "cvt", by.type === "u32" ? { to: "u64", from: "u32" } : { to: "s64", from: "s32" }, [out, r]);
  return out;
}

function lowerPtrAdd(ctx: Context, op: Op<"ptr.add">): void {
  const { ptr, by } = op.operands;
  const { base, offset } = pointer(ctx, ptr);
  const literal = ctx.literals.get(by.id);
  const sum = offset + Number(literal ?? 0);
  if (literal !== undefined && Math.abs(sum) < farthest) {
    bind(ctx, op.results[0], { kind: "pointer", base, offset: sum });
    return;
  }
  const wide = base.cls === "b64";
  const moved = fresh(ctx, base.cls);
  const distance = literal !== undefined ? int(BigInt(literal)) : extendOffset(ctx, by, wide);
  if (distance) emit(ctx, "add", { type: wide ? "s64" : "s32" }, [moved, base, distance]);
  bind(ctx, op.results[0], { kind: "pointer", base: moved, offset });
}

/** The start of the block's shared memory, as a register: offsets from it fold into addresses. */
export function sharedStart(ctx: Context): Reg {
  return sharedRegister(ctx, sharedSymbol, "b32", (r) =>
    emitFirst(ctx, "mov.symbol", { type: "b32" }, [r, symbol(sharedSymbol)]),
  );
}

function lowerSharedBuffer(ctx: Context, op: Op<"shared.buffer">): void {
  const buffer = ctx.graph.shared.find((b) => b.id === op.attrs.buffer);
  if (buffer?.offset === undefined) throw new TypeError(`shared buffer ${op.attrs.buffer} has no offset`);
  bind(ctx, op.results[0], { kind: "pointer", base: sharedStart(ctx), offset: buffer.offset });
}

export const addressRules = {
  "ptr.add": lowerPtrAdd,
  "shared.buffer": lowerSharedBuffer,
  "shared.dynamic": (ctx: Context, op: Op<"shared.dynamic">) =>
    bind(ctx, op.results[0], { kind: "pointer", base: sharedStart(ctx), offset: op.attrs.at }),
};
