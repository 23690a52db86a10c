/** A plain product of matrices to one of the tensor cores, pass by pass. After IREE's `LLVMGPUMatmulTensorCore`. */
import { placeOnStack, refuseMore } from "../../base/diag/index.ts";
import { touchedByBlock } from "../facts/touches.ts";
import { printWith } from "../ir/print.ts";
import type { Program } from "../ir/types.ts";
import { Schedule } from "../schedule.ts";
import type { TensorCorePipelineOptions } from "./options.ts";
import { passesOf } from "./passes/index.ts";
import { planOf } from "./plan.ts";
import { runWgmmaPasses, type WgmmaPipelineOptions } from "./wgmma/index.ts";
import type { Working } from "./working.ts";

/** A program after one pass of a pipeline. */
export interface PipelineStage {
  /** The name of the pass: "tile-and-distribute". */
  readonly name: string;
  /** The program after it. */
  readonly program: Program;
}

/** What `tensorCorePipeline` gives. */
export interface TensorCorePipeline {
  /** The schedule with all steps of all passes. */
  readonly schedule: Schedule;
  /** The program after each pass, in order. */
  readonly passes: readonly PipelineStage[];
  /** The program after each pass as text, one behind the other; of a pass that changed nothing, that it did not. */
  printAfterAll(): string;
}

function printed(stages: readonly PipelineStage[]): string {
  const parts = stages.map(({ name, program }, i) => {
    const same = i > 0 && stages[i - 1]?.program === program;
    return `// ---- after ${name} ----\n${same ? "// no change\n" : `${printWith(program, {}, touchedByBlock).trimEnd()}\n`}`;
  });
  return parts.join("\n");
}

/**
 * Lays a product of matrices over blocks, warps and instructions of the tensor cores: `C[i][j] = A · B` with an init, or `+=`, with A and B
 * either way round, of f16, bf16, tf32 or i8; what blocks beside it compute of A, B and C element by element is computed on the way. The passes are those of IREE's pipelines for WMMA and mma.sync, in their order, on the steps of `Schedule`.
 * With the instruction "wgmma" it lays the product over warpgroups, and has TMA copy its tiles: of f16 or bf16, summed in f32.
 * Refuses options that do not fit before it rewrites anything. W5610–W5626, W5640.
 */
export function tensorCorePipeline(
  program: Program,
  options: TensorCorePipelineOptions | WgmmaPipelineOptions,
): TensorCorePipeline {
  refuseMore(tensorCorePipeline, arguments);
  if (options?.instruction === "wgmma") {
    const { schedule, passes: stages } = runWgmmaPasses(program, options, placeOnStack());
    return { schedule, passes: stages, printAfterAll: () => printed(stages) };
  }
  const plan = planOf(program, options, placeOnStack());
  const sch = new Schedule(program);
  const stages: PipelineStage[] = [{ name: "verify", program }];
  const product = sch.getBlock(plan.contraction.block.name);
  const working: Working = { sch, plan, product, loops: new Map(), copies: [], tensorized: [], loads: [], padding: [] };
  for (const pass of passesOf(plan)) {
    pass.run(working);
    stages.push({ name: pass.name, program: sch.program });
  }
  return { schedule: sch, passes: stages, printAfterAll: () => printed(stages) };
}
