/** The passes of the pipeline, in order; `verify` comes before all of them, in ../plan.ts. */
import type { Plan } from "../plan.ts";
import type { PipelinePass } from "../working.ts";
import { canonicalise } from "./canonicalise.ts";
import { copiesToLoops } from "./copies-to-loops.ts";
import { distributeCopies } from "./distribute-copies.ts";
import { distributeToWarps } from "./distribute-to-warps.ts";
import { doubleBufferOperands } from "./double-buffer-operands.ts";
import { hoistC } from "./hoist-c.ts";
import { multiBuffer } from "./multi-buffer.ts";
import { optimiseTransfers } from "./optimise-transfers.ts";
import { packShared } from "./pack-shared.ts";
import { reduceBankConflicts } from "./reduce-bank-conflicts.ts";
import { removeSingleTrips } from "./remove-single-trips.ts";
import { reorderWorkgroups } from "./reorder-workgroups.ts";
import { softwarePipeline } from "./software-pipeline.ts";
import { specializeWarps } from "./specialize-warps.ts";
import { tileAndDistribute } from "./tile-and-distribute.ts";
import { toMatrixOps } from "./to-matrix-ops.ts";
import { vectoriseContraction } from "./vectorise-contraction.ts";

const passes: readonly PipelinePass[] = [
  tileAndDistribute,
  reorderWorkgroups,
  distributeToWarps,
  removeSingleTrips,
  multiBuffer,
  canonicalise,
  vectoriseContraction,
  optimiseTransfers,
  hoistC,
  copiesToLoops,
  distributeCopies,
  reduceBankConflicts,
  toMatrixOps,
  doubleBufferOperands,
  softwarePipeline,
  packShared,
];

/** Those that give tiles of A and B stages which threads copy to. */
const stagesOfThreads: readonly PipelinePass[] = [multiBuffer, doubleBufferOperands, packShared];

/** The passes of a plan: where TMA copies, another warpgroup does it in the place of a pipeline of all threads. */
export const passesOf = ({ tma }: Plan): readonly PipelinePass[] =>
  tma ? passes.filter((p) => !stagesOfThreads.includes(p)).map((p) => (p === softwarePipeline ? specializeWarps : p)) : passes;
