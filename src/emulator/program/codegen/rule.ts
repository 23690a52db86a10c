import type { ReadFormName } from "../../../ptx/isa/read/index.ts";
import type { Instruction, Operand } from "../../../ptx/parse/tree.ts";
import type { Writer } from "./writer.ts";

export type Operands = readonly (Operand | undefined)[];
export type Modifiers = Readonly<Record<string, string | undefined>>;
/** Writes one instruction for one lane. */
export type Rule = (w: Writer, operands: Operands, modifiers: Modifiers, i: Instruction) => void;
export type Rules = Readonly<Partial<Record<ReadFormName, Rule>>>;

/** The type in a slot, which every form with such a slot has. */
export const typeIn = (modifiers: Modifiers, slot = "type"): string => modifiers[slot] ?? "b32";
export const isWide = (type: string): boolean => type.endsWith("64");
export const isSigned = (type: string): boolean => type.startsWith("s");
