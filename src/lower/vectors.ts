import { bitsOf, type ScalarType } from "../ir/index.ts";
import { int, type Reg, type Vec, vec } from "../ptx/index.ts";
import { type Context, classOf, emit, fresh } from "./context.ts";

/** How neighbouring elements travel in one access: `count` registers of `type`, each holding one element or several packed ones. */
interface Packing {
  readonly type: "u8" | "s8" | "b16" | "b32" | "b64";
  readonly vec: "" | "v2" | "v4";
  readonly count: number;
}

const memoryBits = (type: ScalarType): number => Math.max(8, bitsOf(type));

export function packingOf(type: ScalarType, elements: number): Packing {
  const bits = memoryBits(type);
  const total = bits * elements;
  if (total === 8) return { type: type === "i8" ? "s8" : "u8", vec: "", count: 1 };
  if (total === 16) return { type: "b16", vec: "", count: 1 };
  const word = bits === 64 ? 64 : 32;
  const count = total / word;
  return { type: word === 64 ? "b64" : "b32", vec: count === 1 ? "" : count === 2 ? "v2" : "v4", count };
}

export const vectorOperand = (regs: readonly Reg[]): Reg | Vec => {
  const [first] = regs;
  return regs.length === 1 && first ? first : vec(regs);
};

/** Two bytes in one 16-bit register, low first. */
function joinBytes(ctx: Context, low: Reg, high: Reg | undefined): Reg {
  const [out, shifted] = [fresh(ctx, "b16"), fresh(ctx, "b16")];
  emit(ctx, "and", { type: "b16" }, [out, low, int(0xff)]);
  if (!high) return out;
  emit(ctx, "shl", { type: "b16" }, [shifted, high, int(8)]);
  emit(ctx, "or", { type: "b16" }, [out, out, shifted]);
  return out;
}

function joinHalves(ctx: Context, halves: readonly Reg[]): readonly Reg[] {
  return pairs(halves).map(([low, high]) => {
    const out = fresh(ctx, "b32");
    emit(ctx, "mov.pack", { type: "b32" }, [out, vec([low, high ?? low])]);
    return out;
  });
}

function pairs<T>(list: readonly T[]): readonly (readonly [T, T | undefined])[] {
  return list.flatMap((item, i) => (i % 2 === 0 ? [[item, list[i + 1]] as const] : []));
}

/** Elements to the registers of an access. A bool is a byte, 0 or 1. */
export function pack(ctx: Context, type: ScalarType, elements: readonly Reg[]): readonly Reg[] {
  const bits = memoryBits(type);
  if (bits >= 32) return elements;
  const values =
    type !== "pred"
      ? elements
      : elements.map((p) => {
          const byte = fresh(ctx, "b16");
          emit(ctx, "selp", { type: "b16" }, [byte, int(1), int(0), p]);
          return byte;
        });
  if (values.length === 1) return values;
  const halves = bits === 16 ? values : pairs(values).map(([low, high]) => joinBytes(ctx, low, high));
  return halves.length === 1 ? halves : joinHalves(ctx, halves);
}

function splitBytes(ctx: Context, type: ScalarType, both: Reg): readonly Reg[] {
  const [low, high] = [fresh(ctx, "b16"), fresh(ctx, "b16")];
  if (type === "i8") emit(ctx, "cvt", { to: "s16", from: "s8" }, [low, both]);
  else emit(ctx, "and", { type: "b16" }, [low, both, int(0xff)]);
  emit(ctx, "shr", { type: type === "i8" ? "s16" : "u16" }, [high, both, int(8)]);
  return [low, high];
}

/** The registers of an access to elements. */
export function unpack(ctx: Context, type: ScalarType, regs: readonly Reg[], elements: number): readonly Reg[] {
  const bits = memoryBits(type);
  if (bits >= 32) return regs;
  const halves = regs.flatMap((r) => {
    if (r.cls !== "b32") return [r];
    const [low, high] = [fresh(ctx, "b16"), fresh(ctx, "b16")];
    emit(ctx, "mov.unpack", { type: "b32" }, [vec([low, high]), r]);
    return [low, high];
  });
  const values = bits === 8 && elements > 1 ? halves.flatMap((r) => splitBytes(ctx, type, r)) : halves;
  if (type !== "pred") return values;
  return values.map((byte) => {
    const p = fresh(ctx, "pred");
    emit(ctx, "setp", { is: "ne", type: "b16" }, [p, byte, int(0)]);
    return p;
  });
}

/** Registers that an access of that packing fills. */
export function packedRegisters(ctx: Context, type: ScalarType, packing: Packing): readonly Reg[] {
  const cls =
    packing.type === "u8" || packing.type === "s8" || packing.type === "b16"
      ? "b16"
      : memoryBits(type) >= 32
        ? classOf(type)
        : packing.type;
  return Array.from({ length: packing.count }, () => fresh(ctx, cls));
}
