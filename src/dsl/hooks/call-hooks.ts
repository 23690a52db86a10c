import { type Callable, callWritten } from "../calls/call.ts";
import type { Hooks } from "../hooks-interface.ts";
import { noteElements, noteReached } from "../objects/outer-reads.ts";
import { bornAtAuthors } from "../trace/authors-stack.ts";
import { isOwnObject } from "../trace/staged.ts";
import type { Trace } from "../trace/trace.ts";
import type { HookContext } from "./context.ts";
import { getField } from "./fields.ts";
import { noteMade } from "./made.ts";

const isNothing = (x: unknown): boolean => x === null || x === undefined;

function invoke(trace: Trace, object: unknown, key: unknown, args: readonly unknown[], text: string): unknown {
  const f = getField(trace, object, key);
  return callMethod(trace, f, object, args, text);
}

function callMethod(trace: Trace, f: unknown, object: unknown, args: readonly unknown[], text: string): unknown {
  if (f === Function.prototype.call)
    return callWritten(trace, { f: object, receiver: args[0], args: args.slice(1), text, construct: false });
  if (f === Function.prototype.apply) {
    const list = (args[1] ?? []) as unknown[];
    if (Array.isArray(list)) noteElements(trace, list);
    else noteReached(trace, [list], true);
    return callWritten(trace, { f: object, receiver: args[0], args: Array.from(list), text, construct: false });
  }
  return callWritten(trace, { f, receiver: object, args, text, construct: false });
}

type Methods = Record<PropertyKey, Callable>;

function plainInvoke(object: unknown, key: unknown, args: readonly unknown[]): unknown {
  return (object as Methods)[key as PropertyKey]?.apply(object, [...args]);
}

function missing(text: string): never {
  throw new TypeError(`${text} is not a function`);
}

/** A tagged template's first argument. */
function templateObject(strings: readonly string[], raw: readonly string[]): readonly string[] {
  return Object.freeze(Object.defineProperty([...strings], "raw", { value: Object.freeze([...raw]) }));
}

/** Calls, methods, `new`, tagged templates. */
export function callHooks({ either, span }: HookContext) {
  const call: Hooks["call"] = (at, f, args, text) =>
    either(
      at,
      () => (typeof f === "function" ? (f as Callable)(...args) : missing(text)),
      (trace) => callWritten(trace, { f, receiver: undefined, args, text, construct: false }),
    );
  const invokeMethod: Hooks["invoke"] = (at, object, key, args, text) =>
    either(
      at,
      () => (typeof (object as Methods)[key as PropertyKey] === "function" ? plainInvoke(object, key, args) : missing(text)),
      (trace) => {
        const value = invoke(trace, object, key, args, text);
        return isOwnObject(object) ? noteMade(value, span(at)) : value;
      },
    );
  const make: Hooks["make"] = (at, maker, args, text) =>
    bornAtAuthors(
      either(
        at,
        () => Reflect.construct(maker as Callable, [...args]) as unknown,
        (trace) => noteMade(callWritten(trace, { f: maker, receiver: undefined, args, text, construct: true }), span(at)),
      ),
      make,
    );
  return {
    call,
    callOpt: (at, f, args, text) => (isNothing(f) ? undefined : call(at, f, args(), text)),
    invoke: invokeMethod,
    invokeOpt: (at, object, key, args, text, on) => {
      if (on === "object") return isNothing(object) ? undefined : invokeMethod(at, object, key, args(), text);
      return either(
        at,
        () => (isNothing((object as Methods)[key as PropertyKey]) ? undefined : plainInvoke(object, key, args())),
        (trace) => {
          const f = getField(trace, object, key);
          return isNothing(f) ? undefined : callMethod(trace, f, object, args(), text);
        },
      );
    },
    make,
    tagged: (at, object, tag, strings, raw, values, text) => {
      const args = [templateObject(strings, raw), ...values];
      return either(
        at,
        () => Reflect.apply(tag as Callable, object, args),
        (trace) => callWritten(trace, { f: tag, receiver: object, args, text, construct: false }),
      );
    },
  } satisfies Partial<Hooks>;
}
