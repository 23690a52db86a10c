import type { Literal, Value } from "../../ir/index.ts";
import type { Trace } from "../trace.ts";

/** What a loop hands from turn to turn, while its body is traced. */
export interface Handed {
  /** What the first turn begins with. */
  readonly start: Value | Literal;
  /** The largest divisor that may be taken for granted: of this number alone, or of any where it is 0. Less when a body is traced again. */
  readonly most: number;
  /** The divisor that was taken for granted at the start of every turn, as far as anybody has asked; the end of the loop is held to it. */
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
