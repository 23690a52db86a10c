/** What is the same in every run: registers that hold a constant, and stores of one. */
import type { Instruction, Operand, Register } from "../../../ptx/parse/index.ts";
import { registerUse } from "./register-use.ts";

type Constant = Extract<Operand, { readonly kind: "int" | "float" }>;

/** Registers that one `mov` of an immediate writes, and nothing else. */
export type Constants = ReadonlyMap<Register, Constant>;

const known = new WeakMap<readonly Instruction[], Constants>();

/** Of a program: it is launched more than once. */
export function constantsOf(instructions: readonly Instruction[]): Constants {
  const found = known.get(instructions) ?? findConstants(instructions);
  known.set(instructions, found);
  return found;
}

function findConstants(instructions: readonly Instruction[]): Constants {
  const writers = new Map<Register, Instruction | undefined>();
  for (const i of instructions) for (const r of registerUse(i).writes) writers.set(r, writers.has(r) ? undefined : i);
  const found = new Map<Register, Constant>();
  for (const [r, i] of writers) {
    const value = i?.opcode.form === "mov" && !i.guard ? i.operands[1] : undefined;
    if (value?.kind === "int" || value?.kind === "float") found.set(r, value);
  }
  return found;
}

/** What a store writes, if that is a constant: equal texts are equal bytes. */
export function storedConstant(i: Instruction, constants: Constants): string | undefined {
  const [, value] = i.operands;
  if (i.opcode.form !== "st" || value === undefined) return undefined;
  const items = (value.kind === "vector" ? value.items : [value]).map((item) => {
    const constant = item.kind === "register" ? constants.get(item) : item;
    return constant?.kind === "int" || constant?.kind === "float" ? `${constant.value}` : undefined;
  });
  return items.includes(undefined) ? undefined : [i.opcode.modifiers.type, ...items].join(" ");
}
