export { type Mbarrier, MbarrierObject, mostArrivals, readRank } from "./mbarrier.ts";
export { Mbarriers } from "./mbarriers.ts";
