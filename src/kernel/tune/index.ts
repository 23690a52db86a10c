/**
 * The search for the fastest of several candidates: what has no room, what is wrong, times, choices on disk. It knows nothing of schedules or products, which
 * stand on it; `autotune` is its own.
 */
export type { Ready } from "./in-process.ts";
export { works } from "./measure.ts";
export { type Round, run, search, type Trial, type Verdict, wait } from "./search.ts";
export { product } from "./space.ts";
export { firstLine } from "./table.ts";
export { fastestOf } from "./tune.ts";
export type { SearchOptions, TuneConfig, TuneResources, TuneResult, TuneSpace, TuneTrial } from "./types.ts";
