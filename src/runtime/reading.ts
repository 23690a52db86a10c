/** What `read()` gives: a promise that says so where its user forgot to wait for it. */
import { fail } from "../diag/index.ts";

/** No symbols: whoever prints a promise asks for those. */
const arrays = new Set<string>(["length", ...Object.getOwnPropertyNames(Object.getPrototypeOf(Uint8Array.prototype))]);
const ofPromises = new Set<string>(["toString", "toLocaleString", "constructor"]);

const isOfArrays = (key: PropertyKey): key is string =>
  typeof key === "string" && (/^\d+$/.test(key) || (arrays.has(key) && !ofPromises.has(key)));

/** Between such promises and `Promise.prototype`: what only the array has that they bring is an error. W7528. */
const between = new Proxy(Object.create(Promise.prototype) as object, {
  get(target, key, receiver): unknown {
    if (isOfArrays(key)) fail("W7528", { key: /^\d/.test(key) ? `[${key}]` : `.${key}` });
    return Reflect.get(target, key, receiver);
  },
});

/** The same promise. `await` takes it as any other. */
export const reading = <T>(promise: Promise<T>): Promise<T> => Object.setPrototypeOf(promise, between) as Promise<T>;
