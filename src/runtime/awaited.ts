/** Promises that say so where their user has forgotten to wait for them. `await` takes them as any others. W7528. */
import { fail } from "./errors/index.ts";

/** What a promise is of, and what one writes. */
interface Awaited {
  readonly what: string;
  readonly instead: string;
  /** Names that the result has and a promise does not. Printing a promise reads symbols and some names of objects. */
  readonly has: (key: string) => boolean;
  /** The result has elements that `for … of` and `[...x]` take. */
  readonly iterable: boolean;
  /** The result is what `await using` takes. */
  readonly disposable: boolean;
}

const ofPromises = new Set<string>([
  "toString",
  "toLocaleString",
  "constructor",
  ...Object.getOwnPropertyNames(Promise.prototype),
]);

/** What stands between such promises and `Promise.prototype`. */
function between({ what, instead, has, iterable, disposable }: Awaited): object {
  const refuse = (key: string): never => fail("W7528", { what, key, instead });
  return new Proxy(Object.create(Promise.prototype) as object, {
    get(target, key, receiver): unknown {
      if (typeof key === "string" && !ofPromises.has(key) && has(key)) refuse(/^\d/.test(key) ? `[${key}]` : `.${key}`);
      if (iterable && key === Symbol.iterator) return () => refuse("each element");
      if (disposable && (key === Symbol.asyncDispose || key === Symbol.dispose)) refuse("what `using` ends");
      return Reflect.get(target, key, receiver);
    },
  });
}

const arrays = new Set<string>(["length", ...Object.getOwnPropertyNames(Object.getPrototypeOf(Uint8Array.prototype))]);
const reads = between({
  what: "read()",
  instead: "(await x.read())[0]",
  has: (key) => /^\d+$/.test(key) || arrays.has(key),
  iterable: true,
  disposable: false,
});

/** What `read()` gives. */
export const reading = <T>(promise: Promise<T>): Promise<T> => Object.setPrototypeOf(promise, reads) as Promise<T>;

/** Gives what `openDevice()` gives, where devices have these members. */
export function openingOf(members: readonly string[]): <T>(promise: Promise<T>) => Promise<T> {
  const names = new Set(members);
  const opens = between({
    what: "openDevice()",
    instead: "await using gpu = await openDevice()",
    has: (key) => names.has(key),
    iterable: false,
    disposable: true,
  });
  return <T>(promise: Promise<T>) => Object.setPrototypeOf(promise, opens) as Promise<T>;
}
