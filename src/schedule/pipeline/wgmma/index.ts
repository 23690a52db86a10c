/** A plain product of matrices to products of warpgroups, pass by pass: `tensorCorePipeline` with the instruction "wgmma". */
import type { Spans } from "../../../base/diag/index.ts";
import type { Program } from "../../ir/types.ts";
import { Schedule } from "../../schedule.ts";
import type { WgmmaPipelineOptions } from "./options.ts";
import { wgmmaPasses } from "./passes/index.ts";
import { wgmmaPlanOf } from "./plan.ts";
import type { WgmmaWorking } from "./working.ts";

export type { WgmmaPipelineOptions } from "./options.ts";

/** The schedule, and the program after each pass. W5610–W5612, W5617, W5626, W5640. */
export function runWgmmaPasses(
  program: Program,
  options: WgmmaPipelineOptions,
  at: Spans,
): { readonly schedule: Schedule; readonly passes: readonly { readonly name: string; readonly program: Program }[] } {
  const plan = wgmmaPlanOf(program, options, at);
  const sch = new Schedule(program);
  const product = sch.getBlock(plan.contraction.block.name);
  const working: WgmmaWorking = { sch, plan, product, loops: new Map(), tensorized: [] };
  const passes = [{ name: "verify", program }];
  for (const pass of wgmmaPasses) {
    pass.run(working);
    passes.push({ name: pass.name, program: sch.program });
  }
  return { schedule: sch, passes };
}
