/** Operands whose lines TMA cannot load: what threads make of them, and copies to lines that it can, in memory that is kept for that. */

import type { DeviceTensor } from "warpsmith";
import { type FurtherLaunch, none } from "../../common/launches.ts";
import { madeOnce } from "../../common/made.ts";
import { alignmentOf } from "../../common/tensors.ts";
import { fail } from "../../errors.ts";
import { isMisaligned, type Lines, linesIn, misplaced, turned } from "../kernel/maps.ts";
import type { HalfType, Vector } from "../problem/problem.ts";
import { type CopyShape, makeCopy } from "./copy-lines.ts";
import { roomFor } from "./rooms.ts";

type Matrix = DeviceTensor<HalfType, 2>;
/** A matrix, or a batch of them. */
export type Operand = DeviceTensor<HalfType, 2 | 3>;

const why = "An operand is copied before, as TMA cannot load it where it is";
const without = "give operands whose lines begin at multiples of 16 bytes";

/** Whether TMA loads it: lines begin at multiples of 16 bytes. */
export const isAligned = (lines: Lines): boolean => misplaced(lines) === 0 && lines.tensor.address() % 16n === 0n;

/** The most neighbours, up to 4, that a thread loads at a time wherever it begins at a multiple of so many. */
export function vectorOf({ tensor, transposed }: Lines): Vector {
  const lines = transposed ? turned(tensor) : tensor;
  const [count = 1, columns = 1] = lines.shape.slice(-2);
  const pitch = count > 1 ? (lines.strides.at(-2) ?? 0) : 0;
  const between = lines.rank === 3 ? (lines.strides[0] ?? 0) : 0;
  const low = (Number(tensor.address() % 8n) / 2) | pitch | between | columns | 4;
  return (low & -low) as Vector;
}

/** Whether the lines of a batch, in the order of memory, lie equally far apart. */
const areEquallyFar = ({ rank, shape, strides }: Operand): boolean =>
  rank === 2 || strides[0] === (shape[1] ?? 1) * (strides[1] ?? 0);

/** Whether a launch can copy it to lines that TMA loads, or need not. */
export const canBeCopied = (lines: Lines): boolean =>
  isAligned(lines) || areEquallyFar(lines.transposed ? turned(lines.tensor) : lines.tensor);

/** The same elements in the order of memory, the lines of a batch one after the other. W7672. */
function inOrder({ tensor, transposed }: Lines): Matrix {
  const rows = transposed ? turned(tensor) : tensor;
  if (rows.rank === 2) return rows as Matrix;
  const [count = 1, lines = 1, columns = 1] = rows.shape as readonly number[];
  if (!areEquallyFar(rows)) fail("W7672", { shape: tensor.shape, strides: tensor.strides });
  return rows.reshape(count * lines, columns);
}

/** Lines that begin at multiples of 128 bytes, as memory is read; of shorter ones, of 16. What is loaded at a time divides a line: behind its end the memory is another's. */
function shapeOf(lines: Lines): CopyShape {
  const matrix = inOrder(lines);
  const [, columns] = matrix.shape;
  return {
    vector: Math.min(4, alignmentOf(matrix) / 2, columns & -columns) as CopyShape["vector"],
    columns,
    pitch: pitchFor(columns),
  };
}

function pitchFor(columns: number): number {
  const grain = columns >= 64 ? 64 : 8;
  return Math.ceil(columns / grain) * grain;
}

/** Elements of a line. */
const lengthOf = ({ tensor: { shape }, transposed }: Lines): number => shape.at(transposed ? -2 : -1) ?? 1;

/** Whether lines, as TMA loads them, begin at other distances than multiples of the 128 bytes that memory is read in. */
export const liesApart = (lines: Lines): boolean =>
  isAligned(lines) ? isMisaligned(lines) : pitchFor(lengthOf(lines)) % 64 !== 0;

/** What is used of lines that were copied: as many matrices as there are in a batch. */
function placed(to: Matrix, { tensor }: Lines, columns: number): Operand {
  if (tensor.rank === 2) return to.slice(undefined, [0, columns]);
  const [count] = tensor.shape;
  return to.reshape(count, to.shape[0] / count, to.shape[1]).slice(undefined, undefined, [0, columns]);
}

/** Elements of memory that a copy takes. The next one begins at a multiple of 128 bytes. */
const elementsOf = (lines: Lines): number => Math.ceil((inOrder(lines).shape[0] * shapeOf(lines).pitch) / 64) * 64;

/** Operands in the order of memory. */
export interface Operands {
  readonly a: Lines;
  readonly b: Lines;
  /** Of a pair. */
  readonly second: Lines | undefined;
}

export const operandsIn = (a: Operand, b: Operand, second: Operand | undefined): Operands => ({
  a: linesIn(a),
  b: linesIn(b),
  second: second && linesIn(second),
});

/** Those that TMA loads as it does, and the launch before that copies those that it could not load where they are. */
export interface AlignedOperands extends Operands {
  readonly before: readonly FurtherLaunch[];
}

/** W8005; W7029 where a graph is captured. */
export function alignOperands(given: Operands, overlaps: boolean): AlignedOperands {
  const { a } = given;
  const copied = [given.a, given.b, given.second].filter((lines) => lines !== undefined && !isAligned(lines)) as readonly Lines[];
  if (copied.length === 0) return { ...given, before: none };
  const room = roomFor(
    a.tensor.device,
    a.tensor.dtype,
    copied.reduce((sum, lines) => sum + elementsOf(lines), 0),
  );
  let from = 0;
  const made = copied.map((lines) => {
    const matrix = inOrder(lines);
    const { pitch, columns } = shapeOf(lines);
    const to = room.slice([from, from + matrix.shape[0] * pitch]).reshape(matrix.shape[0], pitch) as Matrix;
    from += elementsOf(lines);
    const used = placed(to, lines, columns);
    const aligned = { tensor: lines.transposed ? turned(used) : used, transposed: lines.transposed };
    return { lines, aligned, copy: { from: matrix, to } };
  });
  const shapes = copied.map(shapeOf);
  const kernel = madeOnce(["copyLines", shapes, overlaps], (kept) => makeCopy(shapes, overlaps, kept));
  const place = (lines: Lines): Lines => made.find((one) => one.lines === lines)?.aligned ?? lines;
  return {
    a: place(given.a),
    b: place(given.b),
    second: given.second && place(given.second),
    before: [{ kernel, args: [made.map(({ copy }) => copy)], why, without }],
  };
}
