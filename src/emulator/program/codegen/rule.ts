import type { Instruction, Operand, ReadFormName } from "../../../ptx/parse/index.ts";
import { b32, type DataType } from "../../../ptx/parse/index.ts";
import type { Writer } from "./writer.ts";

export type Operands = readonly (Operand | undefined)[];
export type Modifiers = Readonly<Record<string, string | undefined>>;
/** Writes one instruction for one lane. */
export type Rule = (w: Writer, operands: Operands, modifiers: Modifiers, i: Instruction) => void;
export type Rules = Readonly<Partial<Record<ReadFormName, Rule>>>;

/** The type in a slot, which every form with such a slot has. */
export const typeIn = ({ opcode }: Instruction, slot = "type"): DataType => opcode.types[slot] ?? b32;
export const isWide = (type: DataType): boolean => type.bits === 64;
export const isSigned = (type: DataType): boolean => type.kind === "signed";
