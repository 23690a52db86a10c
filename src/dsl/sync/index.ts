export { fence, syncThreads, syncWarp } from "./fence.ts";
export { gridDependency } from "./grid-dependency.ts";
export { type Mbarrier, MbarrierObject, mostArrivals, readRank } from "./mbarrier.ts";
export { Mbarriers } from "./mbarriers.ts";
export { type NamedBarrier, namedBarrier } from "./named-barrier.ts";
export { readPending } from "./pending-groups.ts";
