import type { DType } from "../../base/types.ts";
import { fail } from "../errors/index.ts";
import type { Expr } from "../ir/types.ts";
import { spansHere } from "./tracing.ts";

const inspect = Symbol.for("nodejs.util.inspect.custom");

/**
 * A number or truth value that is known only when the program runs. To TypeScript it is `number` or `boolean`; JavaScript itself cannot
 * compute with it, so turning it into a primitive is an error that says so.
 */
export class Symbolic {
  readonly expr: Expr;
  /** Of literals alone, such as `c ? 1 : 0`: the same as a value of another type. It takes the type of what it meets. */
  readonly open: ((dtype: DType) => Expr) | undefined;

  constructor(expr: Expr, open?: (dtype: DType) => Expr) {
    this.expr = expr;
    this.open = open;
  }

  get dtype(): DType {
    return this.expr.dtype;
  }
  [Symbol.toPrimitive](): never {
    return fail("W5519", { what: `${aType(this.dtype)}` }, spansHere());
  }
  toJSON(): never {
    return this[Symbol.toPrimitive]();
  }
  [inspect](): string {
    return `[${this.dtype} of a program]`;
  }
}

export const isSymbolic = (x: unknown): x is Symbolic => x instanceof Symbolic;

/** What the author sees of an expression. The cast is the boundary: to TypeScript it is a number. */
// It stands where the author's types have a number or a truth value.
export const symbolic = (expr: Expr): never => new Symbolic(expr) as never;

/** "an i32". */
export const aType = (dtype: DType): string => `${/^[aefi8]/.test(dtype) ? "an" : "a"} ${dtype}`;

/** Is it such a value, or does it hold one? Looks into arrays, plain objects, maps and sets. */
export function holdsSymbolic(x: unknown, seen: Set<object> = new Set()): boolean {
  if (typeof x !== "object" || x === null) return false;
  if (isSymbolic(x)) return true;
  if (seen.has(x) || seen.size > 20_000 || ArrayBuffer.isView(x)) return false;
  seen.add(x);
  if (x instanceof Map) return [...x].some((entry) => entry.some((part) => holdsSymbolic(part, seen)));
  if (x instanceof Set) return [...x].some((part) => holdsSymbolic(part, seen));
  return Object.values(Object.getOwnPropertyDescriptors(x)).some((d) => holdsSymbolic(d.value, seen));
}

/** The value in the author's words. */
export function describe(x: unknown): string {
  if (isSymbolic(x)) return x.open ? "a number" : aType(x.dtype);
  if (typeof x === "string") return `the text ${JSON.stringify(x)}`;
  if (typeof x === "bigint") return `\`${x}n\``;
  if (typeof x === "function") return x.name ? `the function \`${x.name}\`` : "a function";
  if (typeof x !== "object" || x === null) return `\`${String(x)}\``;
  if ("describe" in x && typeof x.describe === "string") return x.describe;
  return Array.isArray(x) ? "an array" : "an object";
}

/** Refuses what the author gave where something else is wanted. */
export function failGiven(what: string, wanted: string, got: unknown, instead: string): never {
  return fail("W5508", { what, wanted, got: describe(got), instead }, spansHere());
}
