import { add, and, compare, constant, divide, first, isPowerOf2, toInt, xor } from "../../ir/arith.ts";
import type { Value } from "../../ir/index.ts";
import type { Trace } from "../trace/trace.ts";

/** A place in a ring: both i32. `phase` is 0 or 1 and flips each time the ring starts anew. */
export interface Place {
  readonly index: Value;
  readonly phase: Value;
}

/** How many stages further on: at least 0. */
export type Distance = number | Value;

export const firstPlace = (trace: Trace, phase: 0 | 1): Place => ({
  index: constant(trace, 0, "i32"),
  phase: constant(trace, phase, "i32"),
});

/**
 * The place that far away in a ring of that many stages. The next one is an addition, a comparison and two selections, off the way
 * to the next wait: index and phase are there when it begins. A single count that is masked and shifted takes as many instructions, but
 * on that way.
 */
export function placeAfter(trace: Trace, place: Place, by: Distance, stages: number): Place {
  if (typeof by !== "number") return afterStaged(trace, place, by, stages);
  const rest = by % stages;
  const turned = xor(trace, place.phase, Math.floor(by / stages) & 1);
  if (rest === 0) return { index: place.index, phase: turned };
  const sum = add(trace, place.index, rest);
  const wraps = compare(trace, rest === 1 ? "eq" : "ge", sum, stages);
  const again = rest === 1 ? constant(trace, 0, "i32") : add(trace, sum, -stages);
  return { index: select(trace, wraps, again, sum), phase: select(trace, wraps, xor(trace, turned, 1), turned) };
}

function afterStaged(trace: Trace, { index, phase }: Place, by: Value, stages: number): Place {
  if (stages === 1) return { index, phase: xor(trace, phase, and(trace, by, 1)) };
  const sum = trace.once("convert", { a: add(trace, index, by) }, {}, ["u32"]); // divides cheaper than i32
  const turns = divide(trace, sum, stages);
  const flips = and(trace, toInt(trace, turns, "i32"), 1);
  return { index: toInt(trace, remainder(trace, sum, turns, stages), "i32"), phase: xor(trace, phase, flips) };
}

function remainder(trace: Trace, sum: Value, turns: Value, stages: number): Value {
  if (isPowerOf2(stages)) return and(trace, sum, stages - 1);
  const whole = first(trace.emit("mul", { a: turns, b: constant(trace, stages, "u32") }, {}));
  return first(trace.emit("sub", { a: sum, b: whole }, {}));
}

const select = (trace: Trace, condition: Value, yes: Value, no: Value): Value => trace.once("select", { condition, yes, no }, {});
