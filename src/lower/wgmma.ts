import type { wgmmaOps } from "../ir/index.ts";
import { type AccType, accColumns, isAcc, type Op, type Value } from "../ir/index.ts";
import { type FormModifiers, type Imm, int, type Reg, vec } from "../ptx/index.ts";
import { addressOf } from "./address.ts";
import {
  bind,
  bindScalars,
  type Context,
  emit,
  fresh,
  type Lowered,
  lowered,
  moveZero,
  operand,
  type RuleOf,
  register,
} from "./context.ts";
import { descriptorHigh } from "./descriptor-highs.ts";
import { highWord, moveAll, slotFor } from "./moves.ts";

type Sparse = Op<"wgmma.mma_async.sp"> | Op<"wgmma.mma_async.sp.rs">;
type Product = Op<"wgmma.mma_async"> | Op<"wgmma.mma_async.rs"> | Sparse;
type Descriptor = Extract<Lowered, { kind: "desc" }>;

/**
 * The low word: address / 16 and leading offset / 16 (PTX ISA 9.7.15.5.1). Shared addresses are below 2^18, so neither field runs over;
 * but in a cluster the block's rank stands above them, and is taken off.
 */
function lowerDescriptor(ctx: Context, op: Op<"wgmma.descriptor">): void {
  const { base, offset } = addressOf(ctx, op.operands.ptr);
  if (base.kind !== "reg") throw new TypeError("a shared address is based on a register");
  const aligned = offset % 16 === 0;
  const start = aligned ? base : register(ctx, op.operands.ptr);
  const low = fresh(ctx, "b32");
  emit(ctx, "shr", { type: "u32" }, [low, start, int(4)]);
  if (ctx.graph.launch.cluster.some((extent) => extent > 1)) emit(ctx, "and", { type: "b32" }, [low, low, int(0x3fff)]);
  const fields = (aligned ? offset / 16 : 0) + (((op.attrs.leading >>> 4) & 0x3fff) << 16);
  bind(ctx, op.results[0], { kind: "desc", low, offset: fields, high: highWord(ctx, descriptorHigh(op)) });
}

function descriptor(ctx: Context, value: Value): Descriptor {
  const l = lowered(ctx, value);
  if (l.kind !== "desc") throw new TypeError(`value ${value.id} is no descriptor`);
  return l;
}

function lowerAdvance(ctx: Context, op: Op<"wgmma.advance">): void {
  const from = descriptor(ctx, op.operands.desc);
  const by = operand(ctx, op.operands.by);
  if (by.kind === "imm" && by.type === "int") {
    bind(ctx, op.results[0], { ...from, offset: from.offset + Number(by.value) });
    return;
  }
  const low = fresh(ctx, "b32");
  emit(ctx, "add", { type: "s32" }, [low, from.low, by]);
  bind(ctx, op.results[0], { ...from, low });
}

/** The descriptor `step` × 16 bytes on, put together right before its use, so that it stays in uniform registers. */
function descriptorAt(ctx: Context, { low, offset, high }: Descriptor, step: number): Reg {
  const [word, both] = [offset + step === 0 ? low : fresh(ctx, "b32"), fresh(ctx, "b64")];
  if (word !== low) emit(ctx, "add", { type: "s32" }, [word, low, int(offset + step)]);
  emit(ctx, "mov.pack", { type: "b64" }, [both, vec([word, high])]);
  return both;
}

const inputTypes = { f16: "f16", bf16: "bf16", tf32: "tf32", e4m3: "e4m3", e5m2: "e5m2", i8: "s8", u8: "u8" } as const;
const accTypes = { f32: "f32", f16: "f16", i32: "s32" } as const;

/** K of one instruction: 32 bytes' worth, as `layout/matrix-strides.ts` has it by element size. */
function instructionK(type: keyof typeof inputTypes): 8 | 16 | 32 {
  return type === "tf32" ? 8 : type === "f16" || type === "bf16" ? 16 : 32;
}

const isSparse = (op: Product): op is Sparse => op.name === "wgmma.mma_async.sp" || op.name === "wgmma.mma_async.sp.rs";

function commonModifiers(op: Product, acc: AccType): Omit<FormModifiers<"wgmma.mma_async">, "shape"> {
  const { aType, bType, saturate } = op.attrs;
  return {
    satfinite: saturate && acc.dtype === "i32" ? "satfinite" : "",
    d: accTypes[acc.dtype],
    a: inputTypes[aType],
    b: inputTypes[bType],
  };
}

/** What follows scale-d: signs on floats, major-ness where the elements have 16 bits. */
function signsAndMajors(op: Product): {
  readonly signs: readonly Imm[];
  readonly aMajor: readonly Imm[];
  readonly bMajor: readonly Imm[];
} {
  const { aType, aMajor, bMajor, negateA, negateB } = op.attrs;
  const integer = aType === "i8" || aType === "u8";
  const transposable = aType === "f16" || aType === "bf16";
  const major = (m: "k" | "mn"): readonly Imm[] => (transposable ? [int(m === "mn" ? 1 : 0)] : []);
  return { signs: integer ? [] : [int(negateA ? -1 : 1), int(negateB ? -1 : 1)], aMajor: major(aMajor), bMajor: major(bMajor) };
}

function accRegs(ctx: Context, value: Value): readonly Reg[] {
  const l = lowered(ctx, value);
  return l.kind === "acc" ? l.regs : [];
}

/** The registers of the result, holding what is added to. They are the operand's own wherever that is not needed later. */
function accumulateInto(ctx: Context, op: Product, result: Value): readonly Reg[] {
  const slot = slotFor(ctx, result);
  const { acc, accumulate } = op.operands;
  if (!accumulate || ctx.literals.get(accumulate.id) !== false) moveAll(ctx, [slot], [lowered(ctx, acc)]);
  bind(ctx, result, slot);
  return slot.kind === "acc" ? slot.regs : [];
}

type Shape = FormModifiers<"wgmma.mma_async">["shape"];
type SparseShape = FormModifiers<"wgmma.mma_async.sp">["shape"];

const deeper = (depth: 8 | 16 | 32): 16 | 32 | 64 => (depth === 8 ? 16 : depth === 16 ? 32 : 64);

/** Which threads of four have a step's metadata: of types of 16 and 32 bits the last two have those of odd steps. PTX ISA 9.7.15.6.1. */
const selector = (op: Product, step: number): Imm => int(instructionK(op.attrs.aType) === 32 ? 0 : step & 1);

/** One instruction for each K step and, within it, for each 64 rows. */
function lowerProduct(ctx: Context, op: Product, operandA: () => (k: number, slab: number) => Reg | readonly Reg[]): void {
  const result = op.results[0];
  const type = op.operands.acc.type;
  if (!result || !isAcc(type)) return;
  const before = ctx.out.length;
  const regs = accumulateInto(ctx, op, result);
  const a = operandA();
  const metadata = isSparse(op) ? op.operands.metadata.map((v) => register(ctx, v)) : [];
  // registers written after the author's fence need one of their own
  if (ctx.out.slice(before).some((s) => s.kind === "instruction")) emit(ctx, "wgmma.fence", {}, []);
  const slabs = type.rows / 64;
  const perSlab = regs.length / slabs;
  const modifiers = commonModifiers(op, type);
  const depth = instructionK(op.attrs.aType);
  const { signs, aMajor, bMajor } = signsAndMajors(op);
  const { accumulate, b } = op.operands;
  const scale = accumulate ? operand(ctx, accumulate) : int(1);
  const steps = op.attrs.k / (isSparse(op) ? 2 * depth : depth);
  for (let k = 0; k < steps; k++) {
    const bAt = descriptorAt(ctx, descriptor(ctx, b), op.attrs.bKSteps[k] ?? 0);
    for (let slab = 0; slab < slabs; slab++) {
      const d = vec(regs.slice(slab * perSlab, (slab + 1) * perSlab));
      const from = a(k, slab);
      const added = k === 0 ? scale : int(1);
      const [s0, s1] = signs;
      const [m0, m1] = [...aMajor, ...bMajor];
      if (isSparse(op)) {
        const slots = { shape: `m64n${type.cols}k${deeper(depth)}` as SparseShape, ...modifiers };
        const rest = [bAt, metadata[k * slabs + slab] as Reg, selector(op, k), added, s0, s1] as const;
        if ("kind" in from) emit(ctx, "wgmma.mma_async.sp", slots, [d, from, ...rest, m0, m1]);
        else emit(ctx, "wgmma.mma_async.sp.rs", slots, [d, vec(from), ...rest, bMajor[0]]);
      } else {
        const slots = { shape: `m64n${type.cols}k${depth}` as Shape, ...modifiers };
        if ("kind" in from) emit(ctx, "wgmma.mma_async", slots, [d, from, bAt, added, s0, s1, m0, m1]);
        else emit(ctx, "wgmma.mma_async.rs", slots, [d, vec(from), bAt, added, s0, s1, bMajor[0]]);
      }
    }
  }
}

function lowerShared(ctx: Context, op: Op<"wgmma.mma_async"> | Op<"wgmma.mma_async.sp">): void {
  const a = descriptor(ctx, op.operands.a);
  lowerProduct(ctx, op, () => (k, slab) => descriptorAt(ctx, a, (op.attrs.aKSteps[k] ?? 0) + slab * op.attrs.aRowStep));
}

function lowerRegisters(ctx: Context, op: Op<"wgmma.mma_async.rs"> | Op<"wgmma.mma_async.sp.rs">): void {
  const type = op.operands.acc.type;
  const slabs = isAcc(type) ? type.rows / 64 : 1;
  lowerProduct(ctx, op, () => {
    const words = op.operands.a.map((v) => wordOf(ctx, register(ctx, v)));
    return (k, slab) => words.slice(4 * (k * slabs + slab), 4 * (k * slabs + slab + 1));
  });
}

/** A fragment's register as 32 untyped bits. */
function wordOf(ctx: Context, r: Reg): Reg {
  if (r.cls === "b32") return r;
  const word = fresh(ctx, "b32");
  emit(ctx, "mov", { type: "b32" }, [word, r]);
  return word;
}

function lowerZero(ctx: Context, op: Op<"acc.zero">): void {
  const result = op.results[0];
  if (!result) return;
  const slot = slotFor(ctx, result);
  if (slot.kind === "acc") for (const r of slot.regs) moveZero(ctx, r);
  bind(ctx, result, slot);
}

/** The first product writes them. */
function lowerUndef(ctx: Context, op: Op<"acc.undef">): void {
  const result = op.results[0];
  if (result) bind(ctx, result, slotFor(ctx, result));
}

function lowerUnpack(ctx: Context, op: Op<"acc.unpack">): void {
  const type = op.operands.acc.type;
  if (!isAcc(type)) return;
  const halves = type.dtype === "f16";
  const all = accRegs(ctx, op.operands.acc);
  const [start = 0, count = type.cols] = op.attrs.columns ?? [];
  const wanted = accColumns(type, start, count);
  const regs = (halves ? wanted.filter((e) => e % 2 === 0).map((e) => all[e / 2]) : wanted.map((e) => all[e])).filter(
    (r) => r !== undefined,
  );
  const values = regs.flatMap((r) => {
    if (ctx.readInPlace.has(op) && !halves) return [r];
    if (!halves) {
      const out = fresh(ctx, r.cls);
      emit(ctx, "mov", { type: r.cls }, [out, r]);
      return [out];
    }
    const [low, high] = [fresh(ctx, "b16"), fresh(ctx, "b16")];
    emit(ctx, "mov.unpack", { type: "b32" }, [vec([low, high]), r]);
    return [low, high];
  });
  bindScalars(ctx, op.results, values);
}

function lowerPack(ctx: Context, op: Op<"acc.pack">): void {
  const result = op.results[0];
  if (!result || !isAcc(result.type)) return;
  const slot = slotFor(ctx, result);
  const values = op.operands.values;
  if (slot.kind !== "acc") return;
  for (const [i, r] of slot.regs.entries()) {
    const [a, b] = result.type.dtype === "f16" ? [values[2 * i], values[2 * i + 1]] : [values[i], undefined];
    if (a && b) emit(ctx, "mov.pack", { type: "b32" }, [r, vec([register(ctx, a), register(ctx, b)])]);
    else if (a) emit(ctx, "mov", { type: r.cls }, [r, operand(ctx, a)]);
  }
  bind(ctx, result, slot);
}

export const wgmmaRules = {
  "wgmma.descriptor": lowerDescriptor,
  "wgmma.advance": lowerAdvance,
  "wgmma.fence": (ctx) => emit(ctx, "wgmma.fence", {}, []),
  "wgmma.mma_async": lowerShared,
  "wgmma.mma_async.rs": lowerRegisters,
  "wgmma.mma_async.sp": lowerShared,
  "wgmma.mma_async.sp.rs": lowerRegisters,
  "wgmma.commit_group": (ctx) => emit(ctx, "wgmma.commit_group", {}, []),
  "wgmma.wait_group": (ctx, op) => emit(ctx, "wgmma.wait_group", {}, [int(op.attrs.pending)]),
  "acc.zero": lowerZero,
  "acc.undef": lowerUndef,
  "acc.unpack": lowerUnpack,
  "acc.pack": lowerPack,
} satisfies { [K in keyof typeof wgmmaOps]: RuleOf<K> };
