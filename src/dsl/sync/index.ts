export { ownBarrier } from "./barrier-numbers.ts";
export { type Mbarrier, MbarrierObject, mostArrivals, readRank } from "./mbarrier.ts";
export { Mbarriers, mbarriersOf } from "./mbarriers.ts";
export { type NamedBarrier, namedBarrier } from "./named-barrier.ts";
export { barrierRemarks, judgeBlockBarriers } from "./role-barriers.ts";
export { type FencedMap, fence, grid, gridDependency, readPending, syncThreads, syncWarp, tensorMapOf } from "./synchronize.ts";
