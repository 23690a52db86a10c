/** What `read()` gives: a promise that says so where its user forgot to wait for it. */
import { fail } from "../diag/index.ts";

const arrays = new Set<PropertyKey>([
  "length",
  Symbol.iterator,
  ...Object.getOwnPropertyNames(Object.getPrototypeOf(Uint8Array.prototype)).filter((name) => name !== "constructor"),
]);
const ofPromises = new Set<PropertyKey>(["toString", "toLocaleString", "constructor"]);

const isOfArrays = (key: PropertyKey): boolean =>
  (typeof key === "string" && /^\d+$/.test(key)) || (arrays.has(key) && !ofPromises.has(key));

/** Behind promises: what only the array has that they bring is an error. W7528. */
const behind = new Proxy(Promise.prototype, {
  get(target, key, receiver): unknown {
    if (isOfArrays(key))
      fail("W7528", { key: typeof key === "symbol" ? "its elements" : /^\d/.test(key) ? `[${key}]` : `.${key}` });
    return Reflect.get(target, key, receiver);
  },
});

/** The same promise. `await` takes it as any other. */
export const reading = <T>(promise: Promise<T>): Promise<T> => Object.setPrototypeOf(promise, behind) as Promise<T>;
