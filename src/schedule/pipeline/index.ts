export type { TensorCorePipelineOptions } from "./options.ts";
export { type PipelineStage, type TensorCorePipeline, tensorCorePipeline } from "./tensor-core-pipeline.ts";
export type { WgmmaPipelineOptions } from "./wgmma/index.ts";
