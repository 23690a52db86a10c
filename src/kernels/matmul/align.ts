/** Operands whose lines TMA cannot load are copied to lines that it can, in memory that is kept for that. */
import type { DeviceTensor } from "warpsmith";
import { fail } from "../../diag/index.ts";
import { type FurtherLaunch, none } from "../common/launches.ts";
import { madeOnce } from "../common/made.ts";
import { alignmentOf } from "../common/tensors.ts";
import { type CopyShape, makeCopy } from "./copy-lines.ts";
import { type Lines, linesIn, misplaced, turned } from "./maps.ts";
import type { HalfType } from "./problem.ts";
import { roomFor } from "./rooms.ts";

type Matrix = DeviceTensor<HalfType, 2>;
/** A matrix, or a batch of them. */
export type Operand = DeviceTensor<HalfType, 2 | 3>;

const why = "An operand is copied before, as TMA cannot load it where it is";
const without = "give operands whose lines begin at multiples of 16 bytes";

/** Whether TMA loads it: lines begin at multiples of 16 bytes. */
export const isAligned = (lines: Lines): boolean => misplaced(lines) === 0 && lines.tensor.address() % 16n === 0n;

/** The same elements in the order of memory, the lines of a batch one after the other. W7672. */
function inOrder({ tensor, transposed }: Lines): Matrix {
  const rows = transposed ? turned(tensor) : tensor;
  if (rows.rank === 2) return rows as Matrix;
  const [count = 1, lines = 1, columns = 1] = rows.shape as readonly number[];
  if (rows.strides[0] !== lines * (rows.strides[1] ?? 0)) fail("W7672", { shape: tensor.shape, strides: tensor.strides });
  return rows.reshape(count * lines, columns);
}

/** Lines that begin at multiples of 128 bytes, as memory is read; of shorter ones, of 16. What is loaded at a time divides a line: behind its end the memory is another's. */
function shapeOf(lines: Lines): CopyShape {
  const matrix = inOrder(lines);
  const [, columns] = matrix.shape;
  const grain = columns >= 64 ? 64 : 8;
  return {
    vector: Math.min(4, alignmentOf(matrix) / 2, columns & -columns) as CopyShape["vector"],
    columns,
    pitch: Math.ceil(columns / grain) * grain,
  };
}

/** What is used of lines that were copied: as many matrices as there are in a batch. */
function placed(to: Matrix, { tensor }: Lines, columns: number): Operand {
  if (tensor.rank === 2) return to.slice(undefined, [0, columns]);
  const [count] = tensor.shape;
  return to.reshape(count, to.shape[0] / count, to.shape[1]).slice(undefined, undefined, [0, columns]);
}

/** Elements of memory that a copy takes. The next one begins at a multiple of 128 bytes. */
const elementsOf = (lines: Lines): number => Math.ceil((inOrder(lines).shape[0] * shapeOf(lines).pitch) / 64) * 64;

/** Operands as TMA loads them, and the launch before that copies those that it could not load where they are. */
export interface AlignedOperands {
  readonly a: Lines;
  readonly b: Lines;
  /** Of a pair. */
  readonly second: Lines | undefined;
  readonly before: readonly FurtherLaunch[];
}

/** W8005; W7029 where a graph is captured. */
export function alignOperands(a: Operand, b: Operand, second: Operand | undefined, overlaps: boolean): AlignedOperands {
  const given = { a: linesIn(a), b: linesIn(b), second: second && linesIn(second) };
  const copied = [given.a, given.b, given.second].filter((lines) => lines !== undefined && !isAligned(lines)) as readonly Lines[];
  if (copied.length === 0) return { ...given, before: none };
  const room = roomFor(
    a.device,
    a.dtype,
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
