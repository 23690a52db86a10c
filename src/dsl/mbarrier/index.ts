export { type Mbarrier, MbarrierObject, mostArrivals } from "./mbarrier.ts";
export { Mbarriers } from "./mbarriers.ts";
