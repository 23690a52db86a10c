/** What stands for loops and blocks outside of the program: in an author's hands, in errors and in a trace. */

import { placeOnStack } from "../base/diag/index.ts";
import { fail } from "./errors/index.ts";
import type { Var } from "./ir/types.ts";
import type { Step } from "./primitives/find.ts";

/** A loop of the program, for the steps of the schedule that gave it. */
export class LoopRef {
  /** The loop's variable. @internal */
  readonly variable: Var;
  constructor(variable: Var) {
    this.variable = variable;
  }
  /** The name that the loop is printed with, where no other of that name is in scope. */
  get name(): string {
    return this.variable.name;
  }
}
/** A block of the program, for the steps of the schedule that gave it. */
export class BlockRef {
  /** The block's name, which no other block of the program has. */
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** An argument of a step as JSON: a loop or block is the number of what gave it, in the order of the steps. */
export type TraceArg =
  | null
  | number
  | string
  | boolean
  | {
      /** Which loop or block, counted from 0 in the order in which steps gave them. */
      readonly ref: number;
    }
  | readonly TraceArg[]
  | { readonly [key: string]: TraceArg };
/** One step as JSON. */
export interface TraceStep {
  /** The name of the method. */
  readonly step: string;
  /** What it was given. */
  readonly args: readonly TraceArg[];
  /** How many loops and blocks came of it. */
  readonly gives: number;
}

/** An argument of a step as it is told: loops by their names, blocks by theirs in quotes. */
export function argText(a: unknown): string {
  if (a instanceof LoopRef) return a.name;
  if (a instanceof BlockRef) return JSON.stringify(a.name);
  if (Array.isArray(a)) return `[${a.map(argText).join(", ")}]`;
  if (typeof a !== "object" || a === null) return JSON.stringify(a) ?? "undefined";
  const entries = Object.entries(a).map(([key, value]) => `${key}: ${argText(value)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}

/** The loops and blocks that the steps of one schedule gave, in that order. */
export class Refs {
  readonly #given: (LoopRef | BlockRef)[] = [];

  /** Takes in what a step gave: blocks first, as `{ ref }` of a trace counts them. */
  add(blocks: readonly string[], loops: readonly Var[]): readonly (LoopRef | BlockRef)[] {
    const made = [...blocks.map((b) => new BlockRef(b)), ...loops.map((v) => new LoopRef(v))];
    for (const ref of made) this.#given.push(ref);
    return made;
  }

  /** That loop or block, where a step of this schedule gave it. W5521. */
  own<R extends LoopRef | BlockRef>(ref: R, step: Step): R {
    return this.#given.includes(ref)
      ? ref
      : fail("W5521", { step: step.name, what: "loops and blocks of its own schedule" }, step.at);
  }

  /** An argument as JSON. */
  encode(a: unknown): TraceArg {
    if (a instanceof LoopRef || a instanceof BlockRef) return { ref: this.#given.indexOf(a) };
    if (Array.isArray(a)) return a.map((x) => this.encode(x));
    if (typeof a === "object" && a !== null) return Object.fromEntries(Object.entries(a).map(([k, v]) => [k, this.encode(v)]));
    return a as TraceArg;
  }
  /** The argument that `encode` gave the JSON of. */
  decode(a: TraceArg): unknown {
    if (Array.isArray(a)) return a.map((x) => this.decode(x as TraceArg));
    if (typeof a !== "object" || a === null) return a;
    if ("ref" in a && typeof a.ref === "number") {
      return (
        this.#given[a.ref] ??
        fail("W5521", { step: "Schedule.replay(…)", what: "a trace of a schedule of this program" }, placeOnStack())
      );
    }
    return Object.fromEntries(Object.entries(a).map(([k, v]) => [k, this.decode(v as TraceArg)]));
  }
}
