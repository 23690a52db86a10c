/** Random variables: declared, assigned, updated, changed by a function. */
import { type Expr, type Interval, isFloatType, isIntType, isNarrowType, isWideType, type Stmt, type Type } from "../program.ts";
import { condition } from "./expressions.ts";
import { exactFloat } from "./floats.ts";
import { fit } from "./integers.ts";
import {
  fullRange,
  interval,
  type Made,
  type Maker,
  op,
  type Scope,
  text,
  type Variable,
  variableText,
  whole,
  withVariables,
} from "./maker.ts";

const anyRange = (type: Type): Interval | undefined => (isIntType(type) ? fullRange(type) : undefined);

/** What an integer variable may hold; wider ones are wrapped when they are assigned. */
function variableRange(m: Maker, type: Type): Interval | undefined {
  if (!isIntType(type) || isNarrowType(type)) return anyRange(type);
  const kind = m.random.weighted({ full: 4, byte: 2, around: 2, few: 1 });
  if (kind === "full") return fullRange(type);
  if (kind === "around") return interval(type[0] === "u" ? 0 : -1000, 1000);
  return interval(0, kind === "byte" ? 255 : 15);
}

/** A value for a variable of that range. */
export function valueFor(m: Maker, scope: Scope, { type, range }: Pick<Variable, "type" | "range">, depth: number): Expr {
  const made = m.make(scope, type, depth);
  return range && made.range && !isNarrowType(type) ? fit(m, made, range) : made;
}

/** A JavaScript number that every type has, for a variable whose type is found later. */
function openValue(m: Maker, type: Type): Expr {
  if (isFloatType(type)) return text(exactFloat(m), type, false);
  return type === "bool"
    ? text(m.random.pick(["true", "false"]), type, false)
    : whole(isWideType(type) ? type : "i32", m.random.below(10));
}

export function declare(m: Maker, scope: Scope): Made {
  const type = m.random.pick(m.types);
  const name = m.fresh("v");
  const range = variableRange(m, type);
  const kind = m.random.weighted({ constant: 3, variable: 5, open: 2, unset: 1, array: 1, record: 1 });
  if (kind === "array" || kind === "record") return declareParts(m, scope, kind, type, range);
  const sure = kind !== "open" || isNarrowType(type);
  const variable: Variable = { name, type, sure, range, assignable: kind !== "constant" };
  const after = withVariables(scope, [variable]);
  if (kind === "unset") {
    const wide = type === "bool" ? "boolean" : isWideType(type) ? "bigint" : "number";
    const assign = (): Stmt => ({ kind: "assign", name, value: valueFor(m, scope, variable, 2) });
    const both: Stmt = { kind: "if", condition: condition(m, scope, 2), yes: [assign()], no: [assign()] };
    return { statements: [{ kind: "unset", name, wide }, both], scope: after };
  }
  const value = sure ? valueFor(m, scope, variable, 3) : openValue(m, type);
  return { statements: [{ kind: "declare", name, constant: kind === "constant", value }], scope: after };
}

/** An array of equal types, or an object: each element or field is a variable of its own. */
function declareParts(m: Maker, scope: Scope, kind: "array" | "record", type: Type, range: Interval | undefined): Made {
  const name = m.fresh(kind === "array" ? "list" : "object");
  const types = Array.from({ length: m.random.between(2, 3) }, () => (kind === "array" ? type : m.random.pick(m.types)));
  const parts = types.map(
    (t, i): Variable => ({
      name: kind === "array" ? `${name}[${i}]` : `${name}.f${i}`,
      type: t,
      sure: true,
      range: t === type ? range : anyRange(t),
      assignable: true,
    }),
  );
  const values = parts.map((p) => valueFor(m, scope, p, 2));
  return { statements: [{ kind, name, values }], scope: withVariables(scope, parts) };
}

export const assignable = (scope: Scope): readonly Variable[] => scope.variables.filter((v) => v.assignable);

const floatUpdates = { add: "+", sub: "-", mul: "*", div: "/" } as const;
const bitUpdates = { and: "&", or: "|", xor: "^" } as const;

/** `v += e`, `v &= e`, `v++`, where the result is of the variable's type. */
function update(m: Maker, scope: Scope, v: Variable): Stmt | undefined {
  if (!v.sure) return undefined;
  if (isFloatType(v.type)) {
    if (m.random.chance(0.2)) {
      const up = m.random.chance(0.5);
      const one: Expr = text("1", v.type, false);
      return {
        kind: "step",
        name: v.name,
        sign: up ? "++" : "--",
        value: op(up ? "add" : "sub", v.type, [variableText(v), one]),
      };
    }
    const name = m.random.pick(["add", "sub", "mul", "div"] as const);
    return {
      kind: "update",
      name: v.name,
      sign: floatUpdates[name],
      value: op(name, v.type, [variableText(v), m.make(scope, v.type, 2)]),
    };
  }
  if (v.type !== "i32" || v.range?.hi !== fullRange("i32").hi) return undefined;
  const name = m.random.pick(["and", "or", "xor"] as const);
  return {
    kind: "update",
    name: v.name,
    sign: bitUpdates[name],
    value: op(name, "i32", [variableText(v), m.make(scope, "i32", 2)]),
  };
}

export function assign(m: Maker, scope: Scope): Made {
  const known = assignable(scope);
  if (known.length === 0) return declare(m, scope);
  const v = m.random.pick(known);
  const same = known.filter(
    (w) => w.type === v.type && w.sure === v.sure && w.range?.lo === v.range?.lo && w.range?.hi === v.range?.hi && w !== v,
  );
  if (same.length > 0 && m.random.chance(0.15))
    return { statements: [{ kind: "swap", a: v.name, b: m.random.pick(same).name }], scope };
  const updated = m.random.chance(0.4) ? update(m, scope, v) : undefined;
  return { statements: [updated ?? { kind: "assign", name: v.name, value: valueFor(m, scope, v, 3) }], scope };
}

/** A function that changes variables around it, and calls of it where not every thread asks for them. */
export function closure(m: Maker, scope: Scope): Made | undefined {
  const known = assignable(scope).filter((v) => v.sure && !v.name.includes("[") && !v.name.includes("."));
  if (known.length === 0) return undefined;
  const v = m.random.pick(known);
  const [name, param] = [m.fresh("change"), m.fresh("given")];
  const given: Variable = { name: param, type: "i32", sure: true, range: fullRange("i32"), assignable: false };
  const inner = withVariables({ ...scope, targets: [], returns: "nothing", uniform: false }, [given]);
  const body: Stmt[] = [{ kind: "assign", name: v.name, value: valueFor(m, inner, v, 2) }];
  const made: Stmt = { kind: "closure", name, params: [param], body, value: m.make(inner, "bool", 2) };
  const call: Expr = { kind: "call", name, args: [m.make(scope, "i32", 2)], type: "bool", sure: true };
  const asked = op(m.random.pick(["andThen", "orElse"]), "bool", [m.make(scope, "bool", 2), call]);
  const result = m.fresh("v");
  return {
    statements: [made, { kind: "declare", name: result, constant: true, value: asked }],
    scope: withVariables(scope, [{ name: result, type: "bool", sure: true, assignable: false }]),
  };
}
