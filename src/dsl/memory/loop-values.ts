import type { Literal, Value } from "../../ir/index.ts";
import type { Trace } from "../trace.ts";

/** What a loop hands from turn to turn, while its body is traced. */
export interface Handed {
  /** What the first turn begins with. */
  readonly start: Value | Literal;
  /** Whatever of its divisors may be granted divides this; 0: any. */
  readonly most: number;
  /** What divides it at the start of every turn, as far as anybody has asked. */
  kept: number;
}

/** The index of a counting loop. */
export interface Counted {
  readonly start: Value;
  readonly step: Value;
}

const loopValues = { make: () => new Map<Value, Handed | Counted>() };

/** What is known of a parameter of a loop, where the value is one. */
export const loopValue = (trace: Trace, value: Value): Handed | Counted | undefined => trace.state(loopValues).get(value);

/** Says what a parameter of a loop is. */
export function noteLoopValue<T extends Handed | Counted>(trace: Trace, param: Value, of: T): T {
  trace.state(loopValues).set(param, of);
  return of;
}
