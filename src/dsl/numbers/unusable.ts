import { type Spans, textAt } from "../../base/diag/index.ts";
import type { Value } from "../../ir/index.ts";
import { fail } from "../errors/index.ts";
import { declaredAt, spansHere } from "../trace/fail-here.ts";
import { printedText, type StagedScalar } from "../trace/scalar.ts";
import { Staged } from "../trace/staged.ts";
import { isStagedTile } from "../trace/staged-tile.ts";

const inspect = Symbol.for("nodejs.util.inspect.custom");

/** Result of an expression that no value of the GPU can hold: an error at its first use, unless a hook can use it. */
export abstract class Unusable {
  abstract refuse(): never;
  [Symbol.toPrimitive](): never {
    return this.refuse();
  }
  toJSON(): never {
    return this.refuse();
  }
  /** In an object that a kernel prints: what can be printed is a text, in quotes there. */
  [inspect](_depth: number, _options: object, inspected: (x: unknown) => string): string {
    const text = printedText(this);
    return text === undefined ? `[${this.constructor.name}]` : inspected(text);
  }
}

/** The division as the author wrote it, where the whole of it stands there. */
export function divisionAt([here]: Spans): { readonly text?: string | undefined } {
  const text = here && textAt(here);
  return text?.includes("/") ? { text } : {};
}

/** `a / b` of two integers: an integer division once `Math.trunc`, `Math.floor`, `Math.ceil`, `| 0` or `>>> 0` says how to round. */
export class Quotient extends Unusable {
  readonly a: Value;
  readonly b: Value;
  readonly spans: Spans = spansHere();
  rounded = false;
  constructor(a: Value, b: Value) {
    super();
    this.a = a;
    this.b = b;
  }
  refuse(): never {
    return fail("W2005", divisionAt(this.spans), this.spans);
  }
}

const takers = new WeakSet<object>();

/** Declares a function of the dsl that says how an integer quotient is rounded, and so may be given one that is not rounded yet. */
export function roundsQuotients<F extends object>(f: F): F {
  takers.add(f);
  return f;
}

export const takesQuotients = (f: unknown): boolean => typeof f === "function" && takers.has(f);

/** Text with staged values in it: `console.log` alone can take it. `parts.length` is one more than the number of values. */
export class StagedText extends Unusable {
  readonly parts: readonly string[];
  readonly values: readonly StagedScalar[];
  constructor(parts: readonly string[], values: readonly StagedScalar[]) {
    super();
    this.parts = parts;
    this.values = values;
  }
  refuse(): never {
    return fail("W2008", { noun: "text with a value of the GPU in it" }, spansHere());
  }
}

/** A variable that not every way to here has assigned. */
export class Unassigned extends Unusable {
  readonly name: string;
  readonly spans: Spans;
  constructor(name: string, spans: Spans) {
    super();
    this.name = name;
    this.spans = spans;
  }
  refuse(): never {
    return fail("W2020", { name: this.name }, [...spansHere(), ...declaredAt(this.spans)]);
  }
}

/** What `a && b` or `c ? a : b` gives where the two cannot be one value: still a truth value. */
export class Mixed extends Unusable {
  readonly truth: boolean | StagedScalar;
  private readonly error: () => never;
  constructor(truth: boolean | StagedScalar, error: () => never) {
    super();
    this.truth = truth;
    this.error = error;
  }
  refuse(): never {
    return this.error();
  }
}

/** Is it a value of the GPU, or would it be one? False for an object that holds one. */
export const isOnGpu = (x: unknown): boolean => x instanceof Staged || x instanceof Unusable || isStagedTile(x);

/** Reports a value that cannot be used, and gives any other one back. */
export function usable<T>(x: T): T {
  if (x instanceof Unusable) x.refuse();
  return x;
}
