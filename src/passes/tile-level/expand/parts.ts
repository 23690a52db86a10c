import type { DType } from "../../../base/types.ts";
import type { IntType } from "../../../ir/arith.ts";
import type { FragmentType, OperandType, SharedViewType, TileType, Value } from "../../../ir/index.ts";
import type { MatrixStrides, Problem } from "../../../layout/index.ts";
import type { IndexValue, Offset } from "./offset.ts";

/** What stands for a view of shared memory: where its buffer begins, and bytes from there to the first element, before the swizzle. */
export interface SharedParts {
  readonly kind: "shared";
  readonly type: SharedViewType;
  readonly base: Value;
  readonly offset: Offset;
}

/** A dimension of a tensor: extent and stride in elements. */
export interface TensorDimension {
  readonly extent: IndexValue;
  readonly stride: IndexValue;
  /** Where this part begins in the tensor's own dimension, in the type that `countType` says, and that dimension's extent: what keeps a tile's edge inside. */
  readonly begin: Offset;
  readonly limit: IndexValue;
}

/** What stands for a part of a tensor. */
export interface TensorParts {
  readonly kind: "global";
  readonly dtype: DType;
  readonly base: Value;
  readonly dims: readonly TensorDimension[];
  /** Bytes from `base`, computed in `offsetType`. */
  readonly offset: Offset;
  /** i32 where every element lies within 2^31 bytes of the base: then arithmetic modulo 2^32 gives each offset exactly. */
  readonly offsetType: IntType;
  /** Bytes that divide the address of the tensor. */
  readonly align: number;
}

/**
 * The registers of a tile: an accumulator of the hardware; elements that were computed; elements of f32 that become the tile's type of
 * 16 bits where they are used, which for most is in pairs; or neighbours of 8 or 16 bits in words of 32.
 */
export type Contents =
  | { readonly kind: "acc"; readonly value: Value }
  | { readonly kind: "elements" | "unrounded" | "words"; readonly values: readonly Value[] };

export interface TileParts {
  readonly kind: "tile";
  readonly type: TileType;
  readonly contents: Contents;
}

export type RoleName = "A" | "B";
/** How a matrix serves as one side of a product: its strides and its descriptor. */
export interface Role {
  readonly strides: MatrixStrides;
  readonly desc: Value;
}

/** One side of a product in shared memory. `advance` computes, where it is used, units of 16 bytes from the descriptor's start. */
export interface SharedOperand {
  readonly kind: "operand";
  readonly type: OperandType;
  readonly roles: Readonly<Record<RoleName, Role | Problem>>;
  readonly advance: () => Offset;
}

/** A left side in registers: for each K step, and within it for each 64 rows, four registers of two elements. PTX ISA 9.7.15.5.1.1, A. */
export interface RegisterOperand {
  readonly kind: "registers";
  readonly type: OperandType;
  readonly registers: readonly Value[];
}

/** A matrix of a warp: the registers of its fragment. */
export interface FragmentParts {
  readonly kind: "fragment";
  readonly type: FragmentType;
  readonly registers: readonly Value[];
}

/** What stands for a view that nobody reads. */
export interface Nothing {
  readonly kind: "nothing";
}

/** What stands for a value of the tile level on the machine level. */
export type Parts = SharedParts | TensorParts | TileParts | SharedOperand | RegisterOperand | FragmentParts | Nothing;
