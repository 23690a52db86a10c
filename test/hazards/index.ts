import { asyncCopies } from "./async-copies.ts";
import { bulkCopies } from "./bulk-copies.ts";
import { changedMaps } from "./changed-maps.ts";
import { clusterHazards } from "./cluster.ts";
import { collectives } from "./collectives.ts";
import { control } from "./control.ts";
import { cpAsync } from "./cp-async.ts";
import { gridHazards } from "./grid.ts";
import { handWritten } from "./hand-written.ts";
import type { Hazard } from "./hazard.ts";
import { mapsOfTheDevice } from "./maps-of-the-device.ts";
import { mbarrierArrivals } from "./mbarrier-arrivals.ts";
import { mbarrierBytes } from "./mbarrier-bytes.ts";
import { mbarrierLife } from "./mbarrier-life.ts";
import { mbarrierPhases } from "./mbarrier-phases.ts";
import { memory } from "./memory.ts";
import { multicast } from "./multicast.ts";
import { nvdsl } from "./nvdsl.ts";
import { overlapHazards } from "./overlap.ts";
import { practiceHazards } from "./practice.ts";
import { proxies } from "./proxies.ts";
import { reductions } from "./reductions.ts";
import { remoteStores } from "./remote-stores.ts";
import { rowEnds } from "./row-ends.ts";
import { tensorMaps } from "./tensor-maps.ts";
import { tmaLoad } from "./tma-load.ts";
import { tmaStore } from "./tma-store.ts";
import { warpProductHazards } from "./warp-products.ts";
import { wgmmaHazards } from "./wgmma.ts";
import { wgmmaRegisters } from "./wgmma-registers.ts";
import { wmmaHazards } from "./wmma.ts";

export const hazards: readonly Hazard[] = [
  ...mbarrierLife,
  ...mbarrierArrivals,
  ...mbarrierPhases,
  ...mbarrierBytes,
  ...tmaLoad,
  ...tmaStore,
  ...bulkCopies,
  ...remoteStores,
  ...reductions,
  ...gridHazards,
  ...proxies,
  ...wgmmaHazards,
  ...wgmmaRegisters,
  ...wmmaHazards,
  ...warpProductHazards,
  ...cpAsync,
  ...asyncCopies,
  ...clusterHazards,
  ...handWritten,
  ...memory,
  ...control,
  ...collectives,
  ...multicast,
  ...tensorMaps,
  ...mapsOfTheDevice,
  ...changedMaps,
  ...rowEnds,
  ...nvdsl,
  ...overlapHazards,
  ...practiceHazards,
];
