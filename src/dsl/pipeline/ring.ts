import type { Value } from "../../ir/index.ts";
import { add, and, compare, constant, first, isPowerOf2, shr, toInt, xor } from "../memory/arith.ts";
import type { Trace } from "../trace.ts";

/** How many stages further on: at least 0. */
export type Distance = number | Value;

/**
 * How places of a ring are counted: what a loop carries of a place (i32 each), and what follows from it. `phase` is 0 or 1 and
 * flips each time the ring starts anew.
 */
export interface Ring {
  begin(trace: Trace, phase: 0 | 1): readonly Value[];
  index(trace: Trace, place: readonly Value[]): Value;
  phase(trace: Trace, place: readonly Value[]): Value;
  after(trace: Trace, place: readonly Value[], by: Distance): readonly Value[];
}

const at = (place: readonly Value[], i: number): Value => {
  const value = place[i];
  if (!value) throw new Error("a place of a ring lacks a part");
  return value;
};

const select = (trace: Trace, condition: Value, yes: Value, no: Value): Value =>
  first(trace.emit("select", { condition, yes, no }, {}));

/** One stage: a place is its phase. */
const single: Ring = {
  begin: (trace, phase) => [constant(trace, phase, "i32")],
  index: (trace) => constant(trace, 0, "i32"),
  phase: (_, place) => at(place, 0),
  after: (trace, place, by) => [xor(trace, at(place, 0), typeof by === "number" ? by & 1 : and(trace, by, 1))],
};

/** A power of two: a place is the number of stages passed, which may wrap; its low bits are the index, the next one is the phase. */
const counting = (stages: number): Ring => ({
  begin: (trace, phase) => [constant(trace, phase * stages, "i32")],
  index: (trace, place) => and(trace, at(place, 0), stages - 1),
  phase: (trace, place) => and(trace, shr(trace, at(place, 0), Math.log2(stages)), 1),
  after: (trace, place, by) => [add(trace, at(place, 0), by)],
});

/** Any number: a place is its index and its phase. */
const wrapping = (stages: number): Ring => ({
  begin: (trace, phase) => [constant(trace, 0, "i32"), constant(trace, phase, "i32")],
  index: (_, place) => at(place, 0),
  phase: (_, place) => at(place, 1),
  after: (trace, place, by) => {
    const [index, phase] = [at(place, 0), at(place, 1)];
    return typeof by === "number" ? afterStatic(trace, index, phase, by, stages) : afterStaged(trace, index, phase, by, stages);
  },
});

function afterStatic(trace: Trace, index: Value, phase: Value, by: number, stages: number): readonly Value[] {
  const rest = by % stages;
  const turned = xor(trace, phase, Math.floor(by / stages) & 1);
  if (rest === 0) return [index, turned];
  const sum = add(trace, index, rest);
  const wraps = compare(trace, rest === 1 ? "eq" : "ge", sum, stages);
  const again = rest === 1 ? constant(trace, 0, "i32") : add(trace, sum, -stages);
  return [select(trace, wraps, again, sum), select(trace, wraps, xor(trace, turned, 1), turned)];
}

/** Unsigned: the quotient of a sum that is not negative is cheaper that way. */
function afterStaged(trace: Trace, index: Value, phase: Value, by: Value, stages: number): readonly Value[] {
  const sum = first(trace.emit("convert", { a: add(trace, index, by) }, {}, { types: ["u32"] }));
  const by32 = constant(trace, stages, "u32");
  const turns = first(trace.emit("div", { a: sum, b: by32 }, {}));
  const rest = first(trace.emit("sub", { a: sum, b: first(trace.emit("mul", { a: turns, b: by32 }, {})) }, {}));
  return [toInt(trace, rest, "i32"), xor(trace, phase, and(trace, toInt(trace, turns, "i32"), 1))];
}

export function ringOf(stages: number): Ring {
  if (stages === 1) return single;
  return isPowerOf2(stages) ? counting(stages) : wrapping(stages);
}
