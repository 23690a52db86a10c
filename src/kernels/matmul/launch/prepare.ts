/** From what is asked for to a launch. */
import type { DeviceTensor } from "warpsmith";
import { frozenCopy } from "../../common/frozen.ts";
import { none } from "../../common/launches.ts";
import { type Kept, madeOnce } from "../../common/made.ts";
import { taking } from "../../common/memory.ts";
import type { Epilogue } from "../epilogue/epilogue.ts";
import { makeGemm } from "../kernel/gemm.ts";
import { type Lines, mapOf, neighboursOf, type PanelMaps } from "../kernel/maps.ts";
import { checkOutputs, mapOutput, type Output, type Outputs } from "../options/outputs.ts";
import { boxesOf, type Columns, columnsOf, type Plan, swizzleOf } from "../plan/plan.ts";
import { checkAlike, checkBatch, checkEpilogue, checkOut, shapeOf } from "../problem/check.ts";
import { anyRows, bytesOf, type Problem, type StoredMatrix, storedBy } from "../problem/problem.ts";
import { type AlignedOperands, alignOperands, type Operand, type Operands, operandsIn } from "./align.ts";
import type { Asked, GemmArgs, GemmKernel, Ready, Result } from "./asked.ts";
import { checkFurtherRows, planned, rowsAlign } from "./planned.ts";
import { asRows, inputArgs, withPrevious } from "./reading.ts";
import { rowsOf } from "./rows-of.ts";

function kernelFor(problem: Problem, plan: Plan, epilogue: Epilogue | undefined): GemmKernel {
  const make = (kept: Kept) => makeGemm(frozenCopy(problem), frozenCopy(plan), epilogue, kept);
  return madeOnce(["matmul()", problem, plan], make, epilogue);
}

type Box = readonly [number, number];

/** Of a matrix of which a tile has those columns, by boxes of a whole panel and of a part of one. Frozen: a launch with it is known again. */
function panelMaps(lines: Lines, { promotion }: Plan, { whole, rest }: Columns, panel: Box, part: Box): PanelMaps {
  const map = (box: Box) => mapOf(lines, { box, swizzle: "128B", promotion });
  return Object.freeze({ ...(whole > 0 ? { whole: map(panel) } : {}), ...(rest > 0 ? { rest: map(part) } : {}) });
}

const noMaps: PanelMaps = Object.freeze({});

/** Tensor maps of the operands, or these themselves where threads load them, of the result where TMA stores it, and of the input that comes through the pipeline. */
function mapsOf(problem: Problem, plan: Plan, aligned: Operands, out: Result, pipe: DeviceTensor | undefined) {
  const { promotion } = plan;
  const { byThreads = {} } = problem;
  const boxes = boxesOf(plan, problem);
  const ofB = (lines: Lines) =>
    byThreads.b
      ? Object.freeze({ lines: neighboursOf(lines) })
      : panelMaps(lines, plan, columnsOf(plan, problem.bMajor), boxes.b, boxes.bRest);
  return [
    byThreads.a ? neighboursOf(aligned.a) : mapOf(aligned.a, { box: boxes.a, swizzle: "128B", promotion }),
    aligned.second ? Object.freeze({ ...ofB(aligned.b), second: ofB(aligned.second) }) : ofB(aligned.b),
    storedTo(problem, plan, 0, out),
    pipe ? panelMaps(asRows(pipe), plan, columnsOf(plan, "mn"), boxes.input, boxes.inputRest) : noMaps,
  ];
}

/** How the kernel is given where the matrix of that number of all that it stores goes: as TMA takes it, or as it is where threads store it. */
function storedTo(problem: Problem, plan: Plan, number: number, to: DeviceTensor) {
  const { type, lines } = storedBy(problem)[number] as StoredMatrix;
  const { d: box } = boxesOf(plan, problem);
  return lines ? to : mapOf(asRows(to), { box, swizzle: swizzleOf(box[1] * bytesOf(type)), promotion: plan.promotion });
}

/** What else than D is stored of elements, by name. Frozen: a launch with it is known again. */
function furtherTo(problem: Problem, plan: Plan, outputs: Outputs) {
  if (!problem.further) return {};
  const named = Object.keys(problem.further).map((name, i) => [
    name,
    storedTo(problem, plan, 1 + i, (outputs[name] as Output).to),
  ]);
  return { further: Object.freeze(Object.fromEntries(named)) };
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
    checkEpilogue(given.epilogue, given.inputs, given.second !== undefined);
    checkOutputs(given.outputs, { ...given, shape: shapeOf(a, b), a, b });
    const line = <T extends DeviceTensor>(tensor: T): T => tensor.reshape(tensor.shape[1] ?? 1) as DeviceTensor as T;
    const outputs = Object.fromEntries(
      Object.entries(given.outputs).map(([name, output]) => [name, mapOutput(output, alone, line)]),
    );
    const second = given.second && alone(given.second);
    return { ...prepare(alone(a), alone(b), { ...given, second, inputs, outputs, out: alone(out) }), out };
  });
}

/** Distances of the elements of new memory. */
const rowMajor = (shape: readonly number[]): readonly number[] =>
  shape.map((_, i) => shape.slice(i + 1).reduce((product, extent) => product * extent, 1));

/** Checks all but the operands, finds or makes the kernel and the tensor maps, and makes the memory where none is given. W7012, W76xx. */
export function prepare(a: Operand, b: Operand, given: Asked): Ready {
  const { epilogue } = given;
  if (given.out !== undefined) checkOut(given.out, a, b, given.second, given.dtype);
  const shape = shapeOf(a, b);
  if (shape.length === 3 && shape[0] === 1) return prepareOne(a, b, given);
  checkEpilogue(epilogue, given.inputs, given.second !== undefined);
  checkOutputs(given.outputs, { ...given, shape, a, b });
  const result = given.out?.dtype ?? given.dtype ?? a.dtype;
  if (shape.length === 3) {
    checkBatch(given, given.out ?? { shape, strides: rowMajor(shape) }, rowsAlign(given.out, shape, result));
    checkFurtherRows(given.outputs, shape);
  }
  const { inputs, scaling } = withPrevious(given);
  const asked = { ...given, inputs };
  const lines = operandsIn(alone(a), alone(b), asked.second && alone(asked.second));
  checkAlike(lines.b, lines.second);
  const { problem, plan, kinds, pipe } = planned({ a, b, lines }, asked, result, scaling);
  const aligned: AlignedOperands = problem.byThreads ? { ...lines, before: none } : alignOperands(lines, asked.overlaps);
  const kernel = kernelFor(problem, plan, epilogue);
  const out = asked.out ?? (a.device.empty(result, shape) as Result);
  const { written, after } = rowsOf(problem, plan, shape.at(-2) ?? 1, asked.outputs, a);
  const args = [
    ...mapsOf(problem, plan, aligned, out, pipe),
    inputArgs(inputs, kinds),
    Object.freeze({ ...written, ...furtherTo(problem, plan, asked.outputs) }),
  ];
  const calls = epilogue && ({ fn: epilogue, what: given.second ? "epilogue of gatedMatmul" : "epilogue" } as const);
  return {
    ...{ before: aligned.before, kernel, args: args as GemmArgs, after, out, settled: problem.m !== anyRows },
    ...(calls ? { calls } : {}),
  };
}
