/** Random control flow. Every loop ends: its counter is its own. */
import { type Expr, isIntType, isNarrowType, type Stmt } from "../program.ts";
import { endOfThread } from "./digest.ts";
import { condition } from "./expressions.ts";
import { fit } from "./integers.ts";
import {
  deeper,
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
import { count, exchange } from "./memory-statements.ts";

/** A jump that some threads take. */
function jump(m: Maker, scope: Scope): readonly Stmt[] | undefined {
  const { returns, targets } = scope;
  const end = returns === "nothing" || (returns === "thread" && !scope.ends) ? 0 : 1;
  const kind = m.random.weighted({ jump: targets.length > 0 ? 6 : 0, end, none: 0.01 });
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

export function branch(m: Maker, scope: Scope): Made {
  const asked = condition(m, scope, 3);
  const inside = divergent(scope);
  const leaves = m.random.chance(scope.targets.length > 0 ? 0.5 : 0.15) ? jump(m, inside) : undefined;
  const yes = [...(leaves && m.random.chance(0.6) ? [] : m.block(inside, 3)), ...(leaves ?? [])];
  const no = m.random.chance(0.4) ? { no: m.block(inside, 3) } : {};
  return { statements: [{ kind: "if", condition: asked, yes, ...no }], scope };
}

export function switchOver(m: Maker, scope: Scope): Made {
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
  return { statements: [{ kind: "switch", value, cases: all.map((l) => ({ labels: l, body: m.block(inside, 2) })) }], scope };
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

/** A step that is known on the GPU alone: the loop has to see which way it goes. */
function stagedStep(m: Maker, scope: Scope, down: boolean): Expr {
  const size = op("add", "i32", [fit(m, m.make(scope, "i32", 1), interval(0, 1)), whole("i32", 1)], interval(1, 2));
  return down ? op("neg", "i32", [size], interval(-2, -1)) : size;
}

export function rangeLoop(m: Maker, scope: Scope): Made {
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
  const size = m.random.pick([1, 1, 2, 3]);
  const step = m.random.chance(0.15) && integer === "i32" ? stagedStep(m, scope, down) : whole(integer, down ? -size : size);
  const bounds = down ? ([to, from, step] as const) : ([from, to, step] as const);
  const unroll = m.random.chance(0.2) ? { unroll: m.random.pick([2, 3, 4]) } : {};
  const inside = inLoop(scope, label.label, { name: index, type: integer, sure: true, range: interval(0, 6), assignable: false });
  return { statements: [{ kind: "range", index, ...label, bounds, ...unroll, body: m.block(inside, 3) }], scope };
}

export function whileLoop(m: Maker, scope: Scope): Made {
  const counter = m.fresh("w");
  const label = labelFor(m);
  const limit = m.random.chance(0.5) ? whole("i32", m.random.between(1, 5)) : fit(m, m.make(scope, "i32", 2), interval(0, 5));
  const more = m.random.chance(0.4) ? { condition: condition(m, scope, 2) } : {};
  const form = m.random.pick(["while", "do", "for", "endless"] as const);
  const inside = inLoop(scope, label.label, { name: counter, type: "i32", sure: true, range: interval(0, 6), assignable: false });
  return { statements: [{ kind: "while", counter, ...label, form, limit, ...more, body: m.block(inside, 3) }], scope };
}

export function staticLoop(m: Maker, scope: Scope): Made {
  const index = m.fresh("s");
  const label = labelFor(m);
  const count = m.random.between(1, 3);
  const form = m.random.pick(["staticRange", "for", "of"] as const);
  const variable: Variable = { name: index, type: "i32", sure: false, range: interval(0, count - 1), assignable: false };
  const inside = { ...inLoop(scope, label.label, variable), uniform: false };
  return { statements: [{ kind: "static", index, ...label, form, count, body: m.block(inside, 2) }], scope };
}

/** A loop that every thread runs as often, with barriers in it. No jump leaves it but for the end of a thread, where it writes no shared memory. */
export function commonLoop(m: Maker, scope: Scope): Made {
  const index = m.fresh("k");
  const n = m.scalars.find((s) => s.name === "n");
  const stop = n && m.random.chance(0.5) ? text("n", "i32", true, interval(0, 4)) : whole("i32", m.random.between(1, 3));
  const variable: Variable = { name: index, type: "i32", sure: true, range: interval(0, 4), assignable: false };
  const outer = deeper(scope, { loops: scope.loops - 1, targets: [], variables: [...scope.variables, variable] });
  const shared = [exchange(m, outer), count(m, outer)].flatMap((made) => made?.statements ?? []);
  const inside = { ...outer, ends: outer.ends && (m.ended || shared.length === 0) };
  const body = [...m.block(inside, 2), ...shared, ...m.block(inside, 1)];
  const bounds = [whole("i32", 0), stop, whole("i32", 1)] as const;
  return { statements: [{ kind: "range", index, bounds, body }], scope };
}

/** A branch that every thread takes or none, with barriers in it. */
export function commonBranch(m: Maker, scope: Scope): Made | undefined {
  const inside = deeper(scope, { targets: [] });
  const before = m.block(inside, 1);
  const shared = (m.random.chance(0.5) ? exchange(m, inside) : count(m, inside))?.statements;
  if (!shared) return undefined;
  const asked = op(m.random.pick(["lt", "ge"]), "bool", [
    text("n", "i32", true, interval(0, 4)),
    whole("i32", m.random.between(1, 3)),
  ]);
  return {
    statements: [{ kind: "if", condition: asked, yes: [...before, ...shared, ...m.block(inside, 2)] }],
    scope,
  };
}

export function labelledBlock(m: Maker, scope: Scope): Made {
  const label = m.fresh("B");
  const inside = deeper(scope, { uniform: false, targets: [...scope.targets, { label, loop: false }] });
  return { statements: [{ kind: "block", label, body: m.block(inside, 4) }], scope };
}

/** A sum over a loop: the one variable whose range grows from iteration to iteration. */
export function sumLoop(m: Maker, scope: Scope): Made {
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
