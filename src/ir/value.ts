import type { ScalarType, Type } from "./types.ts";

/** The result of an op or a parameter of a region. `type` may be set by the tracer while it is still open; after tracing nothing changes it. */
export interface Value {
  readonly id: number;
  type: Type;
  /** The author's name for it, where there is one. */
  name?: string;
}

export type Literal = number | bigint | boolean;
export type AttrValue = string | number | boolean | bigint | readonly number[] | undefined;
export type OperandValue = Value | readonly Value[] | undefined;

/** An op as code that does not know its name sees it: the table's verifiers, generic traversal. */
export interface RawOp {
  readonly name: string;
  readonly operands: Readonly<Record<string, OperandValue>>;
  readonly attrs: Readonly<Record<string, AttrValue>>;
  readonly results: readonly Value[];
}

/** The type of a single operand, for verifiers. */
export function operandType(op: RawOp, name: string): Type | undefined {
  const value = op.operands[name];
  return value !== undefined && "type" in value ? value.type : undefined;
}

/** The values of a list operand, for verifiers. */
export function operandValues(op: RawOp, name: string): readonly Value[] {
  const value = op.operands[name];
  return Array.isArray(value) ? (value as readonly Value[]) : [];
}

export type { ScalarType };
