import { asyncProxyCases } from "./async-proxy.ts";
import { blockBarrierCases } from "./block-barriers.ts";
import { boundsCases } from "./bounds.ts";
import { clusterCases } from "./clusters.ts";
import type { CourtCase } from "./court-case.ts";
import { cpAsyncCases } from "./cp-async.ts";
import { dependentLaunchCases } from "./dependent-launches.ts";
import { globalMemoryCases, scopeCases } from "./global-memory.ts";
import { mapCases } from "./maps.ts";
import { mbarrierCases } from "./mbarriers.ts";
import { sharedMemoryCases } from "./shared-memory.ts";
import { tmaStoreCases } from "./tma-stores.ts";
import { warpCases } from "./warps.ts";
import { registerCases, wgmmaCases } from "./wgmma.ts";

/** In the order of the page. */
export const court: readonly CourtCase[] = [
  ...asyncProxyCases,
  ...mbarrierCases,
  ...wgmmaCases,
  ...registerCases,
  ...tmaStoreCases,
  ...mapCases,
  ...cpAsyncCases,
  ...clusterCases,
  ...dependentLaunchCases,
  ...blockBarrierCases,
  ...sharedMemoryCases,
  ...warpCases,
  ...globalMemoryCases,
  ...scopeCases,
  ...boundsCases,
];
