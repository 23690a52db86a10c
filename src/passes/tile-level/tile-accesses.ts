/** How many of a thread's elements an access of a tile can move at once: what the memory allows, and what a layout gives each thread. */

import { elementBytes } from "../../base/element-types.ts";
import {
  isMatrix,
  isView,
  type Op,
  type SharedViewType,
  type TensorDim,
  type TensorViewType,
  type TileType,
  type Value,
} from "../../ir/index.ts";
import { neighboursAtOnce, type SharedPlaces, sharedTileAccess, type TileAccess } from "../../layout/index.ts";
import { dimensionParts, type Facts, type Part, type ViewParts } from "../facts/index.ts";

/** The greatest power of two up to 16 that divides both. */
const commonPower = (a: number, b: number): number => [16, 8, 4, 2].find((n) => a % n === 0 && b % n === 0) ?? 1;

const divides = (n: number, part: Part | undefined): boolean => (part?.divisor ?? 1) % n === 0;

export const placesOf = ({ dtype, layout, swizzle, align }: SharedViewType, parts: ViewParts): SharedPlaces => {
  const divisor = commonPower(align, parts[1]?.divisor ?? 1);
  return { layout, swizzle, elementBytes: elementBytes[dtype], divisor };
};

function ofShared(type: SharedViewType, parts: ViewParts, tile: TileType, isLoad: boolean): TileAccess {
  const { dtype, space } = type;
  const own = space === "shared";
  const isHalf = dtype === "f16" || dtype === "bf16";
  return sharedTileAccess(tile, placesOf(type, parts), { operands: own && isLoad, accumulator: own && isHalf && isMatrix(tile) });
}

const isMultiple = (n: number | undefined, of: number): boolean => n !== undefined && n % of === 0;

/** Are so many neighbours of a tile that wide on the same side of the edge of the tensor, and of the part of it? */
function sameSide({ extent, limit }: TensorDim, begin: Part | undefined, width: number, count: number): boolean {
  const from = begin?.key;
  const whole = extent !== undefined && extent >= width && limit !== undefined;
  if (whole && typeof from === "number" && from >= 0 && from + width <= limit) return true;
  return isMultiple(extent, count) && isMultiple(limit, count) && divides(count, begin);
}

/** The dimension in which elements of a part of a tensor lie side by side; whether so many of them begin where one access can, and lie on the same side of the edge. */
export function tensorRunsOf(
  { dtype, dims, align }: TensorViewType,
  parts: ViewParts,
  width: (along: number) => number,
): { readonly along: number; readonly begin: (count: number) => boolean; readonly together: (count: number) => boolean } {
  const along = dims.findLastIndex(({ stride }) => stride === 1);
  const dim = dims[along];
  const from = parts[dimensionParts.first + along * dimensionParts.count];
  return {
    along,
    begin: (count) => {
      const bytes = count * elementBytes[dtype];
      const others = dims.every(({ stride }, d) => d === along || isMultiple(stride, count));
      return align % bytes === 0 && others && divides(bytes, parts[1]);
    },
    together: (count) => dim !== undefined && sameSide(dim, from, width(along), count),
  };
}

/** Neighbours are one naturally aligned access. */
function ofTensor(type: TensorViewType, parts: ViewParts, tile: TileType, unmasked: boolean): TileAccess {
  const { along, begin, together } = tensorRunsOf(type, parts, (d) => tile.shape[d] ?? 1);
  if (along < 0) return { access: "elements", along: undefined };
  return neighboursAtOnce(tile, elementBytes[type.dtype], along, (count) => begin(count) && (unmasked || together(count)));
}

/** Neighbours that are combined at once: of f32 sums of 2 and 4, of f16 and bf16 of 2, 4 and 8, and in shared memory none. */
const combinesVectors = ({ attrs, operands }: Op<"tile.combine">, { dtype }: TileType): boolean =>
  isView(operands.view.type) &&
  operands.view.type.space === "global" &&
  (dtype === "f16" || dtype === "bf16" || (dtype === "f32" && attrs.op === "add"));

/** An access of a tile, by whichever op. */
export type Access = Op<"tile.load"> | Op<"tile.store"> | Op<"tile.combine">;

/** The tile that each of them moves. */
const moved = {
  "tile.load": ({ results }) => results[0] as Value,
  "tile.store": ({ operands }) => operands.tile,
  "tile.combine": ({ operands }) => operands.tile,
} satisfies { [K in Access["name"]]: (op: Op<K>) => Value };

export const accessIn = (op: Op): Access | undefined => (Object.hasOwn(moved, op.name) ? (op as Access) : undefined);

export const movedBy = (op: Access): Value => (moved[op.name] as (op: Access) => Value)(op);

/** How the elements of a tile of that type move by that op. */
export function accessOf(facts: Facts, op: Access, tile: TileType): TileAccess {
  const {
    operands: { view },
    attrs,
  } = op;
  if (!isView(view.type)) throw new TypeError("no access of a tile");
  if (op.name === "tile.combine" && !combinesVectors(op, tile)) return { access: "elements", along: undefined };
  const parts = facts.view(view);
  if (view.type.space === "global") return ofTensor(view.type, parts, tile, attrs.unmasked === true);
  return ofShared(view.type, parts, tile, op.name === "tile.load");
}
