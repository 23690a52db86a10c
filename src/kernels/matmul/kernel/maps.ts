import { type DeviceTensor, type Tensor, TMA } from "warpsmith";
import { sizeOf } from "../../common/tensors.ts";
import type { Plan } from "../plan/plan.ts";
import type { HalfType } from "../problem/problem.ts";

/** A matrix, or a batch of them, in the order of memory: `transposed` where the neighbours are along the first dimension of a matrix. */
export interface Lines {
  readonly tensor: DeviceTensor<HalfType, 2 | 3>;
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
  readonly whole?: TMA<HalfType>;
  readonly rest?: TMA<HalfType>;
}

/** Of B: maps, or the matrix itself, or a batch of them, in the order of memory, where threads load it. */
export interface WeightMap extends PanelMaps {
  readonly lines?: Tensor<HalfType, 2 | 3>;
}

/** Of B; of a pair, of both matrices. */
export interface WeightMaps extends WeightMap {
  readonly second?: WeightMap;
}

/** Tensor maps made before, by tensor and shape: making one costs more than a launch. */
const known = new WeakMap<object, Map<string, TMA<HalfType>>>();

/** The same elements as rows of neighbours. The distance of rows means something only where there are two: of one row, it is its length. */
export function neighboursOf({ tensor, transposed }: Lines): DeviceTensor<HalfType, 2 | 3> {
  const rows = transposed ? turned(tensor) : tensor;
  return rows.rank === 2 && rows.shape[0] === 1 ? (rows.reshape(...rows.shape) as typeof rows) : rows;
}

/** Every matrix of it transposed. */
export const turned = <D extends HalfType>(tensor: DeviceTensor<D, 2 | 3>): DeviceTensor<D, 2 | 3> =>
  tensor.rank === 3 ? tensor.transpose(0, 2, 1) : tensor.transpose(1, 0);

/** A tensor map of those rows. */
export function mapOf(lines: Lines, { box, swizzle, promotion }: MapShape): TMA<HalfType> {
  const { tensor, transposed } = lines;
  const maps = known.get(tensor) ?? new Map<string, TMA<HalfType>>();
  known.set(tensor, maps);
  const key = `${transposed}|${box}|${swizzle}|${promotion}`;
  const boxes = tensor.rank === 3 ? [1, ...box] : box;
  const map = maps.get(key) ?? new TMA(neighboursOf(lines), { box: boxes, swizzle, l2Promotion: promotion });
  maps.set(key, map);
  return map;
}

/** Elements from row to row, or from column to column where it is transposed. */
const pitchOf = ({ tensor: { strides }, transposed }: Lines): number => strides.at(transposed ? -1 : -2) ?? 1;

/** Whether there is one row, or one column where it is transposed. */
const isLine = ({ tensor: { shape }, transposed }: Lines): boolean => shape.at(transposed ? -1 : -2) === 1;

/** Whether neighbours in memory are neighbours along the dimension that `lines` says. */
const hasNeighbours = ({ tensor: { shape, strides }, transposed }: Lines): boolean => {
  const inner = transposed ? -2 : -1;
  return shape.at(inner) === 1 || strides.at(inner) === 1;
};

/** Bytes beyond a multiple of 16, the granularity of TMA, at which lines begin, or matrices of a batch. There is no second one in a single row or column. */
export function misplaced(lines: Lines): number {
  const { tensor } = lines;
  const beyond = (elements: number): number => (elements * sizeOf(tensor)) % 16;
  return (isLine(lines) ? 0 : beyond(pitchOf(lines))) || (tensor.rank === 3 ? beyond(tensor.strides[0]) : 0);
}

/** Whether lines, where there are two, begin at other distances than multiples of the 128 bytes that memory is read in. */
export const isMisaligned = (lines: Lines): boolean => !isLine(lines) && (pitchOf(lines) * 2) % 128 !== 0;

/** A matrix in the order of memory. One row, or one column, is lines of either kind: those that TMA takes. */
export function linesIn(tensor: DeviceTensor<HalfType, 2 | 3>): Lines {
  const [plain, transposed] = [false, true].map((transposed) => ({ tensor, transposed })) as [Lines, Lines];
  if (!hasNeighbours(transposed)) return plain;
  return hasNeighbours(plain) && (misplaced(plain) === 0 || misplaced(transposed) !== 0) ? plain : transposed;
}
