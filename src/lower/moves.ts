import { isAcc, isPointer, type Value } from "../ir/index.ts";
import { f32, f64, type Imm, int, type Reg } from "../ptx/index.ts";
import { type Context, classOf, emit, emitFirst, fresh, type Lowered, sharedRegister } from "./context.ts";

interface Move {
  readonly dst: Reg;
  readonly src: Reg | Imm;
  /** Added on the way. */
  readonly plus: number;
}

/** Registers that a value of a region can be written to more than once. */
export function slotFor(ctx: Context, value: Value): Lowered {
  const { type } = value;
  if (isAcc(type)) return { kind: "acc", regs: ctx.accRegisters.get(value.id) ?? [] };
  if (isPointer(type)) return { kind: "pointer", base: fresh(ctx, classOf(type)), offset: 0 };
  if (type !== "desc") return { kind: "scalar", operand: fresh(ctx, classOf(type)) };
  const high = ctx.descriptorHighs.get(value.id);
  return { kind: "desc", low: fresh(ctx, "b32"), offset: 0, high: high === undefined ? fresh(ctx, "b32") : highWord(ctx, high) };
}

/** The register of a constant high word of descriptors. */
export function highWord(ctx: Context, high: number): Reg {
  return sharedRegister(ctx, `high ${high}`, "b32", (r) => emitFirst(ctx, "mov", { type: "b32" }, [r, int(high)]));
}

function moveList(dst: Lowered, src: Lowered): readonly Move[] {
  if (dst.kind === "scalar" && src.kind === "scalar" && dst.operand.kind === "reg")
    return [{ dst: dst.operand, src: src.operand, plus: 0 }];
  if (dst.kind === "pointer" && src.kind === "pointer") return [{ dst: dst.base, src: src.base, plus: src.offset }];
  if (dst.kind === "desc" && src.kind === "desc") {
    return [
      { dst: dst.low, src: src.low, plus: src.offset },
      { dst: dst.high, src: src.high, plus: 0 },
    ];
  }
  if (dst.kind === "acc" && src.kind === "acc") {
    return dst.regs === src.regs ? [] : dst.regs.map((r, i) => ({ dst: r, src: src.regs[i] ?? r, plus: 0 }));
  }
  throw new TypeError(`a ${src.kind} cannot become a ${dst.kind}`);
}

function emitMove(ctx: Context, { dst, src, plus }: Move): void {
  if (plus === 0 || src.kind !== "reg") emit(ctx, "mov", { type: dst.cls }, [dst, src]);
  else emit(ctx, "add", { type: dst.cls === "b64" ? "s64" : "s32" }, [dst, src, int(plus)]);
}

/** Moves all at once: every source is read as it was before. */
export function moveAll(ctx: Context, dst: readonly Lowered[], src: readonly Lowered[]): void {
  let pending = dst
    .flatMap((d, i) => {
      const s = src[i];
      return s === undefined ? [] : moveList(d, s);
    })
    .filter((m) => m.dst !== m.src || m.plus !== 0);
  while (pending.length > 0) {
    const readers = new Map<Reg, number>();
    for (const m of pending) if (m.src.kind === "reg") readers.set(m.src, (readers.get(m.src) ?? 0) + 1);
    const blocked: Move[] = [];
    for (const m of pending) {
      const others = (readers.get(m.dst) ?? 0) - (m.src === m.dst ? 1 : 0);
      if (others > 0) blocked.push(m);
      else {
        emitMove(ctx, m);
        if (m.src.kind === "reg") readers.set(m.src, (readers.get(m.src) ?? 1) - 1);
      }
    }
    const first = blocked[0];
    if (blocked.length < pending.length || first === undefined) pending = blocked;
    else {
      const saved = fresh(ctx, first.dst.cls);
      emit(ctx, "mov", { type: saved.cls }, [saved, first.dst]);
      pending = blocked.map((m) => (m.src === first.dst ? { ...m, src: saved } : m));
    }
  }
}

/** Clears a register. */
export function moveZero(ctx: Context, r: Reg): void {
  emit(ctx, "mov", { type: r.cls }, [r, r.cls === "f32" ? f32(0) : r.cls === "f64" ? f64(0) : int(0)]);
}
