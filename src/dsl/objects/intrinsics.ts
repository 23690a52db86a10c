/** What JavaScript has itself, and which objects have a state that nobody can look at from outside. */
import { types } from "node:util";

const namespaces = "Math JSON Reflect Atomics Intl console";
const constructors = [
  "Object Function Array Number Boolean String Symbol BigInt Date RegExp Map Set WeakMap WeakSet WeakRef Promise Proxy",
  "Error EvalError RangeError ReferenceError SyntaxError TypeError URIError AggregateError",
  "ArrayBuffer SharedArrayBuffer DataView Float16Array Float32Array Float64Array",
  "Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array BigInt64Array BigUint64Array",
].join(" ");

const global = (name: string): unknown => Object.getOwnPropertyDescriptor(globalThis, name)?.value;
const isObject = (x: unknown): x is object => (typeof x === "object" && x !== null) || typeof x === "function";
const prototypeOf = (x: unknown): object | null => Object.getPrototypeOf(x) as object | null;
const typedArray = prototypeOf(Uint8Array) as object;
const iterator = prototypeOf(prototypeOf([].values())) as object;

const functions = constructors.split(" ").map(global).filter(isObject);
const prototypes: ReadonlySet<object> = new Set(
  [...functions, typedArray].flatMap((f) => [Reflect.get(f, "prototype") as unknown].filter(isObject)),
);

/** Objects and functions of JavaScript's own that programs leave as they are. */
export const intrinsics: ReadonlySet<object> = new Set([
  ...functions,
  ...prototypes,
  ...namespaces.split(" ").map(global).filter(isObject),
  typedArray,
  iterator,
]);

/** Prototypes of objects whose state a key has. */
const unseen = ["WeakMap", "WeakSet", "WeakRef", "Promise"].map(global).filter(isObject);
const seen: ReadonlySet<object> = new Set(
  [...prototypes].filter((prototype) => !unseen.some((f) => Reflect.get(f, "prototype") === prototype)),
);

const native = /\{\s*\[native code\]\s*\}\s*$/;
/** Whether it is a function of JavaScript's own. */
export const isNative = (f: unknown): boolean => typeof f === "function" && native.test(Function.prototype.toString.call(f));

/** Whether it is a function that `bind` has made: what it is bound to cannot be seen. */
export const isBound = (f: unknown): boolean => isNative(f) && (f as () => unknown).name.startsWith("bound ");

/** A private name that is no private method: `#count`, not `#step(`. */
const privateField = /#[\p{ID_Start}$_][\p{ID_Continue}$]*(?![\p{ID_Continue}$]|\s*\()/u;
const privates = new WeakMap<object, boolean>();

/** Whether instances of the class may have fields that only its own code can read: its text has private names, or it is written in no JavaScript. */
function hasPrivateFields(made: object): boolean {
  const known = privates.get(made);
  if (known !== undefined) return known;
  const text = Function.prototype.toString.call(made);
  const found = native.test(text) || (/^class\b/.test(text) && privateField.test(text));
  privates.set(made, found);
  return found;
}

/** Whether a function has a state that cannot be read from outside: what it is bound to, private static fields. */
export const hidesState = (f: object): boolean => isBound(f) || (!isNative(f) && hasPrivateFields(f));

/**
 * Whether an object has a state that its key cannot have, however deep one looks: private fields, entries of a WeakMap, where an iterator stands, what a Proxy
 * answers.
 */
export function hasHiddenState(value: object): boolean {
  if (types.isProxy(value)) return true;
  for (let at = prototypeOf(value); at !== null && !seen.has(at); at = prototypeOf(at)) {
    if (at === iterator || types.isProxy(at)) return true;
    const made: unknown = Object.getOwnPropertyDescriptor(at, "constructor")?.value;
    if (typeof made === "function" && hasPrivateFields(made)) return true;
  }
  return false;
}

/** The prototypes of an object that are the author's, nearest first. */
export function authorsPrototypes(value: object): readonly object[] {
  const found: object[] = [];
  for (let at = prototypeOf(value); at !== null && !intrinsics.has(at); at = prototypeOf(at)) found.push(at);
  return found;
}
