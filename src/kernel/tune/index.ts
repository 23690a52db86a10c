/** A search over kernels: a space as data, what has no room, what is wrong, times in turns, choices on disk. It knows nothing of schedules or products. */
export { choiceKey, digestOf } from "./kept.ts";
export { type Ready, search } from "./search.ts";
export { product } from "./space.ts";
export type { SearchOptions, TuneConfig, TuneResources, TuneResult, TuneSpace, TuneTrial } from "./types.ts";
