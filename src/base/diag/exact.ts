/**
 * Calls with more arguments than the function has parameters: an error, where JavaScript would drop them. The check compares counts, and
 * leaves out trailing `undefined`, which says nothing.
 */
import { fail } from "../errors.ts";
import { isClass } from "./display.ts";
import { placeOnStack, WarpsmithError } from "./error.ts";
import { parametersOf, withParametersOf } from "./parameters.ts";
import { textAt } from "./sources.ts";
import type { Spans } from "./span.ts";

type Callable = (this: unknown, ...args: unknown[]) => unknown;

/** How many arguments a call gives. */
function givenIn(args: ArrayLike<unknown>): number {
  let count = args.length;
  while (count > 0 && args[count - 1] === undefined) count--;
  return count;
}

/** Refuses arguments that `f` has no parameter for. `text`: the callee as the author writes it; "" where only the source says it. W2078. */
export function refuseSurplus(f: object, args: ArrayLike<unknown>, text: string, spans: Spans = []): void {
  const { names, takesMore } = parametersOf(f);
  if (takesMore || args.length <= names.length) return;
  const given = givenIn(args);
  if (given <= names.length) return;
  const surplus = args[names.length];
  const pred = typeof surplus === "object" && surplus !== null && "pred" in surplus;
  const at = spans.length > 0 ? spans : placeOnStack();
  const word = text === "" && at[0] ? textAt(at[0]) : undefined;
  fail("W2078", { text: text || word || "this function", names, given, pred }, at);
}

/** The same in a declared function, `refuseMore(matmul, arguments)`, or in the constructor of a class. W2078. */
export function refuseMore(f: { readonly name: string }, args: IArguments): void {
  const { names, takesMore } = parametersOf(f);
  if (!takesMore && args.length > names.length) refuseSurplus(f, args, isClass(f) ? `new ${f.name}` : f.name);
}

/** JavaScript's own methods give a callback the element, its index and the list: a function that is used as one is given no more than that. */
function isCallback(args: readonly unknown[]): boolean {
  const [element, key, list] = args.slice(-3);
  if (list instanceof Map) return list.get(key) === element;
  if (list instanceof Set) return list.has(key);
  const isList = Array.isArray(list) || ArrayBuffer.isView(list);
  return isList && typeof key === "number" && Object.is(Reflect.get(list, key), element);
}

const isAsync = (f: object): boolean => Object.prototype.toString.call(f) === "[object AsyncFunction]";

const unchecked = new WeakMap<object, object>();

/** Without its check, for who has made it. */
export const uncheckedOf = <F>(f: F): F => (typeof f === "function" ? ((unchecked.get(f) as F | undefined) ?? f) : f);

/** The function with a check of how many arguments it is given. `text`: how it is written; by default its name. W2078. */
export function exact<F extends object>(f: F, text = (f as { name?: string }).name ?? ""): F {
  const { names, takesMore } = parametersOf(f);
  if (takesMore || typeof f !== "function" || isClass(f) || unchecked.has(f)) return f;
  const plain = f as Callable;
  const most = names.length;
  const checked = isAsync(f)
    ? async function (this: unknown, ...args: unknown[]): Promise<unknown> {
        if (args.length > most && !isCallback(args)) refuseSurplus(f, args, text);
        return Reflect.apply(plain, this, args);
      }
    : function (this: unknown, ...args: unknown[]): unknown {
        if (args.length > most && !isCallback(args)) refuseSurplus(f, args, text);
        return Reflect.apply(plain, this, args);
      };
  for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(f)))
    if (key !== "prototype") Object.defineProperty(checked, key, property as PropertyDescriptor);
  unchecked.set(checked, f);
  return withParametersOf(checked as F, f);
}

/** Checks the calls of all functions that are members of the object, in place. Getters stay what they are. */
export function exactMembers<T extends object>(members: T): T {
  checkMethods(members, "");
  return members;
}

const done = new WeakSet<object>();

/**
 * Checks the calls of all methods that a class and its parents have, those of the class itself, too. Once for each class. `toJSON` is JavaScript's to call, with
 * an argument.
 */
export function exactMethods(type: { readonly prototype: object }): void {
  for (let at: unknown = type; isClass(at) && !done.has(at as object); at = Object.getPrototypeOf(at)) {
    const each = at as new () => object;
    done.add(each);
    checkMethods(each.prototype, "");
    checkMethods(each, `${each.name}.`);
  }
}

function checkMethods(owner: object, prefix: string): void {
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
    const { value, writable } = property;
    if (["constructor", "prototype", "toJSON"].includes(name) || typeof value !== "function" || !writable) continue;
    Object.defineProperty(owner, name, { ...property, value: exact(value as object, `${prefix}${name}`) as unknown });
  }
}

exactMethods(WarpsmithError);
