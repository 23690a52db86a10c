/** Random statements, control flow included. Every loop ends: its counter is its own. */
import { type Expr, type Interval, isFloatType, isIntType, isNarrowType, isWideType, type Stmt, type Type } from "../program.ts";
import { absorb, endOfThread, mark } from "./digest.ts";
import { condition } from "./expressions.ts";
import { exactFloat } from "./floats.ts";
import { fit } from "./integers.ts";
import { deeper, fullRange, interval, type Maker, op, type Scope, text, type Variable, variableText, whole } from "./maker.ts";
import {
  atomic,
  ballot,
  count,
  exchange,
  type Made,
  ownAtomic,
  ownLoad,
  store,
  storeVector,
  subview,
  vector,
  withVariables,
} from "./memory-statements.ts";

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
function valueFor(m: Maker, scope: Scope, { type, range }: Pick<Variable, "type" | "range">, depth: number): Expr {
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

function declare(m: Maker, scope: Scope): Made {
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

const assignable = (scope: Scope): readonly Variable[] => scope.variables.filter((v) => v.assignable);

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

function assign(m: Maker, scope: Scope): Made {
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

/** A jump that some threads take. */
function jump(m: Maker, scope: Scope): readonly Stmt[] | undefined {
  const { returns, targets } = scope;
  const kind = m.random.weighted({ jump: targets.length > 0 ? 6 : 0, end: returns === "nothing" ? 0 : 1, none: 0.01 });
  if (kind === "none") return undefined;
  if (kind === "end") {
    if (returns === "thread") m.ended = true;
    if (returns === "thread" || returns === "nothing") return [...endOfThread(scope), { kind: "return" }];
    return [{ kind: "return", value: m.make(scope, returns, 2) }];
  }
  const target = m.random.pick(targets);
  const innermost = targets.at(-1) === target && target.loop;
  if (!target.label && !innermost) return undefined;
  const named = target.label !== undefined && (!innermost || m.random.chance(0.3)) ? { label: target.label } : {};
  return [{ kind: "jump", jump: target.loop && m.random.chance(0.5) ? "continue" : "break", ...named }];
}

/** Under a condition that not every thread need share. */
const divergent = (scope: Scope): Scope => deeper(scope, { uniform: false });

function branch(m: Maker, scope: Scope): Made {
  const asked = condition(m, scope, 3);
  const inside = divergent(scope);
  const leaves = m.random.chance(scope.targets.length > 0 ? 0.5 : 0.15) ? jump(m, inside) : undefined;
  const yes = [...(leaves && m.random.chance(0.6) ? [] : block(m, inside, 3)), ...(leaves ?? [])];
  const no = m.random.chance(0.4) ? { no: block(m, inside, 3) } : {};
  return { statements: [{ kind: "if", condition: asked, yes, ...no }], scope };
}

function switchOver(m: Maker, scope: Scope): Made {
  const value = fit(m, m.make(scope, "i32", 2), interval(0, 7));
  // `break` inside a case would end the case: jumps of the loop around are left out.
  const inside = divergent({ ...scope, targets: scope.targets.filter((t) => t.label).map((t) => ({ ...t, loop: false })) });
  const labels = [0, 1, 2, 3, 4, 5].filter(() => m.random.chance(0.6));
  const groups: number[][] = [];
  for (const label of labels) {
    const last = groups.at(-1);
    if (last && m.random.chance(0.3)) last.push(label);
    else groups.push([label]);
  }
  const all = m.random.chance(0.7) ? [...groups, []] : groups;
  if (all.length === 0) return branch(m, scope);
  return { statements: [{ kind: "switch", value, cases: all.map((l) => ({ labels: l, body: block(m, inside, 2) })) }], scope };
}

/** A label, where something inside may want one. */
const labelFor = (m: Maker): { readonly label?: string } => (m.random.chance(0.3) ? { label: m.fresh("L") } : {});

const inLoop = (scope: Scope, label: string | undefined, index: Variable | undefined): Scope =>
  deeper(scope, {
    uniform: false,
    loops: scope.loops - 1,
    targets: [...scope.targets, { label, loop: true }],
    variables: index ? [...scope.variables, index] : scope.variables,
  });

function rangeLoop(m: Maker, scope: Scope): Made {
  const index = m.fresh("k");
  const label = labelFor(m);
  const types = m.types.filter((t) => isIntType(t) && !isNarrowType(t) && t !== "u32");
  const type = m.random.chance(0.85) || types.length === 0 ? "i32" : m.random.pick(types);
  const integer = isIntType(type) ? type : "i32";
  const down = integer !== "u64" && m.random.chance(0.25);
  // Bounds that are all static bigints would make an i64.
  const bound = (lo: number, hi: number): Expr =>
    integer !== "u64" && m.random.chance(0.4)
      ? whole(integer, m.random.between(lo, hi))
      : fit(m, m.make(scope, integer, 2), interval(lo, hi));
  const [from, to] = m.random.chance(0.5) ? [whole(integer, 0), bound(0, 5)] : [bound(0, 3), bound(0, 6)];
  const step = m.random.pick([1, 1, 2, 3]);
  const bounds = down ? ([to, from, whole(integer, -step)] as const) : ([from, to, whole(integer, step)] as const);
  const unroll = m.random.chance(0.2) ? { unroll: m.random.pick([2, 3, 4]) } : {};
  const inside = inLoop(scope, label.label, { name: index, type: integer, sure: true, range: interval(0, 6), assignable: false });
  return { statements: [{ kind: "range", index, ...label, bounds, ...unroll, body: block(m, inside, 3) }], scope };
}

function whileLoop(m: Maker, scope: Scope): Made {
  const counter = m.fresh("w");
  const label = labelFor(m);
  const limit = m.random.chance(0.5) ? whole("i32", m.random.between(1, 5)) : fit(m, m.make(scope, "i32", 2), interval(0, 5));
  const more = m.random.chance(0.4) ? { condition: condition(m, scope, 2) } : {};
  const form = m.random.pick(["while", "do", "for", "endless"] as const);
  const inside = inLoop(scope, label.label, { name: counter, type: "i32", sure: true, range: interval(0, 6), assignable: false });
  return { statements: [{ kind: "while", counter, ...label, form, limit, ...more, body: block(m, inside, 3) }], scope };
}

function staticLoop(m: Maker, scope: Scope): Made {
  const index = m.fresh("s");
  const label = labelFor(m);
  const count = m.random.between(1, 3);
  const form = m.random.pick(["staticRange", "for", "of"] as const);
  const variable: Variable = { name: index, type: "i32", sure: false, range: interval(0, count - 1), assignable: false };
  const inside = { ...inLoop(scope, label.label, variable), uniform: false };
  return { statements: [{ kind: "static", index, ...label, form, count, body: block(m, inside, 2) }], scope };
}

/** A loop that every thread runs as often, with barriers in it. No jump leaves it but for the end of a thread. */
function commonLoop(m: Maker, scope: Scope): Made {
  const index = m.fresh("k");
  const n = m.scalars.find((s) => s.name === "n");
  const stop = n && m.random.chance(0.5) ? text("n", "i32", true, interval(0, 4)) : whole("i32", m.random.between(1, 3));
  const variable: Variable = { name: index, type: "i32", sure: true, range: interval(0, 4), assignable: false };
  const inside = deeper(scope, { loops: scope.loops - 1, targets: [], variables: [...scope.variables, variable] });
  const shared = [exchange(m, inside), count(m, inside)].flatMap((made) => made?.statements ?? []);
  const body = [...block(m, inside, 2), ...shared, ...block(m, inside, 1)];
  const bounds = [whole("i32", 0), stop, whole("i32", 1)] as const;
  return { statements: [{ kind: "range", index, bounds, body }], scope };
}

function labelledBlock(m: Maker, scope: Scope): Made {
  const label = m.fresh("B");
  const inside = deeper(scope, { uniform: false, targets: [...scope.targets, { label, loop: false }] });
  return { statements: [{ kind: "block", label, body: block(m, inside, 4) }], scope };
}

/** A sum over a loop: the one variable whose range grows from turn to turn. */
function sumLoop(m: Maker, scope: Scope): Made {
  const [name, index] = [m.fresh("total"), m.fresh("k")];
  const type = m.types.includes("i64") && m.random.chance(0.3) ? "i64" : "i32";
  const trips = m.random.between(2, 6);
  const variable: Variable = { name: index, type: "i32", sure: true, range: interval(0, trips - 1), assignable: false };
  const inside = withVariables(deeper(scope, { targets: [], uniform: false }), [variable]);
  const term = fit(m, m.make(inside, type, 3), interval(-1000, 1000));
  const total: Variable = { name, type, sure: false, range: interval(-1000 * trips, 1000 * trips), assignable: false };
  const add: Stmt = { kind: "update", name, sign: "+", value: op("add", type, [variableText(total), term], total.range) };
  const body: Stmt[] = m.random.chance(0.5) ? [{ kind: "if", condition: condition(m, inside, 2), yes: [add] }] : [add];
  const bounds = [whole("i32", 0), whole("i32", trips), whole("i32", 1)] as const;
  return {
    statements: [
      { kind: "declare", name, constant: false, value: whole(type, 0) },
      { kind: "range", index, bounds, body },
    ],
    scope: withVariables(scope, [total]),
  };
}

/** A function that changes variables around it, and calls of it where not every thread asks for them. */
function closure(m: Maker, scope: Scope): Made | undefined {
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

const simple = {
  declare: 5,
  assign: 6,
  store: 3,
  ownLoad: 1,
  vector: 0.7,
  storeVector: 0.7,
  subview: 1,
  atomic: 1.5,
  ownAtomic: 1,
  closure: 0.7,
} as const;
const nested = { branch: 7, switch: 1, range: 4, while: 4, static: 1.5, block: 1, sum: 1 } as const;
const common = { exchange: 3, count: 2, common: 1.5 } as const;

type Kind = keyof typeof simple | keyof typeof nested | keyof typeof common | "ballot";

/** A helper computes: it does not touch memory. */
const pure: ReadonlySet<Kind> = new Set<Kind>([
  "declare",
  "assign",
  "branch",
  "switch",
  "range",
  "while",
  "static",
  "block",
  "sum",
  "closure",
]);
const loops: ReadonlySet<Kind> = new Set<Kind>(["range", "while", "static", "common", "sum"]);

const makers: Readonly<Record<Kind, (m: Maker, scope: Scope) => Made | undefined>> = {
  declare,
  assign,
  store,
  ownLoad,
  vector,
  storeVector,
  subview,
  atomic,
  ownAtomic,
  closure,
  branch,
  switch: switchOver,
  range: rangeLoop,
  while: whileLoop,
  static: staticLoop,
  block: labelledBlock,
  sum: sumLoop,
  exchange,
  count,
  common: commonLoop,
  ballot,
};

function statement(m: Maker, scope: Scope): Made {
  const weights: Partial<Record<Kind, number>> = {
    ...simple,
    ...(scope.depth > 0 ? nested : {}),
    ...(scope.uniform ? common : {}),
    ...(scope.uniform && !m.ended && scope.loops === mostLoops && warps(m) ? { ballot: 1.5 } : {}),
  };
  const allowed = Object.entries(weights).filter(
    ([kind]) =>
      (scope.returns === "thread" || pure.has(kind as Kind)) &&
      (!loops.has(kind as Kind) || scope.loops > 0) &&
      (kind !== "common" || scope.depth > 0),
  );
  m.left--;
  return makers[m.random.weighted(Object.fromEntries(allowed)) as Kind](m, scope) ?? assign(m, scope);
}

/** How deep loops may be nested. */
export const mostLoops = 2;

const warps = (m: Maker): boolean => m.block.reduce((n, s) => n * s, 1) % 32 === 0;

/** Some statements, one after the other. */
export function statements(m: Maker, scope: Scope, most: number): Made {
  const list: Stmt[] = [];
  let inside = scope;
  for (let i = m.random.between(1, most); i > 0 && m.left > 0; i--) {
    const made = statement(m, inside);
    list.push(...made.statements);
    inside = made.scope;
  }
  return { statements: list, scope: inside };
}

/** The inside of a construct. That it ran, and what it made, is mixed into the digest. */
function block(m: Maker, scope: Scope, most: number): readonly Stmt[] {
  const made = statements(m, scope, most);
  const local = made.scope.variables.slice(scope.variables.length);
  return [...(m.random.chance(0.5) ? mark(m, scope) : []), ...made.statements, ...absorb(made.scope, local)];
}
