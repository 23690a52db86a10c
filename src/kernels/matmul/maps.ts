import { type DeviceTensor, TMA } from "warpsmith";
import { sizeOf } from "../common/tensors.ts";
import type { Plan } from "./plan.ts";
import type { HalfType } from "./problem.ts";

/** A matrix in the order of memory: `transposed` where the neighbours are along the first dimension. */
export interface Lines {
  readonly tensor: DeviceTensor<HalfType, 2>;
  readonly transposed: boolean;
}

export interface MapShape {
  readonly box: readonly [number, number];
  readonly swizzle: "128B" | "64B" | "32B";
  /** How much of the level 2 cache a miss fills. */
  readonly promotion: Plan["promotion"];
}

/** Of a matrix that lies along N: for whole panels of 64 columns, and for the columns that a tile has of its last one. B along K is `whole`. */
export interface PanelMaps {
  readonly whole?: TMA<HalfType, 2>;
  readonly rest?: TMA<HalfType, 2>;
}

/** Tensor maps made before, by tensor and shape: making one costs more than a launch. */
const known = new WeakMap<object, Map<string, TMA<HalfType, 2>>>();

/** The same elements as rows of neighbours. The distance of rows means something only where there are two: of one row, it is its length. */
function rowsOf({ tensor, transposed }: Lines): DeviceTensor<HalfType, 2> {
  const rows = transposed ? tensor.transpose(1, 0) : tensor;
  return rows.shape[0] === 1 ? rows.reshape(...rows.shape) : rows;
}

/** A tensor map of those rows. */
export function mapOf(lines: Lines, { box, swizzle, promotion }: MapShape): TMA<HalfType, 2> {
  const { tensor, transposed } = lines;
  const maps = known.get(tensor) ?? new Map<string, TMA<HalfType, 2>>();
  known.set(tensor, maps);
  const key = `${transposed}|${box}|${swizzle}|${promotion}`;
  const map = maps.get(key) ?? new TMA(rowsOf(lines), { box, swizzle, l2Promotion: promotion });
  maps.set(key, map);
  return map;
}

/** Elements from row to row, or from column to column where it is transposed. */
export const pitchOf = ({ tensor: { strides }, transposed }: Lines): number => strides[transposed ? 1 : 0];

/** Whether neighbours in memory are neighbours along the dimension that `lines` says. */
const hasNeighbours = ({ tensor: { shape, strides }, transposed }: Lines): boolean => {
  const inner = transposed ? 0 : 1;
  return shape[inner] === 1 || strides[inner] === 1;
};

/** Bytes beyond a multiple of 16, the granularity of TMA, at which lines begin. There is no second one in a single row or column. */
export const misplaced = (lines: Lines): number =>
  lines.tensor.shape[lines.transposed ? 1 : 0] === 1 ? 0 : (pitchOf(lines) * sizeOf(lines.tensor)) % 16;

/** Whether lines, where there are two, begin at other distances than multiples of the 128 bytes that memory is read in. */
export const isMisaligned = (lines: Lines): boolean =>
  lines.tensor.shape[lines.transposed ? 1 : 0] !== 1 && (pitchOf(lines) * 2) % 128 !== 0;

/** A matrix in the order of memory. One row, or one column, is lines of either kind: those that TMA takes. */
export function linesIn(tensor: DeviceTensor<HalfType, 2>): Lines {
  const [plain, transposed] = [false, true].map((transposed) => ({ tensor, transposed })) as [Lines, Lines];
  if (!hasNeighbours(transposed)) return plain;
  return hasNeighbours(plain) && (misplaced(plain) === 0 || misplaced(transposed) !== 0) ? plain : transposed;
}
