/** What passes over the tree take, and what all of them together give. */
import type { TensorSpec } from "../../base/types.ts";
import type { Launch } from "../facts/launch.ts";
import type { Program } from "../ir/types.ts";

/** What a pass sees besides the program. */
export interface Lowering {
  /** The tensors of the launch, in the order of the parameters. */
  readonly specs: readonly TensorSpec[];
  readonly launch: Launch;
  /** Says what could not be done, and why. */
  readonly remark: (text: string) => void;
}

/** One pass. */
export interface LoweringPass {
  readonly name: string;
  readonly run: (program: Program, on: Lowering) => Program;
}

/** A program that is ready to be traced. */
export interface Lowered {
  readonly program: Program;
  readonly launch: Launch;
  readonly remarks: readonly string[];
}
