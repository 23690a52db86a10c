import { asyncCopyCases } from "./async-copies.ts";
import { atomicCases } from "./atomics.ts";
import { bulkCopyCases } from "./bulk-copies.ts";
import type { Case } from "./case.ts";
import { clusterCases } from "./cluster.ts";
import { collectiveCases } from "./collectives.ts";
import { controlCases } from "./control-flow.ts";
import { allConversions } from "./conversions.ts";
import { cooperativeCases } from "./cooperative.ts";
import { debugCases } from "./debug.ts";
import { deviceMapCases } from "./device-maps.ts";
import { dynamicMapCases } from "./dynamic-maps.ts";
import { exampleKernelCases } from "./example-kernels.ts";
import { explicitCases } from "./explicit.ts";
import { fieldCases } from "./fields.ts";
import { hintCases } from "./hints.ts";
import { inlinePtxCases } from "./inline-ptx.ts";
import { integerEdgeCases } from "./integer-edges.ts";
import { keptCases } from "./kept-by-loops.ts";
import { largeCases } from "./large-tensors.ts";
import { launchCases } from "./launches.ts";
import { logCasesAndAsserts } from "./logs-asserts.ts";
import { mathCases } from "./math.ts";
import { mbarrierCases } from "./mbarrier.ts";
import { memoryCases } from "./memory.ts";
import { mmaCases } from "./mma.ts";
import { mmaGemmCases } from "./mma-gemm.ts";
import { openLayoutCases } from "./open-layouts.ts";
import { pipelineCases } from "./pipeline.ts";
import { reductionCases } from "./reductions.ts";
import { remoteStoreCases } from "./remote-stores.ts";
import { scalarCases } from "./scalars.ts";
import { schedulePipelineCases } from "./schedule-pipelines.ts";
import { scheduleWgmmaCases } from "./schedule-wgmma.ts";
import { scheduleCases } from "./schedules.ts";
import { sharedLayoutCases } from "./shared-layouts.ts";
import { shuffleCases } from "./shuffles.ts";
import { softmaxCases } from "./softmax.ts";
import { tileGatherCases } from "./tile-gather.ts";
import { tileHistogramCases } from "./tile-histogram.ts";
import { tilePairCases } from "./tile-pairs.ts";
import { tileSchedulerCases } from "./tile-scheduler.ts";
import { tileSumCases } from "./tile-sums.ts";
import { registerTileCases } from "./tiles.ts";
import { tmaCases } from "./tma.ts";
import { tmaPartCases } from "./tma-parts.ts";
import { warpCases } from "./warp.ts";
import { wgmmaCases } from "./wgmma.ts";
import { chainCases } from "./wgmma-chains.ts";
import { wgmmaMapCases } from "./wgmma-maps.ts";
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
  ...cooperativeCases,
  ...asyncCopyCases,
  ...tmaCases,
  ...tmaPartCases,
  ...dynamicMapCases,
  ...deviceMapCases,
  ...reductionCases,
  ...hintCases,
  ...bulkCopyCases,
  ...remoteStoreCases,
  ...mbarrierCases,
  ...pipelineCases,
  ...warpCases,
  ...sharedLayoutCases,
  ...shuffleCases,
  ...collectiveCases,
  ...softmaxCases,
  ...inlinePtxCases,
  ...wgmmaCases,
  ...chainCases,
  ...tileCases,
  ...wgmmaMapCases,
  ...openLayoutCases,
  ...tileSumCases,
  ...registerTileCases,
  ...tileGatherCases,
  ...tileHistogramCases,
  ...tilePairCases,
  ...exampleKernelCases,
  ...wgmmaPartCases,
  ...wgmmaTypeCases,
  ...wgmmaSparseCases,
  ...wmmaCases,
  ...mmaCases,
  ...mmaGemmCases,
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
  ...scheduleCases,
  ...schedulePipelineCases,
  ...scheduleWgmmaCases,
];
