import type { DeviceTensor } from "warpsmith";
import { RecentlyUsed } from "../../recently-used.ts";
import { isSame } from "../common/same-memory.ts";
import { sizeOf, type Tensors } from "../common/tensors.ts";
import { alignOperands, type CopyLaunch, isAligned } from "./align.ts";
import { checkEpilogue, checkOut, inputShape } from "./check.ts";
import { checkPlan } from "./check-plan.ts";
import { type Circumstances, choosePlan } from "./choose-plan.ts";
import type { Epilogue, InputKind, Scaling } from "./epilogue.ts";
import { makeGemm } from "./gemm.ts";
import { isMisaligned, type Lines, mapOf, type PanelMaps } from "./maps.ts";
import { boxesOf, type Columns, columnsOf, type Plan, takesInput } from "./plan.ts";
import { type HalfType, type Problem, type ResultRows, type ResultType, resultBytes } from "./problem.ts";
import { tunedPlan } from "./tuned-plan.ts";

type Matrix = DeviceTensor<HalfType, 2>;
export type Result = DeviceTensor<ResultType, 2>;
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
}

/** How many kernels are kept of each epilogue, and of none: the ones used last. */
const kept = 256;
/** Those made before, by their epilogue, and by problem and plan. Those of an epilogue are gone with it. */
const made = new WeakMap<object, RecentlyUsed<string, GemmKernel>>();
const noEpilogue = {};
/** Plans chosen before. */
const chosen = new RecentlyUsed<string, Plan>(4 * kept);

/** What `warpsmith tune` has found on this machine goes first. */
function planFor(problem: Problem, circumstances: Circumstances, device: string): Plan {
  const key = JSON.stringify([problem, circumstances, device]);
  const plan = chosen.get(key) ?? tunedPlan(problem, circumstances, device) ?? choosePlan(problem, circumstances);
  chosen.set(key, plan);
  return plan;
}

function kernelFor(problem: Problem, plan: Plan, epilogue: Epilogue | undefined): GemmKernel {
  const family = made.get(epilogue ?? noEpilogue) ?? new RecentlyUsed<string, GemmKernel>(kept);
  made.set(epilogue ?? noEpilogue, family);
  const key = JSON.stringify([problem, plan]);
  const kernel = family.get(key) ?? makeGemm(problem, plan, epilogue);
  family.set(key, kernel);
  return kernel;
}

const asRows = (tensor: DeviceTensor): Lines => ({ tensor: tensor as Matrix, transposed: false });

/** Whether TMA moves an input that is one number for each element. */
const hasRows = (input: DeviceTensor, { dtype }: Matrix): boolean =>
  input.dtype === dtype && (input.strides[1] === 1 || input.shape[1] === 1) && isAligned(asRows(input));

/** How inputs are read, and the one that comes through the pipeline. */
interface Reading {
  readonly kinds: Readonly<Record<string, InputKind>>;
  readonly pipe: DeviceTensor | undefined;
}

/**
 * One whose elements are of the product's type and lie as TMA wants them comes through the pipeline, under all its names. The result does so
 * before others: TMA, which stores it, is not ordered with reads of another kind. None does so where `byPipe` is false.
 */
function readingOf(a: Matrix, b: Matrix, { inputs, out }: Asked, byPipe: boolean): Reading {
  const product = { m: a.shape[0], n: b.shape[1], a, out };
  const shapes = Object.entries(inputs).map(([name, input]) => ({ name, input, shape: inputShape(name, input, product) }));
  const fit = shapes.filter(({ input, shape }) => byPipe && shape === "tile" && hasRows(input, a)).map(({ input }) => input);
  const pipe = fit.find((input) => out !== undefined && isSame(input, out)) ?? fit[0];
  const kinds = shapes.map(({ name, input, shape }): [string, InputKind] => {
    const through = pipe !== undefined && shape === "tile" && isSame(input, pipe) ? "pipe" : "global";
    return [name, { shape, dtype: input.dtype, through }];
  });
  return { kinds: Object.fromEntries(kinds), pipe };
}

/** What the kernel gets for each input that does not come through the pipeline. Frozen: a launch with it is known again. */
function inputArgs(inputs: Tensors, kinds: Reading["kinds"]) {
  const args = Object.entries(inputs)
    .filter(([name]) => kinds[name]?.through === "global")
    .map(([name, input]) => {
      const asIs = kinds[name]?.shape === "tile" || input.rank === 1;
      return [name, asIs ? input : input.reshape(Math.max(...input.shape))] as const;
    });
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

const isRead = (out: Result, inputs: Tensors): boolean => Object.values(inputs).some((input) => isSame(input, out));

/** How rows of the result lie, or of new memory, which begins at a multiple of 16 bytes. */
function resultRows(out: Result | undefined, m: number, n: number): ResultRows {
  if (!out) return { pitch: n, begin: 0 };
  return { pitch: m > 1 ? out.strides[0] : n, begin: Number(out.address() % 16n) / sizeOf(out) };
}

/** Checks all but the operands, finds or makes the kernel and the tensor maps, and makes the memory where none is given. W7012, W76xx. */
export function prepare(a: Matrix, b: Matrix, given: Asked): Ready {
  const { epilogue } = given;
  if (given.out !== undefined) checkOut(given.out, a, b, given.dtype);
  checkEpilogue(epilogue, given.inputs);
  const { inputs, scaling } = withPrevious(given);
  const asked = { ...given, inputs };
  const result = given.out?.dtype ?? given.dtype ?? a.dtype;
  const { a: aLines, b: bLines, copy } = alignOperands(a, b, asked.overlaps);
  const [[m, k], [, n]] = [a.shape, b.shape];
  const [aMajor, bMajor] = [aLines.transposed ? "mn" : "k", bLines.transposed ? "k" : "mn"] as const;
  const product = {
    ...{ m, n, k, dtype: a.dtype, aMajor, bMajor, overlaps: asked.overlaps || copy !== undefined },
    ...(result === a.dtype ? {} : { result }),
    ...(scaling ? { scaling } : {}),
  };
  const { multiprocessors, name: device } = a.device;
  const misaligned = { a: isMisaligned(aLines), b: isMisaligned(bLines) };
  const planned = (rows: ResultRows | undefined) => {
    const whole: Problem = { ...product, inputs: readingOf(a, b, asked, true).kinds, ...(rows ? { rows } : {}) };
    if (asked.plan !== undefined) checkPlan(asked.plan, whole);
    const plan = asked.plan ?? planFor(whole, { multiprocessors, misaligned }, device);
    return { whole, plan, ...readingOf(a, b, asked, takesInput(plan, whole)) };
  };
  /** Whether the result is read by other ways than TMA's, which is not ordered with them: then TMA does not store it. */
  const isReadApart = (pipe: DeviceTensor | undefined): boolean =>
    asked.out !== undefined && isRead(asked.out, inputs) && !(pipe !== undefined && isSame(pipe, asked.out));
  const rows = resultRows(asked.out, m, n);
  // Of rows of 16-bit elements that end elsewhere, TMA writes on to the next multiple of 16 bytes, over what is another's.
  const byMap = (n * resultBytes(product)) % 16 === 0 && (asked.out === undefined || isAligned(asRows(asked.out)));
  const first = planned(byMap ? undefined : rows);
  const { whole, plan, kinds, pipe } = byMap && isReadApart(first.pipe) ? planned(rows) : first;
  const kernel = kernelFor({ ...whole, inputs: kinds }, plan, epilogue);
  const out = asked.out ?? (a.device.empty(result, [m, n]) as Result);
  const { promotion } = plan;
  const boxes = boxesOf(plan, whole);
  const args = [
    mapOf(aLines, { box: boxes.a, swizzle: "128B", promotion }),
    panelMaps(bLines, plan, columnsOf(plan, bMajor), boxes.b, boxes.bRest),
    whole.rows ? out : mapOf(asRows(out), { box: boxes.d, swizzle: boxes.swizzle, promotion }),
    pipe ? panelMaps(asRows(pipe), plan, columnsOf(plan, "mn"), boxes.input, boxes.inputRest) : noMaps,
    inputArgs(inputs, kinds),
  ];
  return { copy, kernel, args: args as unknown as GemmArgs, out };
}
