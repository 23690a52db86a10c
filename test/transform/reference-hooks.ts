import type { Completion, Hooks, Vars } from "../../src/dsl/hooks-interface.ts";

// biome-ignore lint/suspicious/noExplicitAny: stands for operators on values of every type
type Any = any;

type Jump = { kind: "ret"; value: unknown } | { kind: "brk" | "cont"; label: string | undefined };

class Impossible extends Error {}

const binary: Record<string, (a: Any, b: Any) => unknown> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "**": (a, b) => a ** b,
  "&": (a, b) => a & b,
  "|": (a, b) => a | b,
  "^": (a, b) => a ^ b,
  "<<": (a, b) => a << b,
  ">>": (a, b) => a >> b,
  ">>>": (a, b) => a >>> b,
  "===": (a, b) => a === b,
  "!==": (a, b) => a !== b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  // biome-ignore lint/suspicious/noDoubleEquals: this is what `==` means
  "==": (a, b) => a == b,
  "!=": (a, b) => !binary["=="]?.(a, b),
  in: (a, b) => a in b,
  instanceof: (a, b) => a instanceof b,
};

const unary: Record<string, (a: Any) => unknown> = {
  "-": (a) => -a,
  "+": (a) => +a,
  "~": (a) => ~a,
  "!": (a) => !a,
  typeof: (a) => typeof a,
  void: () => undefined,
  "++": (a) => ++a,
  "--": (a) => --a,
};

/**
 * The hooks as plain JavaScript. With `speculate`, each branch that is not taken runs as well and is then undone through `vars`
 * and the log of field writes, as a tracer would: a variable that `vars` forgets keeps what the wrong branch gave it.
 */
export function referenceHooks(speculate: boolean, effects: ReadonlySet<unknown> = new Set()): Hooks {
  let depth = 0;
  const undo: (() => void)[] = [];

  const attempt = (run: () => unknown, vars: Vars): void => {
    if (!speculate || depth > 2) return;
    const before = vars?.get();
    const mark = undo.length;
    depth++;
    try {
      run();
    } catch {
      // the branch that is not taken may do anything
    }
    depth--;
    while (undo.length > mark) undo.pop()?.();
    if (before) vars?.set(before);
  };
  const write = (object: Any, key: Any, value: unknown): unknown => {
    if (depth > 0) {
      const had = Object.hasOwn(object, key);
      const old = object[key];
      undo.push(() => {
        if (had) object[key] = old;
        else delete object[key];
      });
    }
    object[key] = value;
    return value;
  };
  const untaken = (b: () => unknown, vars: Vars, a: unknown): unknown => {
    attempt(b, vars);
    return a;
  };
  const settle = (vars: Vars): void => vars?.set(vars.get());
  const jump = (c: Completion): Jump | undefined => c as Jump | undefined;
  const branch = (taken: () => Any, other: (() => unknown) | null, vars: Vars): Any => {
    if (other) attempt(other, vars);
    const result = taken();
    settle(vars);
    return result;
  };
  /** How a loop goes on after its body: "next", "stop", or the completion that passes on. */
  const after = (c: Completion, labels: readonly string[]): "next" | "stop" | Jump => {
    const found = jump(c);
    if (!found) return "next";
    if (found.kind === "ret" || (found.label !== undefined && !labels.includes(found.label))) return found;
    return found.kind === "cont" ? "next" : "stop";
  };
  const act = (f: Any, self: unknown, args: readonly unknown[]): unknown => {
    if (typeof f !== "function") throw new TypeError("not a function");
    if (depth > 0 && (effects.has(f) || f === Array.prototype.push)) return undefined;
    return Reflect.apply(f, self, args);
  };
  const hooks: Hooks = {
    fn: (_at, _meta, f) => f,
    method: () => (f) => f,
    body: (_at, run) => {
      const found = jump(run());
      return found?.kind === "ret" ? found.value : undefined;
    },
    ret: (_at, value) => ({ kind: "ret", value }) satisfies Jump,
    brk: (_at, label) => ({ kind: "brk", label }) satisfies Jump,
    cont: (_at, label) => ({ kind: "cont", label }) satisfies Jump,
    if: (_at, condition, yes, no, vars, rest) => {
      const other = condition ? no : yes;
      const done = branch(condition ? yes : (no ?? (() => undefined)), other, vars);
      return done ?? rest?.();
    },
    // biome-ignore lint/suspicious/noThenProperty: the hook's name; the hooks are never awaited
    then: (_at, before, rest) => before ?? rest(),
    forOf: (_at, iterable, body, vars, labels = []) => {
      const elements = [...(iterable as Iterable<unknown>)];
      if (elements.length > 0) attempt(() => body(elements[0]), vars);
      for (const element of elements) {
        const next = after(body(element), labels);
        settle(vars);
        if (next === "stop") return undefined;
        if (next !== "next") return next;
      }
      return undefined;
    },
    loop: (_at, { test, update, body, postTest, labels = [] }, vars) => {
      attempt(() => [test?.(), body(), update?.()], vars);
      for (let first = true; (postTest && first) || !test || test(); first = false) {
        const next = after(body(), labels);
        settle(vars);
        if (next === "stop") return undefined;
        if (next !== "next") return next;
        update?.();
      }
      return undefined;
    },
    switch: (_at, value, cases, vars, labels = []) => {
      for (const c of cases) attempt(c.body, vars);
      let from = cases.findIndex((c) => c.test !== null && c.test() === value);
      if (from < 0) from = cases.findIndex((c) => c.test === null);
      if (from < 0) return undefined;
      for (const c of cases.slice(from)) {
        if (c.empty) continue;
        const found = jump(c.body());
        settle(vars);
        if (!found) continue;
        return found.kind === "brk" && (found.label === undefined || labels.includes(found.label)) ? undefined : found;
      }
      return undefined;
    },
    label: (_at, name, body, vars) => {
      attempt(body, vars);
      const found = jump(body());
      settle(vars);
      return found?.kind === "brk" && found.label === name ? undefined : found;
    },
    keys: (_at, object) => {
      const keys: string[] = [];
      for (const key in object as object) keys.push(key);
      return keys;
    },
    stmt: () => undefined,
    raise: (_at, value) => value,
    bin: (_at, op, a, b) => (binary[op] ?? impossible(op))(a, b),
    un: (_at, op, a) => (unary[op] ?? impossible(op))(a),
    and: (_at, a, b, vars) => (a ? branch(b, null, vars) : untaken(b, vars, a)),
    or: (_at, a, b, vars) => (a ? untaken(b, vars, a) : branch(b, null, vars)),
    nullish: (_at, a, b, vars) => (a === null || a === undefined ? branch(b, null, vars) : untaken(b, vars, a)),
    cond: (_at, condition, yes, no, vars) => branch(condition ? yes : no, condition ? no : yes, vars),
    first: (value) => value,
    test: (_at, value) => value,
    template: (_at, strings, values) => strings.map((s, i) => s + (i < values.length ? String(values[i]) : "")).join(""),
    key: (_at, key) => (typeof key === "symbol" ? key : String(key)),
    spread: (_at, iterable) => iterable as Iterable<unknown>,
    elements: (_at, iterable, count, rest) => {
      const all = [...(iterable as Iterable<unknown>)];
      const first = Array.from({ length: count }, (_, i) => all[i]);
      return rest ? [...first, all.slice(count)] : first;
    },
    get: (_at, object, key) => (object as Any)[key as Any],
    getOpt: (_at, object, key) => (object as Any)?.[key as Any],
    set: (_at, object, key, value) => write(object, key, value),
    update: (_at, object, key, change) => write(object, key, change((object as Any)[key as Any])),
    updatePost: (_at, object, key, change) => {
      const old = (object as Any)[key as Any];
      write(object, key, change(old));
      return old;
    },
    remove: (_at, object, key) => delete (object as Any)[key as Any],
    box: (_at, _name, value) => ({ v: value }),
    born: (value) => value,
    call: (_at, f, args) => act(f, undefined, args),
    callOpt: (_at, f, args) => (f === null || f === undefined ? undefined : act(f, undefined, args())),
    invoke: (_at, object, key, args) => act((object as Any)[key as Any], object, args),
    invokeOpt: (_at, object, key, args, _text, on) => {
      if (on === "object" && (object === null || object === undefined)) return undefined;
      const f = (object as Any)[key as Any];
      return on === "method" && (f === null || f === undefined) ? undefined : act(f, object, args());
    },
    make: (_at, made, args) => Reflect.construct(made as Any, args),
    tagged: (_at, object, tag, strings, raw, values) =>
      (tag as Any).apply(object, [Object.assign([...strings], { raw }), ...values]),
  };
  return hooks;
}

function impossible(operator: string): never {
  throw new Impossible(operator);
}
