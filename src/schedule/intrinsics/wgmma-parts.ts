/** What products of a warpgroup and what goes with them are made of, for any shape and type. PTX ISA 9.7.15. */

import { elementBytes } from "../../base/element-types.ts";
import type { DType } from "../../base/types.ts";
import type { SharedView, Tensor } from "../../dsl/emit.ts";
import { type Accumulator, type AccumulatorType, type Operand, WGMMAMatrix } from "../../dsl/emit.ts";
import { constant, load } from "../ir/build.ts";
import type { Buffer, Expr } from "../ir/types.ts";
import { clipped, copyOf, describe, type Lines, part, productOf, store } from "./describe.ts";
import type { RegisterTile, Surroundings, TensorIntrinsicParts } from "./registry.ts";

/** [rows, columns]. */
export type Extents = readonly [number, number];

/** Registers of a warpgroup. */
export const accumulators = (name: string, dtype: DType, shape: Extents): Buffer => part(name, dtype, shape, "wgmma.accumulator");

/** Registers of a warpgroup that products take A from. */
const leftOperand = (name: string, dtype: DType, shape: Extents): Buffer => part(name, dtype, shape, "wgmma.matrix_a");

/** The swizzle whose panels a row fills with the least left over: the widest for long rows, whose last panel it may fill in part. */
function swizzleOf(dtype: DType, columns: number): NonNullable<Buffer["swizzle"]> | undefined {
  const bytes = columns * elementBytes[dtype];
  return bytes > 64 ? "128B" : bytes > 32 ? "64B" : bytes > 16 ? "32B" : undefined;
}

/** Shared memory as wgmma takes it. */
function operandPart(name: string, dtype: DType, shape: Extents): Buffer {
  const swizzle = swizzleOf(dtype, shape[1]);
  return { ...part(name, dtype, shape, "shared"), ...(swizzle ? { swizzle } : {}) };
}

export function fillParts(name: string, sum: AccumulatorType, shape: Extents): TensorIntrinsicParts {
  const filled = accumulators("C", sum, shape);
  const dimensions = [
    { name: "i", extent: shape[0] },
    { name: "j", extent: shape[1] },
  ];
  return {
    participants: "warpgroup",
    description: describe(name, [filled], dimensions, (...v) => store(filled, v as readonly Expr[], constant(0, sum))),
    implementation: (c: RegisterTile) => {
      c.value = WGMMAMatrix.accumulator(sum, shape);
    },
  };
}

export const loadParts = (name: string, dtype: DType, shape: Extents): TensorIntrinsicParts => ({
  participants: "warpgroup",
  description: copyOf(name, clipped(part("source", dtype, shape, "global")), accumulators("tile", dtype, shape), shape),
  implementation: (view: Tensor, to: RegisterTile) => {
    to.value = WGMMAMatrix.load(view);
  },
});

export const storeParts = (name: string, dtype: DType, shape: Extents): TensorIntrinsicParts => ({
  participants: "warpgroup",
  description: copyOf(name, accumulators("tile", dtype, shape), clipped(part("target", dtype, shape, "global")), shape),
  implementation: (from: RegisterTile, view: Tensor) => (from.value as Accumulator).store(view),
});

/** A from shared memory to registers, each thread those elements that products take from it. `lines` as `ProductShape` has it. */
export function loadLeftParts(name: string, dtype: DType, shape: Extents, lines: Lines): TensorIntrinsicParts {
  const [m, k] = shape;
  const asIs = lines === "row";
  const source = operandPart("source", dtype, asIs ? [m, k] : [k, m]);
  const target = leftOperand("A", dtype, shape);
  const dimensions = [
    { name: "i", extent: m },
    { name: "k", extent: k },
  ];
  return {
    participants: "warpgroup",
    description: describe(name, [source, target], dimensions, (...v) => {
      const at = v as readonly Expr[];
      return store(target, at, load(source, asIs ? at : at.toReversed()));
    }),
    implementation: (view: SharedView, to: RegisterTile) => {
      to.value = WGMMAMatrix.load(asIs ? view : view.transpose());
    },
  };
}

/** A product: `lines` says of A, and of B, whether the dimension of K comes last ("row" of A, "col" of B). */
export interface ProductShape {
  readonly input: DType;
  readonly sum: AccumulatorType;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly lines: readonly [Lines, Lines];
  /** Where A comes from: shared memory, by default, or registers, which lie as [m, k]. */
  readonly left?: "shared" | "registers";
}

/** One side of a product: `asIs`, or the other way round in shared memory; with `stage`, that of the stages in front. */
function operandOf(view: SharedView, asIs: boolean, shape: Extents, stage: number | undefined): Operand {
  if (stage === undefined) return WGMMAMatrix.descriptor(asIs ? view : view.transpose(), shape);
  return WGMMAMatrix.descriptor(asIs ? view : view.transpose(0, 2, 1), shape).at(stage);
}

export function syncParts(name: string, { input, sum, m, n, k, lines, left = "shared" }: ProductShape): TensorIntrinsicParts {
  const [ofA, ofB] = lines;
  const parts = {
    a: left === "registers" ? leftOperand("A", input, [m, k]) : operandPart("A", input, ofA === "row" ? [m, k] : [k, m]),
    b: operandPart("B", input, ofB === "row" ? [k, n] : [n, k]),
    c: accumulators("C", sum, [m, n]),
  };
  return {
    participants: "warpgroup",
    proxy: "async",
    description: productOf(name, parts, [m, n, k], lines),
    takesStages: true,
    implementation: (a: SharedView | RegisterTile, b: SharedView, c: RegisterTile, around: Surroundings) => {
      const { wait, accumulate, stages = [] } = around;
      const from =
        left === "registers"
          ? WGMMAMatrix.fromRegisters((a as RegisterTile).value as Accumulator)
          : operandOf(a as SharedView, ofA === "row", [m, k], stages[0]);
      const right = operandOf(b, ofB === "row", [k, n], stages[1]);
      c.value = (c.value as Accumulator).mma(from, right, {
        ...(accumulate === undefined ? {} : { accumulate }),
        ...(wait === undefined ? {} : { wait }),
      });
    },
  };
}
