import type { Span } from "../../base/diag/index.ts";
import type { FunctionMeta } from "../hooks-interface.ts";

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
