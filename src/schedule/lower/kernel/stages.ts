/** What a program is after each pass that lowers it. */
import { refuseMore } from "../../../base/diag/index.ts";
import type { TensorSpec } from "../../../base/types.ts";
import type { Program } from "../../ir/types.ts";
import { lowerProgram } from "../lower-program.ts";
import { specialize } from "../tensors/specialize.ts";
import { specsOf } from "../tensors/specs.ts";

/** A program after one pass. */
export interface LoweredStage {
  /** The name of the pass. */
  readonly name: string;
  /** What it is then. */
  readonly program: Program;
}

/** The program after each of the passes. `given`: the tensors of a launch, where sizes of the program are known by it alone. */
export function loweringStages(program: Program, given?: readonly TensorSpec[]): readonly LoweredStage[] {
  refuseMore(loweringStages, arguments);
  const specs = given ?? specsOf(program);
  const stages: LoweredStage[] = [];
  lowerProgram(specialize(program, specs), specs, (name, after) => stages.push({ name, program: after }));
  return stages;
}
