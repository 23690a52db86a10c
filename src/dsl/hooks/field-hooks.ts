import type { Hooks } from "../hooks-interface.ts";
import { boxed } from "../objects/fields.ts";
import { bornHere } from "../objects/frames.ts";
import { noteReached } from "../objects/outer-reads.ts";
import { failHere } from "../trace/fail-here.ts";
import { isIndexable } from "../trace/staged.ts";
import { activeTrace } from "../trace/trace.ts";
import type { HookContext } from "./context.ts";
import { getField, setField } from "./fields.ts";
import { noteMade } from "./made.ts";

type Fields = Record<PropertyKey, unknown>;

/** Fields, elements, boxes. */
export function fieldHooks({ either, span }: HookContext) {
  return {
    get: (at, object, key) =>
      either(
        at,
        () => (object as Fields)[key as PropertyKey],
        (trace) => {
          const value = getField(trace, object, key);
          return isIndexable(object) ? noteMade(value, span(at)) : value;
        },
      ),
    getOpt: (at, object, key) =>
      either(
        at,
        () => (object as Fields | null | undefined)?.[key as PropertyKey],
        (trace) => (object === null || object === undefined ? undefined : getField(trace, object, key)),
      ),
    set: (at, object, key, value) =>
      either(
        at,
        () => {
          (object as Fields)[key as PropertyKey] = value;
          return value;
        },
        (trace) => setField(trace, object, key, value),
      ),
    update: (at, object, key, change) =>
      either(
        at,
        () => {
          const value = change((object as Fields)[key as PropertyKey]);
          (object as Fields)[key as PropertyKey] = value;
          return value;
        },
        (trace) => setField(trace, object, key, change(getField(trace, object, key))),
      ),
    updatePost: (at, object, key, change) =>
      either(
        at,
        () => {
          const old = (object as Fields)[key as PropertyKey];
          (object as Fields)[key as PropertyKey] = change(old);
          return old;
        },
        (trace) => {
          const old = getField(trace, object, key);
          setField(trace, object, key, change(old));
          return old;
        },
      ),
    remove: (at, object, key) =>
      either(
        at,
        () => Reflect.deleteProperty(object as object, key as PropertyKey),
        () => failHere("W2043", {}),
      ),
    box: (_at, name, value) => bornHere(boxed(name, value)),
    born: (value) => {
      const trace = activeTrace();
      if (!trace) return value;
      // `{ __proto__: base }`: fields are read through it.
      const prototype: unknown = typeof value === "object" && value !== null ? Object.getPrototypeOf(value) : null;
      if (prototype !== Object.prototype && prototype !== Array.prototype) noteReached(trace, [prototype], true);
      return bornHere(value);
    },
  } satisfies Partial<Hooks>;
}
