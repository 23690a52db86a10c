import type { Instruction } from "../../../ptx/parse/index.ts";
import { traitsOf } from "../../../ptx/parse/index.ts";
import { Unsupported } from "../codegen/unsupported.ts";
import { guardMask, type Operating } from "../operands.ts";
import type { OperationStep } from "../step.ts";
import { barrierRules } from "./barriers.ts";
import { copyRules } from "./copies.ts";
import { matrixRules } from "./matrices.ts";
import { mbarrierRules } from "./mbarriers.ts";
import { remoteRules } from "./remote.ts";
import { fence, gridDependency, nothing, type OperationRules } from "./rule.ts";
import { surfaceRules } from "./surfaces.ts";
import { tensorMapRules } from "./tensor-maps.ts";
import { textureRules } from "./textures.ts";
import { warpRules } from "./warps.ts";
import { wgmmaRules } from "./wgmma.ts";

const rules: OperationRules = {
  ...barrierRules,
  ...warpRules,
  ...mbarrierRules,
  ...copyRules,
  ...wgmmaRules,
  ...matrixRules,
  ...remoteRules,
  ...tensorMapRules,
  ...textureRules,
  ...surfaceRules,
};

/** Whether it does nothing, so that it needs no step. */
export function isNothing({ watched }: Operating, { opcode }: Instruction): boolean {
  const rule = rules[opcode.form];
  return rule === nothing || (!watched && (rule === fence || rule === gridDependency));
}

export function operationStep(c: Operating, instruction: Instruction): OperationStep {
  const { form, text } = instruction.opcode;
  const rule = rules[form];
  if (!rule) throw new Unsupported(text);
  return {
    kind: "operation",
    instruction,
    guard: guardMask(c, instruction),
    run: rule(c, instruction),
    converged: traitsOf(instruction).collective === true,
  };
}
