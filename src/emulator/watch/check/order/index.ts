/** Happens-before: whether everything that touches the same memory is ordered, under any timing (EMULATOR: FastTrack, Flanagan and Freund 2009). */
import type { Listener } from "../../../machine/monitor.ts";
import type { CheckContext } from "../context.ts";
import { mbarrierBytes } from "../mbarrier-bytes.ts";
import { mbarrierPhases } from "../mbarrier-phases.ts";
import { laneAccesses, products, transfers } from "./accesses.ts";
import { arrivals } from "./arrivals.ts";
import { gridDependency } from "./grid-dependency.ts";
import type { LaunchOrder } from "./launch-order.ts";
import { mbarrierVisibility } from "./mbarrier-visibility.ts";
import type { Footprint } from "./past-launches.ts";
import { peers } from "./peers.ts";
import { strongAccesses } from "./strong-accesses.ts";
import { barriers, groups, mbarriers, proxyFences } from "./synchronization.ts";
import { tensorMaps } from "./tensor-maps.ts";

/**
 * W9201–W9208, W9212, W9214, W9215, W9217, W9219, W9222, W9223, W9225–W9227. The order of the rules matters: what an instruction is asked comes
 * before what it changes.
 */
export function orderChecks(c: CheckContext, order: LaunchOrder, footprint: Footprint): readonly Listener[] {
  const lives: Listener = {
    clusterBegins: (cluster) => order.begin(cluster),
    clusterEnds: (cluster) => order.end(cluster),
  };
  const phases = [mbarrierVisibility, mbarrierPhases, mbarrierBytes];
  const asks = [...phases, tensorMaps, peers, arrivals, laneAccesses, transfers, products].map((make) => make(c, order));
  const changes = [barriers, proxyFences, mbarriers, groups, strongAccesses].map((make) => make(c, order));
  return [lives, ...asks, ...changes, gridDependency(c, order, footprint)];
}
