/** `for … of`: a range becomes a loop on the GPU, everything else unrolls. */

import { describe } from "../numbers/describe.ts";
import { expectRangeEnds } from "../numbers/range-end.ts";
import { Unusable, usable } from "../numbers/unusable.ts";
import { readField } from "../objects/fields.ts";
import { isOlderThanBranch } from "../objects/frames.ts";
import { noteElements, noteReached } from "../objects/outer-reads.ts";
import { failHere } from "../trace/fail-here.ts";
import { isOwnObject, Staged } from "../trace/staged.ts";
import type { Trace } from "../trace/trace.ts";
import { branch, type Variables } from "./branch.ts";
import type { Ended } from "./completion.ts";
import { stagedLoop } from "./loop.ts";
import { hasStagedIteration, liftBounds, type SingleIteration, type StagedIteration, stagedIteration } from "./range.ts";
import { exitsOf, unrolled } from "./unrolled.ts";

export function forOf(
  trace: Trace,
  iterable: unknown,
  body: (element: unknown) => Ended,
  vars: Variables,
  labels: readonly string[],
): Ended {
  if (hasStagedIteration(iterable)) {
    const iteration = iterable[stagedIteration]();
    return "condition" in iteration
      ? singleIteration(trace, iteration, body, vars, labels)
      : countedLoop(trace, iteration, body, vars, labels);
  }
  if (iterable instanceof Staged || iterable instanceof Unusable) {
    usable(iterable);
    failHere("W2031", { what: describe(iterable) });
  }
  if (Array.isArray(iterable)) {
    noteElements(trace, iterable);
    return unrolled(trace, labels, vars, (i) => (i < iterable.length ? () => body(readField(trace, iterable, i)) : undefined));
  }
  if (typeof iterable !== "string" && (typeof iterable !== "object" || iterable === null || !(Symbol.iterator in iterable)))
    return failHere("W2031", { what: describe(iterable) });
  refuseOlderIterator(trace, iterable);
  noteReached(trace, [iterable], true);
  const iterator = (iterable as Iterable<unknown>)[Symbol.iterator]();
  return unrolled(trace, labels, vars, () => {
    const { done, value } = iterator.next();
    return done ? undefined : () => body(value);
  });
}

/** Refuses to advance an iterator that is older than a branch: it would advance in every thread. W2069. */
export function refuseOlderIterator(trace: Trace, iterable: unknown): void {
  if (typeof iterable !== "object" || iterable === null || !("next" in iterable) || isOwnObject(iterable)) return;
  if (typeof iterable.next === "function" && isOlderThanBranch(trace, iterable)) failHere("W2069", { text: "next()" });
}

function singleIteration(
  trace: Trace,
  { condition, element }: SingleIteration,
  body: (element: unknown) => Ended,
  vars: Variables,
  labels: readonly string[],
): Ended {
  const run = (): Ended => unrolled(trace, labels, vars, (i) => (i === 0 ? () => body(element()) : undefined));
  if (typeof condition === "boolean") return condition ? run() : undefined;
  return branch(trace, condition, run, () => undefined, vars);
}

function countedLoop(
  trace: Trace,
  iteration: StagedIteration,
  body: (element: unknown) => Ended,
  vars: Variables,
  labels: readonly string[],
): Ended {
  const { start, stop, step } = iteration;
  const staticStep = typeof step === "number" || typeof step === "bigint" ? step : undefined;
  const bounds = liftBounds(iteration);
  expectRangeEnds(trace, [start, stop, step], bounds);
  const counter = { ...bounds, staticStep, unroll: iteration.unroll };
  return stagedLoop(trace, {
    counter,
    body: (index) => {
      if (!index) throw new Error("a counting loop without an index");
      return body(iteration.element(index));
    },
    vars,
    ...exitsOf(labels),
  });
}
