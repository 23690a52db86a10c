export { type Mbarrier, MbarrierObject } from "./mbarrier.ts";
export { Mbarriers } from "./mbarriers.ts";
