export { Pipeline, type PipelineOptions } from "./pipeline.ts";
export type { ConsumerStage, ProducerStage, Stage } from "./stages.ts";
