export { tensorCoreResources } from "./resources.ts";
export { type Tunable, type TuneOptions, tune } from "./tune.ts";
