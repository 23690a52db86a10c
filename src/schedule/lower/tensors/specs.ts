/** Tensors in one piece, for where a launch gives none. */

import type { TensorSpec } from "../../../base/types.ts";
import type { Buffer, Program } from "../../ir/types.ts";
import { staticShape } from "../../ir/walk.ts";

/** A tensor of that shape in one piece. */
export function denseSpec({ dtype }: Buffer, shape: readonly number[]): TensorSpec {
  const strides = shape.map((_, d) => shape.slice(d + 1).reduce((n, x) => n * x, 1));
  // A rank that only the program knows: the type has one tuple for each.
  return { dtype, rank: shape.length, shape, strides } as unknown as TensorSpec;
}

/** Tensors of a program whose shapes are known, each in one piece. */
export const specsOf = (program: Program): readonly TensorSpec[] =>
  program.params.map((buffer) => denseSpec(buffer, staticShape(buffer) ?? []));
