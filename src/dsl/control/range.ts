import { optionsOf } from "../../base/diag/index.ts";
import type { ScalarType, Value } from "../../ir/index.ts";
import { checkOptionsHere, describe } from "../numbers/describe.ts";
import { lift, liftIndex } from "../numbers/lift.ts";
import { refuseTriple } from "../numbers/triple.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar, type StagedScalar } from "../trace/scalar.ts";
import { OwnObject, own } from "../trace/staged.ts";
import { activeTrace } from "../trace/trace.ts";

/** `for (const x of object)` becomes a loop on the GPU for objects that have this: what is counted, and the element of each iteration. */
export const stagedIteration: unique symbol = Symbol("warpsmith.staged.iteration");

export interface StagedIteration {
  readonly start: unknown;
  readonly stop: unknown;
  readonly step: unknown;
  readonly unroll?: number;
  element(index: StagedScalar): unknown;
}
/** At most one iteration: no loop. */
export interface SingleIteration {
  readonly condition: StagedScalar | boolean;
  element(): unknown;
}
export interface HasStagedIteration {
  [stagedIteration](): StagedIteration | SingleIteration;
}

export const hasStagedIteration = (x: unknown): x is HasStagedIteration =>
  typeof x === "object" && x !== null && stagedIteration in x;

/** What `range` takes after its numbers. W2601. */
export interface LoopOptions {
  /** Copies of the body per iteration. Default 1: ptxas decides nothing for you. */
  readonly unroll?: number;
}

/** What `range` gives: on the host an ordinary iterable. */
class Range extends OwnObject implements Iterable<number>, HasStagedIteration {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
  readonly unroll: number | undefined;
  constructor(start: number, stop: number, step: number, unroll: number | undefined) {
    super();
    this.start = start;
    this.stop = stop;
    this.step = step;
    this.unroll = unroll;
  }
  [stagedIteration](): StagedIteration {
    const { start, stop, step, unroll } = this;
    return { start, stop, step, ...(unroll === undefined ? {} : { unroll }), element: (index) => index };
  }
  [Symbol.iterator](): Iterator<number> {
    if (activeTrace()) failHere("W2027", {});
    return counting(this.start, this.stop, this.step);
  }
}

function* counting(start: number, stop: number, step: number): Iterator<number> {
  for (let i = start; step > 0 ? i < stop : i > stop; i += step) yield i;
}

const loopOptions = optionsOf<LoopOptions>("range()", { unroll: true });

/** The arguments up to the last one that is given. */
const given = (args: readonly unknown[]): readonly unknown[] => args.slice(0, args.findLastIndex((x) => x !== undefined) + 1);

/** Whether the last argument is meant as options. */
const endsWithOptions = (args: readonly unknown[]): boolean => typeof args.at(-1) === "object" && !isStagedScalar(args.at(-1));

function bounds(args: readonly unknown[]): { start: unknown; stop: unknown; step: unknown; options: LoopOptions } {
  args.forEach(refuseTriple);
  const hasOptions = endsWithOptions(args);
  const numbers = hasOptions ? args.slice(0, -1) : args.filter((x) => x !== undefined);
  const [a, b, step = 1] = numbers;
  if (step === 0) failHere("W2028", {});
  return {
    start: numbers.length > 1 ? a : 0,
    stop: numbers.length > 1 ? b : a,
    step,
    options: hasOptions ? (args.at(-1) as LoopOptions) : {},
  };
}

function rangeOf(stop: number, options?: LoopOptions): Iterable<number>;
function rangeOf(start: number, stop: number, step?: number, options?: LoopOptions): Iterable<number>;
function rangeOf(first: unknown, second?: unknown, third?: unknown, last?: unknown): Iterable<number> {
  const { start, stop, step, options } = bounds(given([first, second, third, last]));
  checkOptionsHere(options, loopOptions);
  const { unroll } = options;
  if (unroll !== undefined && !(Number.isInteger(unroll) && unroll >= 1))
    failHere("W2017", { what: "`unroll`, the copies of a loop's body,", got: describe(unroll) });
  return new Range(start as number, stop as number, step as number, unroll);
}
/**
 * `for (const i of range(stop))`, `range(start, stop, step)`: a loop on the GPU, always. The bounds may be static or staged; `stop` is not
 * reached, and a negative step counts down. On the host an ordinary iterable. W2017, W2028.
 *
 * @example
 * ```ts
 * const sums = kernel({ block: 32, grid: 1 }, (x: Tensor<"f32", 2>, y: Tensor<"f32", 1>) => {
 *   let sum = f32(0);
 *   for (const k of range(x.shape[1])) sum += x.at(threadIdx.x, k).load();
 *   y[threadIdx.x] = sum;
 * });
 * ```
 */
export const range = own(rangeOf);

/** Iterations of a loop at trace time: what each of them makes is compiled for itself. */
const mostStatic = 2 ** 20;

function staticRangeOf(stop: number): Iterable<number>;
function staticRangeOf(start: number, stop: number, step?: number): Iterable<number>;
function staticRangeOf(first: unknown, second?: unknown, third?: unknown): Iterable<number> {
  const args = given([first, second, third]);
  args.forEach(refuseTriple);
  if (endsWithOptions(args)) failHere("W2029", { got: describe(args.at(-1)) });
  const { start, stop, step } = bounds(args);
  for (const x of [start, stop, step]) if (typeof x !== "number" || Number.isNaN(x)) failHere("W2029", { got: describe(x) });
  const iterations = Math.ceil(((stop as number) - (start as number)) / (step as number));
  if (iterations > mostStatic) failHere("W2030", { iterations: mostStatic });
  return [...{ [Symbol.iterator]: () => counting(start as number, stop as number, step as number) }];
}
/**
 * `for (const i of staticRange(stop))`, `staticRange(start, stop, step)`: a loop at trace time, always. The index is static, the body unrolled. W2028, W2029.
 *
 * @example
 * ```ts
 * const powers = kernel({ block: 32, grid: 1 }, (y: Tensor<"i32", 2>) => {
 *   for (const p of staticRange(4)) y.at(p, threadIdx.x).store(threadIdx.x ** p); // four stores, one after the other
 * });
 * ```
 */
export const staticRange = own(staticRangeOf);

/** The bounds of a counting loop in one integer type: i32, unless one of them is staged in another. */
export function liftBounds({ start, stop, step }: StagedIteration): { start: Value; stop: Value; step: Value } {
  const staged = [start, stop, step]
    .map((x, i) => liftIndex(x, ["where the range begins", "where the range ends", "the step of the range"][i] ?? ""))
    .filter((x) => typeof x === "object");
  const bigints = [start, stop, step].some((x) => typeof x === "bigint");
  const type = (staged[0]?.type ?? (bigints ? "i64" : "i32")) as ScalarType;
  return {
    start: lift(start, type, "where the range begins"),
    stop: lift(stop, type, "where the range ends"),
    step: lift(step, type, "the step of the range"),
  };
}
