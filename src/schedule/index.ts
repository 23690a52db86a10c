/** `warpsmith/schedule`: programs of loop nests and blocks, and their rewriting. */
export type { SearchOptions, TuneConfig, TuneResources, TuneResult, TuneSpace, TuneTrial } from "../kernel/tune/index.ts";
export {
  type Participants,
  type RegisterTile,
  type TensorIntrinsic,
  type TensorIntrinsicParts,
  tensorIntrinsic,
  tensorIntrinsics,
} from "./intrinsics/index.ts";
export { type PrintOptions, printProgram } from "./ir/print.ts";
export type { Annotations, Program, Scope, ThreadTag } from "./ir/types.ts";
export { checkIntrinsic, type LoweredStage, loweringStages, type ProgramKernelOptions, programKernel } from "./lower/index.ts";
export {
  type BanksPictureOptions,
  type BufferPictureOptions,
  drawBanks,
  drawBuffer,
  drawTimeline,
  type PictureLevel,
  type TimelinePictureOptions,
} from "./pictures/index.ts";
export {
  type PipelineStage,
  type TensorCorePipeline,
  type TensorCorePipelineOptions,
  tensorCorePipeline,
  type WgmmaPipelineOptions,
} from "./pipeline/index.ts";
export type { PipelineOptions } from "./primitives/pipeline.ts";
export type { WarpSpecializeOptions } from "./primitives/warp-specialize.ts";
export type { ScheduleStage } from "./program-stages.ts";
export { BlockRef, LoopRef, type TraceArg, type TraceStep } from "./refs.ts";
export { type AppliedStep, type PartialSums, type PeelOptions, Schedule } from "./schedule.ts";
export type { Buffer, BufferRegion, RegionRange } from "./trace/buffers.ts";
export {
  type AllocOptions,
  alloc,
  annotate,
  type BlockAxis,
  bind,
  block,
  effect,
  floorDiv,
  grid,
  init,
  intrinsic,
  reads,
  reduce,
  serial,
  spatial,
  unrolled,
  vectorized,
  where,
  writes,
} from "./trace/language.ts";
export { program, type Shapes } from "./trace/program.ts";
export { type Tunable, type TunableKernel, type TuneOptions, tensorCoreResources, tune } from "./tune/index.ts";
