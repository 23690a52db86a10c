import { add, and, compare, constant, divide, first, isPowerOf2, toInt, xor } from "../../ir/arith.ts";
import type { Value } from "../../ir/index.ts";
import type { Trace } from "../trace/trace.ts";

/** Which stage a producer or a consumer is at: both i32. `phase` is 0 or 1 and flips each time the first stage comes again. */
export interface PipelineState {
  readonly index: Value;
  readonly phase: Value;
}

/** How many stages further on: at least 0. */
export type Distance = number | Value;

export const firstState = (trace: Trace, phase: 0 | 1): PipelineState => ({
  index: constant(trace, 0, "i32"),
  phase: constant(trace, phase, "i32"),
});

/**
 * The state so many stages further on, in a pipeline of `stages`. The next one is an addition, a comparison and two selections, off the way
 * to the next wait: index and phase are there when it begins. A single count that is masked and shifted takes as many instructions, but
 * on that way.
 */
export function stateAfter(trace: Trace, state: PipelineState, by: Distance, stages: number): PipelineState {
  if (typeof by !== "number") return afterStaged(trace, state, by, stages);
  const rest = by % stages;
  const flipped = xor(trace, state.phase, Math.floor(by / stages) & 1);
  if (rest === 0) return { index: state.index, phase: flipped };
  const sum = add(trace, state.index, rest);
  const wraps = compare(trace, rest === 1 ? "eq" : "ge", sum, stages);
  const again = rest === 1 ? constant(trace, 0, "i32") : add(trace, sum, -stages);
  return { index: select(trace, wraps, again, sum), phase: select(trace, wraps, xor(trace, flipped, 1), flipped) };
}

function afterStaged(trace: Trace, { index, phase }: PipelineState, by: Value, stages: number): PipelineState {
  if (stages === 1) return { index, phase: xor(trace, phase, and(trace, by, 1)) };
  const sum = trace.once("convert", { a: add(trace, index, by) }, {}, ["u32"]); // divides cheaper than i32
  const rounds = divide(trace, sum, stages);
  const flips = and(trace, toInt(trace, rounds, "i32"), 1);
  return { index: toInt(trace, remainder(trace, sum, rounds, stages), "i32"), phase: xor(trace, phase, flips) };
}

function remainder(trace: Trace, sum: Value, rounds: Value, stages: number): Value {
  if (isPowerOf2(stages)) return and(trace, sum, stages - 1);
  const whole = first(trace.emit("mul", { a: rounds, b: constant(trace, stages, "u32") }, {}));
  return first(trace.emit("sub", { a: sum, b: whole }, {}));
}

const select = (trace: Trace, condition: Value, yes: Value, no: Value): Value => trace.once("select", { condition, yes, no }, {});
