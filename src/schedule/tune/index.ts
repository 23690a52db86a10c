export { tensorCoreResources } from "./resources.ts";
export { type Tunable, type TunableKernel, type TuneOptions, tune } from "./tune.ts";
