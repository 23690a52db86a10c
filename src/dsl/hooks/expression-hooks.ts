import { choose, shortCircuit } from "../control/choose.ts";
import { refuseOlderIterator } from "../control/for-of.ts";
import type { Hooks } from "../hooks-interface.ts";
import { truth } from "../numbers/compare.ts";
import { describe } from "../numbers/describe.ts";
import { elementwise } from "../numbers/elementwise.ts";
import { selectValue } from "../numbers/select.ts";
import { isOnGpu, Unusable, usable } from "../numbers/unusable.ts";
import { readField, refuseUnsureFields } from "../objects/fields.ts";
import { bornHere } from "../objects/frames.ts";
import { noteElements, noteReached } from "../objects/outer-reads.ts";
import { readWhole } from "../objects/whole.ts";
import { binary, concatenate } from "../operators/binary.ts";
import { unary } from "../operators/unary.ts";
import { failHere } from "../trace/fail-here.ts";
import { isOwnObject } from "../trace/staged.ts";
import { isStagedTile } from "../trace/staged-tile.ts";
import type { Trace } from "../trace/trace.ts";
import type { HookContext } from "./context.ts";
import { refuseObject } from "./made.ts";

function iterableOnly(x: unknown): Iterable<unknown> {
  if (isOnGpu(x)) failHere("W2041", { what: "what `…` spreads or takes apart" });
  if (isOwnObject(x) && "memory" in x) failHere("W2084", { what: describe(x) });
  return x as Iterable<unknown>;
}

/** Notes what is gone through; fields alone are noted where they are read. */
function noteIterated(trace: Trace, source: unknown): void {
  if (Array.isArray(source)) noteElements(trace, source);
  else if (typeof source === "object" && source !== null && Symbol.iterator in source) noteReached(trace, [source], true);
}

function firstElements(iterable: Iterable<unknown>, count: number, rest: boolean): unknown[] {
  const iterator = iterable[Symbol.iterator]();
  const out: unknown[] = [];
  let ended = false;
  for (let i = 0; i < count; i++) {
    const next: IteratorResult<unknown> | undefined = ended ? undefined : iterator.next();
    ended ||= next?.done === true;
    out.push(ended ? undefined : next?.value);
  }
  if (!rest) {
    if (!ended) iterator.return?.();
    return out;
  }
  const others: unknown[] = [];
  while (!ended) {
    const { done, value } = iterator.next();
    ended = done === true;
    if (!ended) others.push(value);
  }
  return [...out, bornHere(others)];
}

/** Operators, text, spreading. */
export function expressionHooks({ either, around, span, vars: variables }: HookContext) {
  return {
    bin: (at, op, a, b) =>
      either(
        at,
        () => binary(op, a, b),
        () => binary(op, a, b),
      ),
    un: (at, op, a) =>
      either(
        at,
        () => unary(op, a),
        () => unary(op, a),
      ),
    and: (at, a, b, vars) =>
      around(
        at,
        () => a && b(),
        (trace) => shortCircuit(trace, "&&", a, b, variables(vars)),
      ),
    or: (at, a, b, vars) =>
      around(
        at,
        () => a || b(),
        (trace) => shortCircuit(trace, "||", a, b, variables(vars)),
      ),
    nullish: (at, a, b) =>
      either(
        at,
        () => a ?? b(),
        () => (a instanceof Unusable ? usable(a) : (a ?? b())),
      ),
    cond: (at, condition, yes, no, vars) =>
      around(
        at,
        () => (condition ? yes() : no()),
        (trace) => {
          if (isStagedTile(condition)) return elementwise([condition, yes(), no()], "`? :`", ([c, a, b]) => selectValue(c, a, b));
          const c = truth(condition);
          if (typeof c === "boolean") return c ? yes() : no();
          return choose(trace, c, yes, no, variables(vars));
        },
      ),
    first: (value) => value,
    test: (at, value, made) =>
      either(
        at,
        () => value,
        () => {
          refuseObject(value, made < 0 ? "always" : span(made));
          return value;
        },
      ),
    template: (at, strings, values) =>
      either(
        at,
        () => String.raw({ raw: strings }, ...values),
        () => concatenate(strings.flatMap((s, i) => (i < values.length ? [s, values[i]] : [s]))),
      ),
    key: (at, key) =>
      either(
        at,
        () => key as PropertyKey,
        () => (isOnGpu(key) ? failHere("W2041", { what: "a key" }) : (key as PropertyKey)),
      ),
    spread: (at, iterable) =>
      either(
        at,
        () => iterable as Iterable<unknown>,
        (trace) => {
          const source = iterableOnly(iterable);
          refuseOlderIterator(trace, source);
          noteIterated(trace, source);
          if (Array.isArray(source)) return source.map((_, i) => readField(trace, source, i));
          // Gone through here, so that what refuses it can name this location.
          if (typeof source !== "object" || source === null) return typeof source === "string" ? [...source] : source;
          if (Symbol.iterator in source) return [...source];
          readWhole(trace, source);
          refuseUnsureFields(source);
          for (const key of Object.keys(source)) readField(trace, source, key);
          return source;
        },
      ),
    elements: (at, iterable, count, rest) =>
      either(
        at,
        () => firstElements(iterable as Iterable<unknown>, count, rest),
        (trace) => {
          const source = iterableOnly(iterable);
          refuseOlderIterator(trace, source);
          if (source === null || source === undefined || typeof source[Symbol.iterator] !== "function")
            return failHere("W2031", { what: describe(source) });
          noteIterated(trace, source);
          return firstElements(Array.isArray(source) ? source.map((_, i) => readField(trace, source, i)) : source, count, rest);
        },
      ),
  } satisfies Partial<Hooks>;
}
