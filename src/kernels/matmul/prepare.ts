import type { DeviceTensor } from "warpsmith";
import { RecentlyUsed } from "../../recently-used.ts";
import { type Kept, madeOnce } from "../common/made.ts";
import { taking } from "../common/memory.ts";
import { isSame } from "../common/same-memory.ts";
import { sizeOf, type Tensors } from "../common/tensors.ts";
import { alignOperands, type CopyLaunch, isAligned, type Operand } from "./align.ts";
import { checkBatch, checkEpilogue, checkOut, inputShape, shapeOf } from "./check.ts";
import { checkPlan } from "./check-plan.ts";
import { type Circumstances, chooseShape, planOf } from "./choose-plan.ts";
import type { Epilogue, InputKind, Scaling } from "./epilogue.ts";
import { makeGemm } from "./gemm.ts";
import { isMisaligned, type Lines, mapOf, type PanelMaps } from "./maps.ts";
import { boxesOf, type Columns, columnsOf, type Plan, takesInput } from "./plan.ts";
import { anyRows, type Batch, mostRows, type Problem, type ResultRows, type ResultType, rowClass } from "./problem.ts";
import { tunedShape } from "./tuned-plan.ts";

export type Result = DeviceTensor<ResultType, 2 | 3>;
export type GemmKernel = ReturnType<typeof makeGemm>;
export type GemmArgs = Parameters<GemmKernel["launch"]> extends [unknown, ...infer Args] ? Args : never;

/** What is asked for, the operands aside. */
export interface Asked {
  readonly out: Result | undefined;
  /** The result's type, where it is said. */
  readonly dtype: ResultType | undefined;
  /** Whether the sum is multiplied with a number of the launch, and the result before it, times another, added. */
  readonly scaled: boolean;
  readonly adds: boolean;
  readonly epilogue: Epilogue | undefined;
  readonly inputs: Tensors;
  readonly plan: Plan | undefined;
  /** One kernel for many numbers of rows. */
  readonly dynamicM: boolean;
  /** The bits of a row do not depend on how many there are. */
  readonly invariant: boolean;
  /** Begins before the launch before it has ended. */
  readonly overlaps: boolean;
}

/** A launch that is ready: the kernel, what it is called with, and where its result goes. */
export interface Ready {
  /** The launch that comes before it, where TMA cannot load an operand where it is. */
  readonly copy: CopyLaunch | undefined;
  readonly kernel: GemmKernel;
  /** Without alpha and beta, which come last where the sum is scaled. */
  readonly args: GemmArgs;
  readonly out: Result;
  /** The kernel is right for no other number of rows, or for few of them. */
  readonly settled: boolean;
}

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

function kernelFor(problem: Problem, plan: Plan, epilogue: Epilogue | undefined): GemmKernel {
  const make = (kept: Kept) => makeGemm(problem, plan, epilogue, kept);
  return madeOnce(["matmul()", problem, plan], make, epilogue) as unknown as GemmKernel;
}

const asRows = (tensor: DeviceTensor): Lines => ({ tensor: tensor as Operand, transposed: false });

/** Whether TMA moves an input that is one number for each element. */
const hasRows = (input: DeviceTensor, { dtype }: Operand): boolean =>
  input.dtype === dtype && (input.strides.at(-1) === 1 || input.shape.at(-1) === 1) && isAligned(asRows(input));

/** How inputs are read, and the one that comes through the pipeline. */
interface Reading {
  readonly kinds: Readonly<Record<string, InputKind>>;
  readonly pipe: DeviceTensor | undefined;
}

/**
 * One whose elements are of the product's type and lie as TMA wants them comes through the pipeline, under all its names. The result does so
 * before others: TMA, which stores it, is not ordered with reads of another kind. None does so where `byPipe` is false.
 */
function readingOf(a: Operand, b: Operand, { inputs, out }: Asked, byPipe: boolean): Reading {
  const product = { shape: shapeOf(a, b), a, out };
  const shapes = Object.entries(inputs).map(([name, input]) => ({ name, input, shape: inputShape(name, input, product) }));
  const fit = shapes.filter(({ input, shape }) => byPipe && shape === "tile" && hasRows(input, a)).map(({ input }) => input);
  const pipe = fit.find((input) => out !== undefined && isSame(input, out)) ?? fit[0];
  const kinds = shapes.map(({ name, input, shape }): [string, InputKind] => {
    const through = pipe !== undefined && shape === "tile" && isSame(input, pipe) ? "pipe" : "global";
    return [name, { shape, dtype: input.dtype, through }];
  });
  return { kinds: Object.fromEntries(kinds), pipe };
}

/** Columns as [N], rows as [M], or [batch, M]. */
function asRead(input: DeviceTensor, shape: InputKind["shape"] | undefined): DeviceTensor {
  if (shape === "tile" || input.rank === 1) return input;
  return shape === "row" ? input.reshape(...input.shape.slice(0, -1)) : input.reshape(Math.max(...input.shape));
}

/** What the kernel gets for each input that does not come through the pipeline. Frozen: a launch with it is known again. */
function inputArgs(inputs: Tensors, kinds: Reading["kinds"]) {
  const args = Object.entries(inputs)
    .filter(([name]) => kinds[name]?.through === "global")
    .map(([name, input]) => [name, asRead(input, kinds[name]?.shape)] as const);
  return Object.freeze(Object.fromEntries(args));
}

type Box = readonly [number, number];

/** Of a matrix of which a tile has those columns, by boxes of a whole panel and of a part of one. Frozen: a launch with it is known again. */
function panelMaps(lines: Lines, { promotion }: Plan, { whole, rest }: Columns, panel: Box, part: Box): PanelMaps {
  const map = (box: Box) => mapOf(lines, { box, swizzle: "128B", promotion });
  return Object.freeze({ ...(whole > 0 ? { whole: map(panel) } : {}), ...(rest > 0 ? { rest: map(part) } : {}) });
}

const noMaps: PanelMaps = Object.freeze({});

/** The result before, under a name that no input has. */
function withPrevious({ inputs, out, scaled, adds }: Asked): { readonly inputs: Tensors; readonly scaling?: Scaling } {
  if (!scaled) return { inputs };
  if (!adds || !out) return { inputs, scaling: {} };
  let previous = "previous";
  while (previous in inputs) previous += "_";
  return { inputs: { ...inputs, [previous]: out }, scaling: { previous } };
}

/** The only matrix of a batch of one, by itself; a batch, and a matrix, as they are. */
function alone<T extends DeviceTensor>(tensor: T): T {
  const { rank, shape } = tensor;
  return rank === 3 && shape[0] === 1 ? (tensor.reshape(...shape.slice(1)) as DeviceTensor as T) : tensor;
}

/** A batch of one is a product. */
function prepareOne(a: Operand, b: Operand, given: Asked): Ready {
  const inputs = Object.fromEntries(Object.entries(given.inputs).map(([name, input]) => [name, alone(input)]));
  return taking(a.device, (take) => {
    const out = given.out ?? (take(given.dtype ?? a.dtype, shapeOf(a, b)) as Result);
    return { ...prepare(alone(a), alone(b), { ...given, inputs, out: alone(out) }), out };
  });
}

/** Distances of the elements of new memory. */
const rowMajor = (shape: readonly number[]): readonly number[] =>
  shape.map((_, i) => shape.slice(i + 1).reduce((product, extent) => product * extent, 1));

/**
 * Whether TMA stores the rows of the result, or of new memory: where they begin and end at multiples of 16 bytes. Of rows of 16-bit elements that end elsewhere
 * it writes on to the next one, over what is another's.
 */
const rowsAlign = (out: Result | undefined, shape: readonly number[], dtype: ResultType): boolean =>
  ((shape.at(-1) ?? 1) * sizeOf({ dtype })) % 16 === 0 && (out === undefined || isAligned(asRows(out)));

/** What the kernel is told of a batch. */
function batchOf(a: Operand, b: Operand): { readonly batch?: Batch } {
  const [count = 1] = shapeOf(a, b);
  return a.rank === 2 ? {} : { batch: { count, ofA: a.shape[0] > 1, ofB: b.rank === 3 && b.shape[0] > 1 } };
}

const isRead = (out: Result, inputs: Tensors): boolean => Object.values(inputs).some((input) => isSame(input, out));

/** How rows of the result lie, or of new memory, which begins at a multiple of 16 bytes. */
function resultRows(out: Result | undefined, m: number, n: number): ResultRows {
  if (!out) return { pitch: n, begin: 0 };
  return { pitch: m > 1 ? out.strides[0] : n, begin: Number(out.address() % 16n) / sizeOf(out) };
}

/** Checks all but the operands, finds or makes the kernel and the tensor maps, and makes the memory where none is given. W7012, W76xx. */
export function prepare(a: Operand, b: Operand, given: Asked): Ready {
  const { epilogue } = given;
  if (given.out !== undefined) checkOut(given.out, a, b, given.dtype);
  const shape = shapeOf(a, b);
  if (shape.length === 3 && shape[0] === 1) return prepareOne(a, b, given);
  checkEpilogue(epilogue, given.inputs);
  const result = given.out?.dtype ?? given.dtype ?? a.dtype;
  if (shape.length === 3)
    checkBatch(given, given.out ?? { shape, strides: rowMajor(shape) }, rowsAlign(given.out, shape, result));
  const { inputs, scaling } = withPrevious(given);
  const asked = { ...given, inputs };
  const { a: aLines, b: bLines, copy } = alignOperands(alone(a), alone(b), asked.overlaps);
  const [m = 1, n = 1] = shape.slice(-2);
  const [k = 1] = a.shape.slice(-1);
  const [aMajor, bMajor] = [aLines.transposed ? "mn" : "k", bLines.transposed ? "k" : "mn"] as const;
  const { dynamicM, invariant } = asked;
  /** With a plan of the author's one kernel serves all. */
  const most = !dynamicM ? m : asked.plan ? anyRows : mostRows(m);
  const product = {
    ...{ m: most, n, k, dtype: a.dtype, aMajor, bMajor, overlaps: asked.overlaps || copy !== undefined },
    ...(result === a.dtype ? {} : { result }),
    ...(scaling ? { scaling } : {}),
    ...(dynamicM ? { dynamicM } : {}),
    ...batchOf(a, b),
  };
  const { multiprocessors, name: device } = a.device;
  const misaligned = { a: isMisaligned(aLines), b: isMisaligned(bLines) };
  /** Rows that the plan is chosen for. */
  const plannedRows = most === anyRows ? rowClass(m) : most;
  const planned = (rows: ResultRows | undefined) => {
    const inputKinds = readingOf(a, b, asked, true).kinds;
    const whole: Problem = { ...product, ...(invariant ? { invariant } : {}), inputs: inputKinds, ...(rows ? { rows } : {}) };
    if (asked.plan !== undefined) checkPlan(asked.plan, whole);
    const plan = asked.plan ?? planFor(whole, plannedRows, { multiprocessors, misaligned }, device);
    return { whole, plan, ...readingOf(a, b, asked, takesInput(plan, whole)) };
  };
  /** Whether the result is read by other ways than TMA's, which is not ordered with them: then TMA does not store it. */
  const isReadApart = (pipe: DeviceTensor | undefined): boolean =>
    asked.out !== undefined && isRead(asked.out, inputs) && !(pipe !== undefined && isSame(pipe, asked.out));
  const rows = resultRows(asked.out, m, n);
  const byMap = rowsAlign(asked.out, shape, result);
  const first = planned(byMap ? undefined : rows);
  const { whole, plan, kinds, pipe } = byMap && isReadApart(first.pipe) ? planned(rows) : first;
  const { invariant: _, ...made } = whole;
  const kernel = kernelFor({ ...made, inputs: kinds }, plan, epilogue);
  const out = asked.out ?? (a.device.empty(result, shape) as Result);
  const { promotion } = plan;
  const boxes = boxesOf(plan, whole);
  const args = [
    mapOf(aLines, { box: boxes.a, swizzle: "128B", promotion }),
    panelMaps(bLines, plan, columnsOf(plan, bMajor), boxes.b, boxes.bRest),
    whole.rows ? out : mapOf(asRows(out), { box: boxes.d, swizzle: boxes.swizzle, promotion }),
    pipe ? panelMaps(asRows(pipe), plan, columnsOf(plan, "mn"), boxes.input, boxes.inputRest) : noMaps,
    inputArgs(inputs, kinds),
  ];
  return { copy, kernel, args: args as unknown as GemmArgs, out, settled: most !== anyRows };
}
