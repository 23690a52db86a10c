import { eachOperand, type Op, typeName, type Value } from "../../ir/index.ts";
import { unaliased } from "../trace/aliases.ts";
import { Staged } from "../trace/staged.ts";
import type { Trace } from "../trace/trace.ts";
import type { Mark } from "./iterations.ts";

/** One iteration of an unrolled loop, in a form that can be compared with that of another. */
export interface Reading {
  /** The ops and what the variables become, without literals and without saying which values they use. */
  readonly text: string;
  /** The literals, in order. */
  readonly numbers: readonly (number | bigint)[];
  /** The types of those that are not i32, by their place. */
  readonly types: ReadonlyMap<number, string>;
  /**
   * The values that are used, in order, each by its names: `#3` is the third result of this iteration, `^0` the first variable as it was
   * before it, `@7` the value of that id, from before it. Ops that compute the same are one op, so that a value may have several names.
   */
  readonly values: readonly (readonly string[])[];
}

/** Attributes that number what was recorded, and say nothing of what an op does. */
const numbering: ReadonlySet<string> = new Set(["site", "check"]);

export class IterationReader {
  readonly #trace: Trace;
  readonly #from: Mark;
  readonly #tokens: string[] = [];
  readonly #numbers: (number | bigint)[] = [];
  readonly #types = new Map<number, string>();
  readonly #values: (readonly string[])[] = [];
  /** By the id of the value. */
  readonly #names = new Map<number, readonly string[]>();
  #results = 0;

  constructor(trace: Trace, from: Mark) {
    this.#trace = trace;
    this.#from = from;
    from.variables.forEach((x, n) => {
      if (x instanceof Staged) this.#name(unaliased(trace, x.value).id, `^${n}`);
    });
  }

  /** The ops of the iteration, and the place behind it. Undefined where a variable holds another object there. */
  read(ops: readonly Op[], to: Mark): Reading | undefined {
    for (const op of ops) if (op.name !== "const") this.#op(op);
    if (!to.variables.every((x, n) => this.#variable(x, this.#from.variables[n]))) return undefined;
    return { text: this.#tokens.join(" "), numbers: this.#numbers, types: this.#types, values: this.#values };
  }

  #op(op: Op): void {
    const attrs = op.attrs as Readonly<Record<string, unknown>>;
    this.#tokens.push(op.name);
    for (const attr in attrs) if (!numbering.has(attr)) this.#tokens.push(`${attr}:${String(attrs[attr])}`);
    eachOperand(op, (value) => this.#value(value));
    for (const { id, type } of op.results) {
      this.#name(id, `#${this.#results++}`);
      this.#tokens.push(typeName(type));
    }
  }

  #name(id: number, name: string): void {
    this.#names.set(id, [...(this.#names.get(id) ?? []), name]);
  }

  #value(named: Value): void {
    const value = unaliased(this.#trace, named);
    const made = this.#trace.makerOf(value);
    if (made?.name === "const") this.#literal((made as Op as Op<"const">).attrs.value, value);
    else {
      this.#tokens.push("%");
      this.#values.push(this.#namesOf(value));
    }
  }

  #namesOf({ id }: Value): readonly string[] {
    const known = this.#names.get(id) ?? [];
    if (id < this.#from.id) return [...known, `@${id}`];
    // What the iteration has made and no op before has given is a parameter of a region, whose op comes after those in it.
    if (known.length === 0) this.#name(id, `#${this.#results++}`);
    return this.#names.get(id) ?? [];
  }

  #literal(literal: number | bigint | boolean, { type }: Value): void {
    if (typeof literal === "boolean") {
      this.#tokens.push(String(literal));
      return;
    }
    if (type !== "i32") this.#types.set(this.#numbers.length, typeName(type));
    this.#numbers.push(literal);
    this.#tokens.push(typeName(type));
  }

  /** Reads what a variable is after the iteration. */
  #variable(after: unknown, before: unknown): boolean {
    if (after instanceof Staged) this.#value(after.value);
    else if (typeof after === "number" || typeof after === "bigint") {
      this.#tokens.push("static");
      this.#numbers.push(after);
    } else return Object.is(after, before);
    return true;
  }
}
