/** What an instruction does with its operands: which registers it reads and writes, and as which types. */
import { formOperands } from "../isa/read/form-operands.ts";
import type { ReadOperandKind } from "../isa/read/index.ts";
import type { Instruction, Operand, Register } from "./tree.ts";
import { type DataType, doubled, typeNamed } from "./types.ts";

const written: ReadonlySet<ReadOperandKind> = new Set(["d", "v", "dp", "dp2", "d2", "pair"]);

/** Vectors that are written stand first: D of a product, what a load or `mov` takes apart. */
const isWritten = (kind: ReadOperandKind | undefined, at: number): boolean =>
  kind !== undefined && (written.has(kind) || (at === 0 && (kind === "vec" || kind === "vec2")));

/** D of `wgmma.mma_async` is added to. */
const addsTo = (form: string): boolean => form.startsWith("wgmma.mma_async");

/** Every register in an operand. */
export function registersOf(o: Operand | undefined): readonly Register[] {
  switch (o?.kind) {
    case "register":
      return [o];
    case "not":
      return [o.register];
    case "vector":
    case "list":
      return o.items.flatMap(registersOf);
    case "pair":
      return [...registersOf(o.first), ...registersOf(o.second)];
    case "address":
      return o.base?.kind === "register" ? [o.base] : [];
    case "tensor":
      return [o.map, ...o.coords].flatMap((part) => (part.kind === "variable" ? [] : registersOf(part)));
    default:
      return [];
  }
}

/** Registers that an instruction reads, its guard among them, and those that it writes. */
export function registersUsed(i: Instruction): { readonly reads: readonly Register[]; readonly writes: readonly Register[] } {
  const slots = formOperands(i.opcode.form);
  const reads: Register[] = i.guard ? [i.guard.register] : [];
  const writes: Register[] = [];
  i.operands.forEach((o, at) => {
    if (!o) return;
    const found = registersOf(o);
    const isResult = isWritten(slots[at]?.kind, at);
    for (const register of found) {
      if (isResult) writes.push(register);
      if (!isResult || addsTo(i.opcode.form)) reads.push(register);
    }
  });
  return { reads, writes };
}

/** The type of an operand, as the opcode says it; undefined where any will do. */
export function slotType({ opcode: { form, modifiers } }: Instruction, at: number): DataType | undefined {
  const slot = formOperands(form)[at];
  const type = slot?.type === undefined ? undefined : typeNamed(modifiers[slot.type] ?? slot.type);
  return type && slot?.twice ? doubled(type) : type;
}
