import type { Op, OperandValue, Value } from "../graph.ts";
import type { AttrSpec, OpEntry, OperandKind, OperandSpec } from "../ops/define-ops.ts";
import { type OpName, opSpec } from "../ops/index.ts";
import {
  bitsOf,
  integerRange,
  isAcc,
  isFloat,
  isFragment,
  isInteger,
  isOperand,
  isPointer,
  isScalar,
  isTile,
  isView,
  type ScalarType,
  sameType,
  type Type,
  typeName,
} from "../types.ts";
import type { AttrValue, RawOp } from "../value.ts";
import { breaks } from "./invariant-error.ts";

const kinds: Readonly<Record<OperandKind, (t: Type) => boolean>> = {
  T: (t) => isScalar(t) && t !== "pred",
  int: isInteger,
  float: isFloat,
  scalar: isScalar,
  pred: (t) => t === "pred",
  i32: (t) => t === "i32",
  offset: (t) => t === "i32" || t === "u32" || t === "i64" || t === "u64",
  ptr: isPointer,
  "ptr.global": (t) => t === "ptr.global",
  "ptr.shared": (t) => t === "ptr.shared",
  "ptr.shared or cluster": (t) => t === "ptr.shared" || t === "ptr.cluster",
  "ptr.cluster": (t) => t === "ptr.cluster",
  tensormap: (t) => t === "tensormap",
  desc: (t) => t === "desc",
  acc: isAcc,
  view: isView,
  tile: isTile,
  operand: isOperand,
  fragment: isFragment,
  "any but acc": (t) => !isAcc(t),
  any: () => true,
};
const grouped: readonly OperandKind[] = ["T", "int", "float"];

const classes: Readonly<Record<string, (value: AttrValue) => boolean>> = {
  number: (v) => typeof v === "number" && Number.isFinite(v),
  string: (v) => typeof v === "string",
  boolean: (v) => typeof v === "boolean",
  "number[]": (v) => Array.isArray(v) && v.every((n) => Number.isFinite(n)),
  literal: (v) => typeof v === "number" || typeof v === "bigint" || typeof v === "boolean",
  "scalar type": (v) => typeof v === "string" && isScalar(v as Type),
};

/** An operand as the table declares it, read once. */
interface OperandRule {
  readonly name: string;
  readonly kind: OperandKind;
  readonly fits: (t: Type) => boolean;
  readonly list: boolean;
  readonly optional: boolean;
  /** Has one type with all others of its kind. */
  readonly grouped: boolean;
}
interface AttrRule {
  readonly name: string;
  readonly spec: AttrSpec;
  readonly allows: (value: AttrValue) => boolean;
}
interface Rules {
  readonly spec: OpEntry;
  readonly operands: readonly OperandRule[];
  readonly attrs: readonly AttrRule[];
}

function readOperand([name, declared]: readonly [string, OperandSpec]): OperandRule {
  const kind = declared.replace(/[?*]$/, "") as OperandKind;
  const [list, optional] = [declared.endsWith("*"), declared.endsWith("?")];
  return { name, kind, fits: kinds[kind], list, optional, grouped: grouped.includes(kind) };
}

function readAttr([name, spec]: readonly [string, AttrSpec]): AttrRule {
  if (typeof spec !== "string") return { name, spec, allows: (value) => spec.includes(value as string) };
  const holds = classes[spec.replace("?", "")] ?? (() => false);
  const optional = spec.endsWith("?");
  return { name, spec, allows: (value) => (value === undefined ? optional : holds(value)) };
}

const rulesByName = new Map<OpName, Rules>();

function rulesOf(name: OpName): Rules {
  const known = rulesByName.get(name);
  if (known) return known;
  const spec = opSpec(name);
  const rules = {
    spec,
    operands: Object.entries(spec.operands).map(readOperand),
    attrs: Object.entries(spec.attrs ?? {}).map(readAttr),
  };
  rulesByName.set(name, rules);
  return rules;
}

type Groups = Partial<Record<OperandKind, Type>>;

function checkOperand(op: Op, rule: OperandRule, value: Value, groups: Groups): void {
  const { name, kind } = rule;
  if (!rule.fits(value.type)) breaks(op, `takes ${kind} as '${name}', not ${typeName(value.type)}`);
  if (!rule.grouped) return;
  const first = groups[kind];
  if (first === undefined) groups[kind] = value.type;
  else if (!sameType(first, value.type)) breaks(op, `has '${name}' of type ${typeName(value.type)} beside ${typeName(first)}`);
}

function checkOperands(op: Op, { spec, operands: rules }: Rules): void {
  const given = op.operands as Readonly<Record<string, OperandValue>>;
  const groups: Groups = {};
  for (const name in given) if (!Object.hasOwn(spec.operands, name)) breaks(op, `has no operand '${name}'`);
  for (let i = 0; i < rules.length; i++) {
    const rule = rules[i] as OperandRule;
    const { name, list, optional } = rule;
    const value = given[name];
    if (value === undefined) {
      if (!optional) breaks(op, list ? `takes a list as '${name}'` : `lacks '${name}'`);
    } else if (list !== Array.isArray(value)) breaks(op, list ? `takes a list as '${name}'` : `lacks '${name}'`);
    else if (list) for (const v of value as readonly Value[]) checkOperand(op, rule, v, groups);
    else checkOperand(op, rule, value as Value, groups);
  }
}

function checkAttrs(op: Op, { spec, attrs: rules }: Rules): void {
  const given = op.attrs as Readonly<Record<string, AttrValue>>;
  for (const name in given) if (!spec.attrs || !Object.hasOwn(spec.attrs, name)) breaks(op, `has no attribute '${name}'`);
  for (let i = 0; i < rules.length; i++) {
    const { name, spec: wanted, allows } = rules[i] as AttrRule;
    const value = given[name];
    if (allows(value)) continue;
    const list = typeof wanted === "string" ? wanted : wanted.map((v) => `'${v}'`).join(", ");
    breaks(op, value === undefined ? `lacks the attribute '${name}'` : `has '${name}' = ${String(value)}, not one of: ${list}`);
  }
}

/** Integers within their type, 64-bit ones as bigint, predicates as booleans. Floats are rounded to their type where they are used. */
function checkLiteral(op: Op, value: AttrValue, type: Type): void {
  if (type === "pred" || !isInteger(type)) {
    if (typeof value !== (type === "pred" ? "boolean" : "number"))
      breaks(op, `gives ${typeName(type)} but holds a ${typeof value}`);
    return;
  }
  const integer = type as ScalarType;
  if (typeof value !== (bitsOf(integer) === 64 ? "bigint" : "number"))
    breaks(op, `gives ${typeName(type)} but holds a ${typeof value}`);
  const whole = value as number | bigint;
  const [least, most] = integerRange(integer);
  if ((typeof whole === "number" && !Number.isInteger(whole)) || whole < least || whole > most)
    breaks(op, `holds ${String(value)}, which is not a ${typeName(type)}`);
}

function checkResults(op: Op, { result: rule, like }: OpEntry): void {
  if (rule === "given") return;
  if (rule === undefined) {
    if (op.results.length > 0) breaks(op, "gives no result");
    return;
  }
  const result = op.results[0];
  if (result === undefined || op.results.length > 1) breaks(op, `gives one result, not ${op.results.length}`);
  const other = like === undefined ? undefined : (op.operands as Readonly<Record<string, OperandValue>>)[like];
  const wanted = other !== undefined && "type" in other ? other.type : (rule as Type);
  if (!sameType(result.type, wanted)) breaks(op, `gives ${typeName(wanted)}, not ${typeName(result.type)}`);
}

/** What the op table says of one op: its operands, attributes and results. */
export function checkOp(op: Op): void {
  const rules = rulesOf(op.name);
  const { spec } = rules;
  checkOperands(op, rules);
  checkAttrs(op, rules);
  checkResults(op, spec);
  const complaint = spec.verify?.(op as RawOp);
  if (complaint !== undefined) breaks(op, complaint);
  const result = op.results[0];
  if (op.name === "const" && result) checkLiteral(op, (op as Op<"const">).attrs.value, result.type);
}
