import { type FormTraits, readForm } from "../isa/read/index.ts";
import type { Instruction } from "./tree.ts";

const none: FormTraits = {};

/** What classes an instruction belongs to, as its form is declared; none where there is no instruction. */
export const traitsOf = (i: Instruction | undefined): FormTraits => (i ? readForm(i.opcode.form) : none);
