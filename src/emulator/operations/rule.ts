import type { ReadFormName } from "../../ptx/isa/read/index.ts";
import type { Instruction } from "../../ptx/parse/tree.ts";
import type { Operating } from "../operands.ts";
import type { Operation } from "../step.ts";

/** Prepares one instruction; what it gives runs each time. */
export type OperationRule = (c: Operating, i: Instruction) => Operation;
export type OperationRules = Readonly<Partial<Record<ReadFormName, OperationRule>>>;

/** Instructions that do nothing here: fences, because operations take effect in order; hints. */
export const nothing: OperationRule = () => () => "next";
