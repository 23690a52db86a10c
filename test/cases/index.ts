import { atomicCases } from "./atomics.ts";
import type { Case } from "./case.ts";
import { clusterCases } from "./cluster.ts";
import { collectiveCases } from "./collectives.ts";
import { controlCases } from "./control-flow.ts";
import { allConversions } from "./conversions.ts";
import { debugCases } from "./debug.ts";
import { exampleKernelCases } from "./example-kernels.ts";
import { explicitCases } from "./explicit.ts";
import { fieldCases } from "./fields.ts";
import { integerEdgeCases } from "./integer-edges.ts";
import { keptCases } from "./kept-by-loops.ts";
import { largeCases } from "./large-tensors.ts";
import { launchCases } from "./launches.ts";
import { logCasesAndAsserts } from "./logs-asserts.ts";
import { mathCases } from "./math.ts";
import { mbarrierCases } from "./mbarrier.ts";
import { memoryCases } from "./memory.ts";
import { mmaCases } from "./mma.ts";
import { pipelineCases } from "./pipeline.ts";
import { scalarCases } from "./scalars.ts";
import { shuffleCases } from "./shuffles.ts";
import { softmaxCases } from "./softmax.ts";
import { tileSchedulerCases } from "./tile-scheduler.ts";
import { tileSumCases } from "./tile-sums.ts";
import { registerTileCases } from "./tiles.ts";
import { tmaCases } from "./tma.ts";
import { tmaPartCases } from "./tma-parts.ts";
import { warpCases } from "./warp.ts";
import { wgmmaCases } from "./wgmma.ts";
import { chainCases } from "./wgmma-chains.ts";
import { wgmmaPartCases } from "./wgmma-parts.ts";
import { wgmmaSparseCases } from "./wgmma-sparse.ts";
import { tileCases } from "./wgmma-tiles.ts";
import { wgmmaTypeCases } from "./wgmma-types.ts";
import { wmmaCases } from "./wmma.ts";

export type { Case } from "./case.ts";

export const allCases: readonly Case[] = [
  ...scalarCases,
  ...integerEdgeCases,
  ...controlCases,
  ...fieldCases,
  ...memoryCases,
  ...atomicCases,
  ...tmaCases,
  ...tmaPartCases,
  ...mbarrierCases,
  ...pipelineCases,
  ...warpCases,
  ...shuffleCases,
  ...collectiveCases,
  ...softmaxCases,
  ...wgmmaCases,
  ...chainCases,
  ...tileCases,
  ...tileSumCases,
  ...registerTileCases,
  ...exampleKernelCases,
  ...wgmmaPartCases,
  ...wgmmaTypeCases,
  ...wgmmaSparseCases,
  ...wmmaCases,
  ...mmaCases,
  ...allConversions,
  ...mathCases,
  ...explicitCases,
  ...clusterCases,
  ...tileSchedulerCases,
  ...keptCases,
  ...launchCases,
  ...largeCases(3),
  ...logCasesAndAsserts,
  ...debugCases,
];
