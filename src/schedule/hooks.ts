/** `warpsmith/schedule/hooks`: what the syntax of a program means. Transformed code calls it. */

import type { Span } from "../base/diag/index.ts";
import { fieldsOf } from "../base/fields.ts";
import { hooksVersion } from "../base/hook-names.ts";
import type { At, FunctionMeta, Hooks, ModuleInfo, Vars } from "../dsl/emit.ts";
import { binary as plainBinary, unary as plainUnary } from "../dsl/emit.ts";
import { fail } from "./errors/index.ts";
import { elementOf, isIndex, isIndexed, storeElement } from "./trace/buffers.ts";
import { callFunction, checkChange } from "./trace/calls.ts";
import { registerFunction } from "./trace/functions.ts";
import { binary, negative, not, toExpr } from "./trace/numbers.ts";
import {
  choose,
  ended,
  forOf,
  ifStatement,
  Leaving,
  nothing,
  shortCircuit,
  switchOf,
  type Variables,
  whileLoop,
} from "./trace/statements.ts";
import { describe, isSymbolic } from "./trace/symbolic.ts";
import { currentTracing, failHere, type Tracing } from "./trace/tracing.ts";

const isNothing = (x: unknown): x is null | undefined => x === null || x === undefined;

interface Place {
  span(at: At): Span | undefined;
  vars(vars: Vars): Variables;
  /** Runs `run` at that place of the author's text. */
  at<T>(at: At, run: (tracing: Tracing) => T): T;
  /** The same for a statement that others stand in: to them it is where they are, not who called. */
  around<T>(at: At, run: (tracing: Tracing) => T): T;
}

function placesOf({ file, spans, binds = {} }: ModuleInfo): Place {
  const known = new Map<At, Span>();
  const span = (at: At): Span | undefined => {
    const found = known.get(at);
    if (found) return found;
    const [line, column, length] = [spans[3 * at], spans[3 * at + 1], spans[3 * at + 2]];
    if (line === undefined || column === undefined || length === undefined) return undefined;
    const name = binds[at];
    const made: Span = { file, line, column, length, ...(name === undefined ? {} : { binds: name }) };
    known.set(at, made);
    return made;
  };
  return {
    span,
    vars: (vars) => (vars ? { names: vars.names, spans: vars.at.map(span), get: () => vars.get() } : nothing),
    at: (at, run) => {
      const tracing = currentTracing("this code of a program");
      return tracing.at(span(at), () => run(tracing));
    },
    around: (at, run) => {
      const tracing = currentTracing("this code of a program");
      const place = span(at);
      return tracing.at(place && { ...place, note: "inside" }, () => run(tracing));
    },
  };
}

const boxes = new WeakMap<object, string>();

function getField(tracing: Tracing, object: unknown, key: unknown): unknown {
  if (isIndexed(object) && isIndex(key)) return elementOf(tracing, object, key);
  if (isNothing(object)) return failHere("W2076", { value: String(object), key: describeKey(key) });
  if (isSymbolic(object))
    return failHere("W5511", {
      op: `\`.${describeKey(key)}\``,
      what: describe(object),
      instead: "compute with operators and Math",
    });
  if (isIndexed(object)) {
    if (typeof key === "string" && ["shape", "dtype", "region"].includes(key)) return fieldsOf(object)[key];
    return failHere("W5511", {
      op: `\`.${describeKey(key)}\``,
      what: object.describe,
      instead: "it has `.shape`, `.dtype` and `.region(…)`, and one index for each dimension",
    });
  }
  refuseSymbolicKey(key);
  return fieldsOf(object)[key as PropertyKey];
}

const describeKey = (key: unknown): string => (isSymbolic(key) ? "[…]" : String(key));

function refuseSymbolicKey(key: unknown): void {
  if (isSymbolic(key))
    failHere("W5507", {
      what: "the index of an array",
      got: describe(key),
      instead: "keep the values in a buffer, or go through the array with a loop of the host: `for (const i of [0, 1, 2])`",
    });
}

function setField(tracing: Tracing, object: unknown, key: unknown, value: unknown): unknown {
  if (isIndexed(object)) {
    if (!isIndex(key))
      return failHere("W5511", { op: `\`.${describeKey(key)} =\``, what: object.describe, instead: "assign its elements" });
    storeElement(tracing, object, key, value);
    return value;
  }
  if (isNothing(object)) return failHere("W2076", { value: String(object), key: describeKey(key) });
  if (isSymbolic(object))
    return failHere("W5511", { op: "assignment to a field", what: describe(object), instead: "assign an element of a buffer" });
  refuseSymbolicKey(key);
  const name = boxes.get(object as object);
  checkChange(tracing, object, name === undefined ? `\`.${String(key)}\`` : `\`${name}\``);
  fieldsOf(object)[key as PropertyKey] = value;
  return value;
}

function unary(op: string, a: unknown): unknown {
  if (op === "void") return undefined;
  if (op === "!") return not(a);
  if (!isSymbolic(a)) return plainUnary(op, a);
  if (op === "typeof") return a.dtype === "bool" ? "boolean" : "number";
  if (op === "-") return negative(a);
  if (op === "+") return toExpr(a).dtype === "bool" ? failHere("W2006", { op: "+", what: describe(a) }) : a;
  if (op === "++" || op === "--") return binary(op[0] ?? "+", a, 1);
  return failHere("W5511", { op: `\`${op}\``, what: describe(a), instead: "compute with + - * / %" });
}

function staticOnly(x: unknown, what: string): void {
  if (isSymbolic(x)) failHere("W5507", { what, got: describe(x), instead: "use host values for names, texts and shapes" });
}

function firstElements(iterable: unknown, count: number, rest: boolean): unknown[] {
  staticOnly(iterable, "what is taken apart");
  if (isNothing(iterable) || typeof (iterable as Iterable<unknown>)[Symbol.iterator] !== "function")
    failHere("W2031", { what: describe(iterable) });
  const iterator = (iterable as Iterable<unknown>)[Symbol.iterator]();
  const out: unknown[] = [];
  let isDone = false;
  const next = (): unknown => {
    const step = isDone ? undefined : iterator.next();
    isDone ||= step?.done === true;
    return isDone ? undefined : step?.value;
  };
  for (let i = 0; i < count; i++) out.push(next());
  if (!rest) {
    if (!isDone) iterator.return?.();
    return out;
  }
  const others: unknown[] = [];
  for (let value = next(); !isDone; value = next()) others.push(value);
  return [...out, others];
}

function invoke(tracing: Tracing, object: unknown, key: unknown, args: readonly unknown[], text: string): unknown {
  return callMethod(tracing, getField(tracing, object, key), object, args, text);
}
function callMethod(tracing: Tracing, f: unknown, object: unknown, args: readonly unknown[], text: string): unknown {
  const site = { text, construct: false };
  if (f === Function.prototype.call) return callFunction(tracing, { ...site, f: object, receiver: args[0], args: args.slice(1) });
  if (f === Function.prototype.apply)
    return callFunction(tracing, { ...site, f: object, receiver: args[0], args: [...((args[1] as unknown[]) ?? [])] });
  return callFunction(tracing, { ...site, f, receiver: object, args });
}

function functionHooks({ at, span }: Place) {
  const register = <F extends object>(place: At, meta: FunctionMeta, f: F): F => {
    registerFunction(f, { ...meta, span: span(place) });
    return f;
  };
  return {
    fn: register,
    method: (place, meta) => (f) => register(place, meta, f),
    body: (_place, run) => {
      const end = ended(run());
      return end?.kind === "ret" ? end.value : undefined;
    },
    call: (place, f, args, text) => at(place, (t) => callFunction(t, { f, receiver: undefined, args, text, construct: false })),
    callOpt: (place, f, args, text) =>
      isNothing(f)
        ? undefined
        : at(place, (t) => callFunction(t, { f, receiver: undefined, args: args(), text, construct: false })),
    invoke: (place, object, key, args, text) => at(place, (t) => invoke(t, object, key, args, text)),
    invokeOpt: (place, object, key, args, text, on) =>
      at(place, (t) => {
        if (on === "object") return isNothing(object) ? undefined : invoke(t, object, key, args(), text);
        const f = getField(t, object, key);
        return isNothing(f) ? undefined : callMethod(t, f, object, args(), text);
      }),
    make: (place, maker, args, text) =>
      at(place, (t) => callFunction(t, { f: maker, receiver: undefined, args, text, construct: true })),
    tagged: (place, object, tag, strings, raw, values, text) =>
      at(place, (t) =>
        callFunction(t, {
          f: tag,
          receiver: object,
          args: [Object.freeze(Object.defineProperty([...strings], "raw", { value: Object.freeze([...raw]) })), ...values],
          text,
          construct: false,
        }),
      ),
  } satisfies Partial<Hooks>;
}

function statementHooks({ at, around, span, vars: variables }: Place) {
  return {
    ret: (_at, value) => new Leaving("ret", undefined, value),
    brk: (_at, label) => new Leaving("brk", label),
    cont: (_at, label) => new Leaving("cont", label),
    if: (place, condition, yes, no, vars, rest) =>
      around(place, (t) => ifStatement(t, condition, yes, no, variables(vars), span(place), rest)),
    // biome-ignore lint/suspicious/noThenProperty: nobody awaits the hooks
    then: (_at, before, rest) => ended(before) ?? ended(rest()),
    forOf: (place, iterable, body, vars, labels = []) =>
      around(place, (t) => forOf(t, iterable, body, variables(vars), span(place), labels)),
    loop: (place, parts) => around(place, () => whileLoop(parts)),
    switch: (place, value, cases, _vars, labels = []) => around(place, () => switchOf(value, cases, labels)),
    label: (_at, name, body) => {
      const end = ended(body());
      return end?.kind === "brk" && end.label === name ? undefined : end;
    },
    keys: (place, object) =>
      at(place, () => {
        staticOnly(object, "what `for … in` goes through");
        const keys: string[] = [];
        for (const key in object as object) keys.push(key);
        return keys;
      }),
    stmt: () => {},
    raise: (_at, value) => value,
  } satisfies Partial<Hooks>;
}

function expressionHooks({ at, around, vars: variables }: Place) {
  return {
    bin: (place, op, a, b) => at(place, () => (isSymbolic(a) || isSymbolic(b) ? binary(op, a, b) : plainBinary(op, a, b))),
    un: (place, op, a) => at(place, () => unary(op, a)),
    and: (place, a, b, vars) => around(place, (t) => shortCircuit(t, "&&", a, b, variables(vars))),
    or: (place, a, b, vars) => around(place, (t) => shortCircuit(t, "||", a, b, variables(vars))),
    nullish: (_at, a, b) => a ?? b(),
    cond: (place, condition, yes, no, vars) => around(place, (t) => choose(t, condition, yes, no, variables(vars))),
    first: (value) => value,
    test: (_at, value) => value,
    template: (place, strings, values) =>
      at(place, () => {
        for (const value of values) staticOnly(value, "what stands in a text");
        return String.raw({ raw: strings }, ...values);
      }),
    key: (place, key) =>
      at(place, () => {
        staticOnly(key, "a key");
        return key as PropertyKey;
      }),
    spread: (place, iterable) =>
      at(place, () => {
        staticOnly(iterable, "what `…` spreads");
        return iterable as Iterable<unknown>;
      }),
    elements: (place, iterable, count, rest) => at(place, () => firstElements(iterable, count, rest)),
  } satisfies Partial<Hooks>;
}

function fieldHooks({ at }: Place) {
  return {
    get: (place, object, key) => at(place, (t) => getField(t, object, key)),
    getOpt: (place, object, key) => (isNothing(object) ? undefined : at(place, (t) => getField(t, object, key))),
    set: (place, object, key, value) => at(place, (t) => setField(t, object, key, value)),
    update: (place, object, key, change) => at(place, (t) => setField(t, object, key, change(getField(t, object, key)))),
    updatePost: (place, object, key, change) =>
      at(place, (t) => {
        const old = getField(t, object, key);
        setField(t, object, key, change(old));
        return old;
      }),
    remove: (place, object, key) =>
      at(place, (t) => {
        staticOnly(key, "a key");
        checkChange(t, object, `\`.${String(key)}\``);
        return Reflect.deleteProperty(object as object, key as PropertyKey);
      }),
    box: (_at, name, value) => {
      const box = currentTracing("this code of a program").born({ v: value });
      boxes.set(box, name);
      return box;
    },
    born: (value) => currentTracing("this code of a program").born(value),
  } satisfies Partial<Hooks>;
}

/** Opens the hooks for one transformed module: what the rewritten syntax of its programs calls. W2021. */
export function open(version: number, info: ModuleInfo): Hooks {
  if (version !== hooksVersion) fail("W2021", { found: version, wanted: hooksVersion });
  const place = placesOf(info);
  return { ...functionHooks(place), ...statementHooks(place), ...expressionHooks(place), ...fieldHooks(place) };
}
