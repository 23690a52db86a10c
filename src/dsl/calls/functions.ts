import type { Span } from "../../base/diag/index.ts";
import type { FunctionMeta } from "../hooks-interface.ts";
import { isOwnFunction, isOwnObject, ownBrand } from "../trace/staged.ts";

/** What is known of a transformed function or class, and where it stands. */
export interface KnownFunction extends FunctionMeta {
  readonly span: Span | undefined;
  readonly paramSpans: readonly (Span | undefined)[];
}

const transformed = new WeakMap<object, KnownFunction>();
const explicits = new WeakSet<object>();

export function registerFunction(f: object, meta: KnownFunction): void {
  transformed.set(f, meta);
}

const isObject = (f: unknown): f is object => (typeof f === "object" && f !== null) || typeof f === "function";

/** What the transform said of the function, or undefined where it has not been through the transform. */
export const functionMeta = (f: unknown): KnownFunction | undefined => (isObject(f) ? transformed.get(f) : undefined);

/** Declares a function written in the explicit form. */
export function markExplicit(f: object): void {
  explicits.add(f);
}
export const isExplicit = (f: unknown): boolean => isObject(f) && explicits.has(f);

/** Whether it is an object, a function or a class of the language. */
export const isOwn = (x: unknown): boolean => isOwnObject(x) || isOwnFunction(x) || (typeof x === "function" && ownBrand in x);

/** Whether the tracer sees what the function reads: it has been transformed, or is one of the language. */
export const isTraced = (f: unknown): boolean => functionMeta(f) !== undefined || isExplicit(f) || isOwn(f);
