/**
 * What a kernel costs: occupancy, what a launch moves and calculates, how that stands under the roof of a GPU, what the assembler says. gpus.ts, their names and
 * limits, is a face of its own: it loads nothing else.
 */

export { type AssemblerLog, type PerformanceLoss, readAssemblerLog, type Serialisation } from "./assembler-log.ts";
export type { ParameterFacts } from "./count/index.ts";
export { type GpuName, gpuNames, gpus, isGpuName } from "./gpus.ts";
export type { Limiter, Occupancy } from "./occupancy.ts";
export { assemblerRemarks } from "./remarks.ts";
export { type AssembledKernel, makeReport, type ReportInput } from "./report.ts";
export type * from "./types.ts";
