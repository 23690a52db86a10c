/** What a program is after each pass that lowers it. */
import { refuseMore } from "../../base/diag/index.ts";
import type { TensorSpec } from "../../base/types.ts";
import type { Buffer, Program } from "../ir/types.ts";
import { staticShape } from "../ir/walk.ts";
import { lowerProgram } from "./lower-program.ts";
import { specialize } from "./specialize.ts";

/** A program after one pass. */
export interface LoweredStage {
  /** The name of the pass. */
  readonly name: string;
  /** What it is then. */
  readonly program: Program;
}

/** A tensor of that shape in one piece. */
export function denseSpec({ dtype }: Buffer, shape: readonly number[]): TensorSpec {
  const strides = shape.map((_, d) => shape.slice(d + 1).reduce((n, x) => n * x, 1));
  // A rank that only the program knows: the type has one tuple for each.
  return { dtype, rank: shape.length, shape, strides } as unknown as TensorSpec;
}

/** Tensors of a program whose shapes are known, each in one piece. */
export const specsOf = (program: Program): readonly TensorSpec[] =>
  program.params.map((buffer) => denseSpec(buffer, staticShape(buffer) ?? []));

/** The program after each of the passes. `given`: the tensors of a launch, where sizes of the program are known by it alone. */
export function loweringStages(program: Program, given?: readonly TensorSpec[]): readonly LoweredStage[] {
  refuseMore(loweringStages, arguments);
  const specs = given ?? specsOf(program);
  const stages: LoweredStage[] = [];
  lowerProgram(specialize(program, specs), specs, (name, after) => stages.push({ name, program: after }));
  return stages;
}
