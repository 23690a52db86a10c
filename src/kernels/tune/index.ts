/** What `warpsmith tune` is made of: families of kernels with their candidates as data, and processes that launch each candidate for it. */
export { keepTuned } from "../common/tuned.ts";
export { families } from "./families.ts";
export type { Verdict } from "./messages.ts";
export type { Candidate, Family } from "./types.ts";
export { describeDevice, NoWorker, timeAll, verifyAll, type Workplace } from "./workers.ts";
