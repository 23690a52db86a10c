import type { Spans } from "../base/diag/index.ts";
import type { AnyOp, Attrs, AttrValue, Op, Operands, OperandValue, Region, Value } from "./graph.ts";
import { type OpName, opSpec } from "./ops/index.ts";
import type { Type } from "./types.ts";

/** Gives out the ids of values. One per graph. */
export interface Ids {
  next: number;
}

export function makeValue(ids: Ids, type: Type, name?: string): Value {
  const id = ids.next++;
  return name === undefined ? { id, type } : { id, type, name };
}

/** What `makeOp` needs beside operands and attributes: result types where the table says `given`, regions, where it was written. */
export interface OpParts {
  readonly types?: readonly Type[] | undefined;
  readonly regions?: readonly Region[] | undefined;
  readonly spans: Spans;
}

function typeLike(name: OpName, operands: Readonly<Record<string, OperandValue>>, operand: string): Type {
  const like = operands[operand];
  if (like === undefined || !("type" in like))
    throw new TypeError(`${name}: no operand '${operand}' to take the result's type from`);
  return like.type;
}

function makeResults(
  ids: Ids,
  name: OpName,
  operands: Readonly<Record<string, OperandValue>>,
  given: readonly Type[] | undefined,
): readonly Value[] {
  const { result: rule, like } = opSpec(name);
  if (rule === undefined) return [];
  if (rule === "given") return (given ?? []).map((type) => makeValue(ids, type));
  return [makeValue(ids, like === undefined ? (rule as Type) : typeLike(name, operands, like))];
}

/** Makes an op; the table says what types its results have. */
export function makeOp<K extends OpName>(ids: Ids, name: K, operands: Operands<K>, attrs: Attrs<K>, parts: OpParts): Op<K> {
  const results = makeResults(ids, name, operands, parts.types);
  return { name, operands, attrs, results, regions: parts.regions ?? [], spans: parts.spans };
}

/** An op as a member of the union, so that `op.name` narrows its operands and attributes. */
export const anyOp = (op: Op): AnyOp => op as AnyOp;

interface Parts {
  readonly operands?: Readonly<Record<string, OperandValue>>;
  readonly attrs?: Readonly<Record<string, AttrValue>>;
  readonly regions?: readonly Region[];
  readonly results?: readonly Value[];
}

/**
 * The same op with other operands, attributes, regions or results. The caller keeps them right for the op's name. Every part is named:
 * to the engine a spread makes objects of another kind, and all that reads ops would meet both.
 */
export function withParts(op: Op, parts: Parts): Op {
  const { operands = op.operands, attrs = op.attrs, results = op.results, regions = op.regions } = parts;
  return { name: op.name, operands, attrs, results, regions, spans: op.spans } as Op;
}
