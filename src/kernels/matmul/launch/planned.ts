/** The problem that is asked for, and the plan for it. */

import type { DeviceTensor } from "warpsmith";
import { RecentlyUsed } from "../../../base/recently-used.ts";
import { sizeOf } from "../../common/tensors.ts";
import { fail } from "../../errors.ts";
import type { Scaling } from "../epilogue/epilogue.ts";
import type { Outputs } from "../options/outputs.ts";
import { checkPlan } from "../plan/check-plan.ts";
import { type Circumstances, chooseShape, planOf } from "../plan/choose-plan.ts";
import { type Plan, takesInput } from "../plan/plan.ts";
import { tunedShape } from "../plan/tuned-plan.ts";
import { shapeOf } from "../problem/check.ts";
import {
  anyRows,
  type Batch,
  type ByThreads,
  INVARIANT_COLUMNS,
  mostRows,
  type Problem,
  type ResultType,
  rowClass,
  type StoredLines,
  type StoredMatrix,
  type Vector,
} from "../problem/problem.ts";
import { canBeCopied, isAligned, liesApart, type Operand, type Operands, vectorOf } from "./align.ts";
import type { Asked } from "./asked.ts";
import { asRows, isReadApart, type Reading, readingOf } from "./reading.ts";

/** Plans chosen before. */
const chosen = new RecentlyUsed<string, Plan>(1024);

/** For so many rows. What `warpsmith tune` has found on this machine goes first. */
function planFor(problem: Problem, m: number, circumstances: Circumstances, device: string): Plan {
  const key = JSON.stringify([problem, m, circumstances, device]);
  const known = chosen.get(key);
  if (known) return known;
  const sized = { ...problem, m };
  const tuned = problem.batch ? undefined : tunedShape(sized, circumstances, device);
  const shape = tuned ?? chooseShape(sized, circumstances);
  const plan = planOf(shape, problem, circumstances.multiprocessors);
  chosen.set(key, plan);
  return plan;
}

/**
 * Whether TMA stores the rows of the result, or of new memory: where they begin and end at multiples of 16 bytes. Of rows of 16-bit elements that end elsewhere
 * it writes on to the next one, over what is another's.
 */
export const rowsAlign = (out: DeviceTensor<ResultType> | undefined, shape: readonly number[], dtype: ResultType): boolean =>
  ((shape.at(-1) ?? 1) * sizeOf({ dtype })) % 16 === 0 && (out === undefined || isAligned(asRows(out)));

/** How rows of the result lie, or of new memory, which begins at a multiple of 16 bytes. */
function storedLines(out: DeviceTensor<ResultType> | undefined, m: number, n: number): StoredLines {
  if (!out) return { pitch: n, begin: 0 };
  return { pitch: m > 1 ? (out.strides[0] ?? n) : n, begin: Number(out.address() % 16n) / sizeOf(out) };
}

/** What the kernel is told of a batch. */
function batchOf(a: Operand, b: Operand): { readonly batch?: Batch } {
  const [count = 1] = shapeOf(a, b);
  return a.rank === 2 ? {} : { batch: { count, ofA: a.shape[0] > 1, ofB: b.rank === 3 && b.shape[0] > 1 } };
}

function reductionsOf(outputs: Outputs): Pick<Problem, "reductions"> {
  const named = Object.entries(outputs).flatMap(([name, { by }]) => (by === "element" ? [] : [[name, by] as const]));
  return named.length > 0 ? { reductions: Object.fromEntries(named) } : {};
}

const sumsRows = (outputs: Outputs): boolean => Object.values(outputs).some(({ by }) => by === "sum");

/** What else is stored of each element: by TMA where it can. */
function furtherOf(outputs: Outputs, shape: readonly number[]): Pick<Problem, "further"> {
  const [m = 1, n = 1] = shape.slice(-2);
  const named = Object.entries(outputs).flatMap(([name, output]): (readonly [string, StoredMatrix])[] => {
    if (output.by !== "element") return [];
    const { dtype: type } = output.to;
    return [[name, rowsAlign(output.to, shape, type) ? { type } : { type, lines: storedLines(output.to, m, n) }]];
  });
  return named.length > 0 ? { further: Object.fromEntries(named) } : {};
}

/** Rows of a batch that TMA does not store. W7673. */
export function checkFurtherRows(outputs: Outputs, shape: readonly number[]): void {
  for (const [name, output] of Object.entries(outputs)) {
    if (output.by !== "element" || rowsAlign(output.to, shape, output.to.dtype)) continue;
    fail("W7673", { name, shape, strides: output.to.strides });
  }
}

/** Operands as they were given, and in the order of memory. */
export interface Given {
  readonly a: Operand;
  readonly b: Operand;
  readonly lines: Operands;
}

const ofB = ({ b, second }: Operands) => (second ? [b, second] : [b]);

/** Operands that TMA cannot load where they are, as threads load them; undefined where it can load them all. */
function unalignedOf(lines: Operands): ByThreads | undefined {
  const [a, b] = [isAligned(lines.a), ofB(lines).every(isAligned)];
  if (a && b) return undefined;
  const vectors = ofB(lines).map(vectorOf);
  return { ...(a ? {} : { a: vectorOf(lines.a) }), ...(b ? {} : { b: Math.min(...vectors) as Vector }) };
}

/** Without what depends on how it is loaded and stored, and on what is read. */
function productOf({ a, b, lines }: Given, asked: Asked, result: ResultType, scaling: Scaling | undefined) {
  const [m = 1, n = 1] = shapeOf(a, b).slice(-2);
  const { dynamicM, invariant } = asked;
  return {
    /** With a plan of the author's one kernel serves all. */
    m: !dynamicM ? m : asked.plan ? anyRows : mostRows(m),
    ...{ n, k: a.shape.at(-1) ?? 1, dtype: a.dtype },
    aMajor: lines.a.transposed ? "mn" : "k",
    bMajor: lines.b.transposed ? "k" : "mn",
    ...(result === a.dtype ? {} : { result }),
    ...(scaling ? { scaling } : {}),
    ...(dynamicM ? { dynamicM } : {}),
    ...batchOf(a, b),
    ...(asked.second ? { pair: true } : {}),
    ...reductionsOf(asked.outputs),
    ...furtherOf(asked.outputs, shapeOf(a, b)),
    ...(invariant ? { invariant } : {}),
    ...(invariant && sumsRows(asked.outputs) ? ({ partColumns: INVARIANT_COLUMNS } as const) : {}),
  } as const;
}

/** A problem, how it is cut up, and how its inputs are read. */
interface Planned extends Reading {
  readonly problem: Problem;
  readonly plan: Plan;
}

/**
 * TMA stores the result where it can; a plan by which its stores would not be ordered with how the result is read, as an input, is chosen again for threads
 * that store it. W7613, W7614.
 */
export function planned(given: Given, asked: Asked, result: ResultType, scaling: Scaling | undefined): Planned {
  const { a, b, lines: operands } = given;
  const product = productOf(given, asked, result, scaling);
  const shape = shapeOf(a, b);
  const [m = 1, n = 1] = shape.slice(-2);
  const { multiprocessors, name: device } = a.device;
  const unaligned = unalignedOf(operands);
  const circumstances = {
    multiprocessors,
    misaligned: { a: liesApart(operands.a), b: ofB(operands).some(liesApart) },
    ...(unaligned ? { unaligned: { ...unaligned, copies: [operands.a, ...ofB(operands)].every(canBeCopied) } } : {}),
  };
  /** Rows that the plan is chosen for. */
  const plannedRows = product.m === anyRows ? rowClass(m) : product.m;
  const reading = readingOf(a, b, asked, true);
  const by = (lines: StoredLines | undefined): Planned => {
    const problem: Problem = { ...product, inputs: reading.kinds, ...(lines ? { lines } : {}) };
    if (asked.plan !== undefined) checkPlan(asked.plan, problem);
    const plan = asked.plan ?? planFor(problem, plannedRows, circumstances, device);
    const read = takesInput(plan, problem) ? reading : readingOf(a, b, asked, false);
    const { invariant: _, ...made } = problem;
    const byThreads = plan.unaligned === "threads" ? unaligned : undefined;
    const overlaps = asked.overlaps || (unaligned !== undefined && !byThreads);
    return { problem: { ...made, inputs: read.kinds, overlaps, ...(byThreads ? { byThreads } : {}) }, plan, ...read };
  };
  if (!rowsAlign(asked.out, shape, result) || isReadApart(asked, reading.pipe)) return by(storedLines(asked.out, m, n));
  const first = by(undefined);
  return isReadApart(asked, first.pipe) ? by(storedLines(asked.out, m, n)) : first;
}
