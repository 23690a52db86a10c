export { isFloat } from "./compare.ts";
export { choiceKey, digestOf } from "./kept.ts";
export { type Ready, search } from "./search.ts";
export { product } from "./space.ts";
export type { SearchOptions, TuneConfig, TuneResources, TuneResult, TuneSpace, TuneTrial } from "./types.ts";
