import {
  type Attrs,
  bitsOf,
  type Ids,
  isScalar,
  type Literal,
  makeOp,
  type Op,
  type Operands,
  type OpName,
  type ScalarType,
  type Type,
  type Value,
} from "../../ir/index.ts";
import type { Facts } from "../facts/index.ts";
import type { Renaming } from "../rewrite/rewrite.ts";

/** Folding as it walks: what is known of the values so far. */
export interface FoldContext {
  readonly ids: Ids;
  /** What is known of the values, told of every op that folding leaves. */
  readonly facts: Facts;
  readonly names: Renaming;
}

/**
 * What becomes of an op: nothing new, a value that stands for its result, or `ops` instead, the last of which defines its
 * results.
 */
export type Folded = undefined | { readonly value: Value } | { readonly ops: readonly Op[] };

/** The literal that defines a value. */
export function literalOf(value: Value | undefined, c: FoldContext): Literal | undefined {
  const op = value && c.facts.maker(value);
  return op?.name === "const" ? op.attrs.value : undefined;
}

/** An integer literal, of any width. */
export function integerOf(value: Value | undefined, c: FoldContext): bigint | undefined {
  const literal = literalOf(value, c);
  if (typeof literal === "bigint") return literal;
  return typeof literal === "number" && Number.isInteger(literal) && !Object.is(literal, -0) ? BigInt(literal) : undefined;
}

export const scalarOf = (value: Value | undefined): ScalarType | undefined =>
  value && isScalar(value.type) ? value.type : undefined;

/** The op that defines a value, if it is one of that name. */
export function definedBy<K extends OpName>(value: Value | undefined, name: K, c: FoldContext): Op<K> | undefined {
  const op = value && c.facts.maker(value);
  return op?.name === name ? (op as Op as Op<K>) : undefined;
}

/** An op that gives the results of `old`, or those given. */
export function instead<K extends OpName>(
  old: Op,
  name: K,
  operands: Operands<K>,
  attrs: Attrs<K>,
  results: readonly Value[] = old.results,
): Op {
  return { name, operands, attrs, results, regions: [], spans: old.spans } as Op;
}

/** A literal that gives the result of `old`. */
export const constInstead = (old: Op, value: Literal): Folded => ({ ops: [instead(old, "const", {}, { value })] });

/** A literal of an integer type as the type holds it. */
export const literalIn = (type: Type, value: bigint): Literal => (isScalar(type) && bitsOf(type) === 64 ? value : Number(value));

/** A new literal beside `old`. */
export function newConst(old: Op, type: Type, value: Literal, c: FoldContext): Op<"const"> {
  return makeOp(c.ids, "const", {}, { value }, { types: [type], spans: old.spans });
}
