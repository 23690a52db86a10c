import { type Span, type Spans, sameSpan } from "../base/diag/index.ts";
import { type Graph, isAcc, isPointer, type Literal, type Op, type Type, typeName, type Value } from "../ir/index.ts";
import {
  type FormModifiers,
  type FormName,
  type FormOperands,
  f32,
  f64,
  type Guard,
  type Imm,
  instruction,
  int,
  type Reg,
  type RegClass,
  reg,
  type Statement,
} from "../ptx/index.ts";

/** A shift that is known at lowering time is kept apart from the register, so that address and descriptor arithmetic folds. */
export type Lowered =
  | { readonly kind: "scalar"; readonly operand: Reg | Imm }
  /** base + offset bytes. */
  | { readonly kind: "pointer"; readonly base: Reg; readonly offset: number }
  /** A matrix descriptor: its low word is low + offset (in 16 bytes); its high word does not change with the address. */
  | { readonly kind: "desc"; readonly low: Reg; readonly offset: number; readonly high: Reg }
  | { readonly kind: "acc"; readonly regs: readonly Reg[] };

/** What the rules share. Statements go to `out`; what must stand before everything else goes to `prologue`. */
export interface Context {
  readonly graph: Graph;
  readonly lowerOp: (op: Op) => void;
  readonly counts: Record<RegClass, number>;
  readonly prologue: Statement[];
  readonly out: Statement[];
  readonly values: Map<number, Lowered>;
  /** Values of `const` ops. */
  readonly literals: ReadonlyMap<number, Literal>;
  readonly accRegisters: ReadonlyMap<number, readonly Reg[]>;
  /** Reads of accumulators whose registers stand for the elements. */
  readonly readInPlace: ReadonlySet<Op>;
  /** High words of descriptors, where all that may reach a value have the same. */
  readonly descriptorHighs: ReadonlyMap<number, number>;
  /** Registers of the prologue, by what they hold. */
  readonly shared: Map<string, Reg>;
  /** Assertions with values: what they do where they fail stands behind the kernel's end. */
  readonly failures: { readonly label: string; readonly op: Op<"assert"> }[];
  /** Code that hardly ever runs, and where its ops were written: it is lowered behind the kernel's end. */
  readonly rare: { readonly spans: Spans; readonly write: () => void }[];
  readonly files: Map<string, number>;
  /** Where the ops now being lowered were written. */
  spans: Spans;
  lastLoc: Span | undefined;
  labels: number;
}

export function fresh(ctx: Context, cls: RegClass): Reg {
  return reg(cls, ctx.counts[cls]++);
}

function emitLoc(ctx: Context): void {
  const span = ctx.spans[0];
  if (span === undefined) return;
  if (ctx.lastLoc && sameSpan(span, ctx.lastLoc)) return;
  ctx.lastLoc = span;
  const file = ctx.files.get(span.file) ?? ctx.files.size + 1;
  ctx.files.set(span.file, file);
  ctx.out.push({ kind: "loc", file, line: span.line, column: span.column });
}

export function emit<K extends FormName>(
  ctx: Context,
  form: K,
  modifiers: FormModifiers<K>,
  operands: FormOperands<K>,
  guard?: Guard,
): void {
  emitStatement(ctx, instruction(form, modifiers, operands, guard));
}

/** A statement at the author's line. */
export function emitStatement(ctx: Context, statement: Statement): void {
  emitLoc(ctx);
  ctx.out.push(statement);
}

export function emitFirst<K extends FormName>(
  ctx: Context,
  form: K,
  modifiers: FormModifiers<K>,
  operands: FormOperands<K>,
): void {
  ctx.prologue.push(instruction(form, modifiers, operands));
}

/** A number for the labels of one construct: `for_3`, `for_3_end`. */
export const nextLabel = (ctx: Context, name: string): string => `${name}_${ctx.labels++}`;

export function placeLabel(ctx: Context, name: string): void {
  ctx.out.push({ kind: "label", name });
}

export function branch(ctx: Context, name: string, guard?: Guard): void {
  emit(ctx, "bra", {}, [{ kind: "label", name }], guard);
}

/** Writes code that hardly ever runs behind the kernel's end, so that what runs often goes straight on. It is reached by a branch, and left by one. */
export function rarely(ctx: Context, write: () => void): void {
  ctx.rare.push({ spans: ctx.spans, write });
}

/** A register that the prologue fills once. */
export function sharedRegister(ctx: Context, key: string, cls: RegClass, fill: (r: Reg) => void): Reg {
  const known = ctx.shared.get(key);
  if (known) return known;
  const r = fresh(ctx, cls);
  ctx.shared.set(key, r);
  fill(r);
  return r;
}

/** The register class of a value of that type. */
export function classOf(type: Exclude<Type, { kind: "acc" }>): RegClass {
  switch (type) {
    case "pred":
      return "pred";
    case "i8":
    case "u8":
    case "i16":
    case "u16":
    case "f16":
    case "bf16":
    case "e4m3":
    case "e5m2":
      return "b16";
    case "i32":
    case "u32":
    case "ptr.shared":
    case "ptr.cluster":
    case "desc":
      return "b32";
    case "i64":
    case "u64":
    case "ptr.global":
    case "tensormap":
      return "b64";
    case "f32":
      return "f32";
    case "f64":
      return "f64";
    default:
      throw new TypeError(`a value of type ${typeName(type)} has no register`);
  }
}

export function lowered(ctx: Context, value: Value): Lowered {
  const known = ctx.values.get(value.id);
  if (known === undefined) throw new TypeError(`value ${value.id} is used before it is defined`);
  return known;
}

export function bind(ctx: Context, value: Value | undefined, to: Lowered): void {
  if (value !== undefined) ctx.values.set(value.id, to);
}

export function bindScalar(ctx: Context, value: Value | undefined, operand: Reg | Imm): void {
  if (value === undefined) return;
  if (isPointer(value.type)) bind(ctx, value, { kind: "pointer", base: toReg(ctx, operand, classOf(value.type)), offset: 0 });
  else bind(ctx, value, { kind: "scalar", operand });
}

/** One register for each result. */
export function bindScalars(ctx: Context, values: readonly Value[], regs: readonly Reg[]): void {
  values.forEach((value, i) => {
    const r = regs[i];
    if (r) bindScalar(ctx, value, r);
  });
}

export function bindAll(ctx: Context, values: readonly Value[], to: readonly (Lowered | undefined)[]): void {
  values.forEach((value, i) => {
    const l = to[i];
    if (l) bind(ctx, value, l);
  });
}

export function toReg(ctx: Context, operand: Reg | Imm, cls: RegClass): Reg {
  if (operand.kind === "reg") return operand;
  const r = fresh(ctx, cls);
  emit(ctx, "mov", { type: cls }, [r, operand]);
  return r;
}

/** A scalar or pointer as an operand: a constant stays an immediate. */
export function operand(ctx: Context, value: Value): Reg | Imm {
  const l = lowered(ctx, value);
  if (l.kind === "scalar") return l.operand;
  if (l.kind !== "pointer") throw new TypeError(`value ${value.id} is no scalar`);
  if (l.offset === 0) return l.base;
  const sum = fresh(ctx, l.base.cls);
  emit(ctx, "add", { type: l.base.cls === "b64" ? "s64" : "s32" }, [sum, l.base, int(l.offset)]);
  return sum;
}

/** A scalar or pointer in a register. */
export function register(ctx: Context, value: Value): Reg {
  if (isAcc(value.type)) throw new TypeError(`value ${value.id} is no scalar`);
  return toReg(ctx, operand(ctx, value), classOf(value.type));
}

/** `@p` for an op's optional predicate; nothing where it is always true. */
export function guardOf(ctx: Context, pred: Value | undefined): Guard | undefined {
  if (pred === undefined || ctx.literals.get(pred.id) === true) return undefined;
  return { reg: register(ctx, pred), negate: false };
}

export const when = (r: Reg): Guard => ({ reg: r, negate: false });
export const unless = (r: Reg): Guard => ({ reg: r, negate: true });

export type RuleOf<K extends Op["name"]> = (ctx: Context, op: Op<K>) => void;

/** A rule that computes one scalar. It gives undefined where it has bound its result itself. */
export function gives<O extends { readonly results: readonly Value[] }>(rule: (ctx: Context, op: O) => Reg | Imm | undefined) {
  return (ctx: Context, op: O): void => {
    const value = rule(ctx, op);
    if (value !== undefined) bindScalar(ctx, op.results[0], value);
  };
}

/** Clears a register. */
export function moveZero(ctx: Context, r: Reg): void {
  emit(ctx, "mov", { type: r.cls }, [r, r.cls === "f32" ? f32(0) : r.cls === "f64" ? f64(0) : int(0)]);
}
