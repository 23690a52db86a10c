/** What `warpsmith tune` is made of: families of kernels with their candidates as data, processes that launch each candidate, and a search over them. */
export { families } from "./families.ts";
export { searchPlans, type Trial } from "./search.ts";
export type { Candidate, Family } from "./types.ts";
export { describeDevice, NoWorker, timeAll, verifyAll, type Workplace } from "./workers.ts";
