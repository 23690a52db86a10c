import { isInteger, type ScalarType, type Value } from "../../ir/index.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar, StagedScalar } from "../trace/scalar.ts";
import { isStagedTile } from "../trace/staged-tile.ts";
import { zeroLike } from "./constant.ts";
import { isLiteral } from "./literals.ts";
import { isOpen } from "./open-types.ts";
import { emitOne, meet, type Operand, operand, wantNumber, wrap } from "./operands.ts";
import { Mixed, usable } from "./unusable.ts";

const relations: Readonly<Record<string, string>> = { "===": "eq", "!==": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge" };
export const isComparison = (op: string): boolean => op in relations || op === "==" || op === "!=";

/** Is it a truth value, static or staged? */
export const isTruth = (x: unknown): x is StagedScalar | boolean =>
  typeof x === "boolean" || (isStagedScalar(x) && x.type === "pred");

/** The truth value the other way round. */
export const negated = (p: StagedScalar): StagedScalar => wrap(emitOne("not", { a: p.value }));

function compareTruths(op: string, a: Operand, b: Operand): StagedScalar | boolean {
  const same = op === "===";
  if (isStagedScalar(a) && isStagedScalar(b)) {
    const differ = wrap(emitOne("xor", { a: a.value, b: b.value }));
    return same ? negated(differ) : differ;
  }
  const [staged, literal] = isStagedScalar(a) ? [a, b] : [b, a];
  if (!isStagedScalar(staged)) return same === (staged === literal);
  return same === literal ? staged : negated(staged);
}

/** A comparison of which one side at least is staged. */
export function compare(op: string, left: unknown, right: unknown): StagedScalar | boolean {
  if (op === "==" || op === "!=") failHere("W2007", { op });
  const [a, b] = [usable(left), usable(right)];
  const equality = op === "===" || op === "!==";
  if (equality && (Number.isNaN(a) || Number.isNaN(b))) failHere("W2081", { op, is: op === "!==" });
  // Values of different JavaScript types are never equal; a staged value is never null.
  if (equality && (!numeric(a) || !numeric(b))) return op === "!==";
  if (equality && isTruth(a) && isTruth(b)) return compareTruths(op, operand(a, op), operand(b, op));
  const [x, y] = meet(wantNumber(operand(a, op), op), wantNumber(operand(b, op), op), op);
  return wrap(emitOne("cmp", { a: x, b: y }, { is: relations[op] ?? op }));
}

const numeric = (x: unknown): boolean => isStagedScalar(x) || isLiteral(x);

function truthOf(value: Value): Value {
  if (value.type === "pred") return value;
  const zero = zeroLike(value);
  const nonzero = emitOne("cmp", { a: value, b: zero }, { is: "ne" });
  // An open type may become that of a float.
  if (!isOpen(value) && isInteger(value.type as ScalarType)) return nonzero;
  return emitOne("and", { a: nonzero, b: emitOne("cmp", { a: value, b: value }, { is: "eq" }) });
}

/** Is it truthy? Staged for a staged number: neither 0 nor NaN. */
export function truth(x: unknown): boolean | StagedScalar {
  if (x instanceof Mixed) return x.truth;
  if (isStagedTile(x)) failHere("W6208", { given: x.what });
  usable(x);
  return x instanceof StagedScalar ? wrap(truthOf(x.value)) : Boolean(x);
}

/** `!x`. */
export function not(x: unknown): boolean | StagedScalar {
  const value = truth(x);
  return typeof value === "boolean" ? !value : negated(value);
}
