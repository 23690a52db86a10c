import { exact, type Span } from "../../base/diag/index.ts";
import type { FunctionMeta } from "../../dsl/emit.ts";

/** What is known of a function that was written in a program, and where it stands. */
export interface KnownFunction extends FunctionMeta {
  readonly span: Span | undefined;
}

const transformed = new WeakMap<object, KnownFunction>();
const own = new WeakSet<object>();

export function registerFunction(f: object, meta: KnownFunction): void {
  transformed.set(f, meta);
}
/** What the transform said of the function; undefined where it was written outside programs. */
export const functionMeta = (f: unknown): KnownFunction | undefined => (typeof f === "function" ? transformed.get(f) : undefined);

/** Declares a function of this package, which may be given symbolic values. Returns it with a check of how many arguments it is given. W2078. */
export function ownFunction<F extends object>(f: F): F {
  const checked = exact(f);
  own.add(checked);
  return checked;
}
export const isOwnFunction = (f: unknown): boolean => typeof f === "function" && own.has(f);
