/** `warpsmith/kernels`: kernels that are ready to use, written in the public language alone. */

export {
  type AttentionKernel,
  type AttentionOptions,
  type AttentionScore,
  type AttentionScoreData,
  type AttentionScoring,
  attention,
  attentionKernel,
} from "./attention/attention.ts";
export {
  type AttentionDecodeKernel,
  type AttentionDecodeOptions,
  attentionDecode,
  attentionDecodeKernel,
} from "./attention/decode/decode.ts";
export type { DecodePlan as AttentionDecodePlan } from "./attention/decode/plan.ts";
export {
  type AttentionMask,
  type AttentionMaskData,
  type AttentionMaskFunction,
  type AttentionMaskOptions,
  attentionMask,
} from "./attention/mask/mask.ts";
export type { Plan as AttentionPlan } from "./attention/plan.ts";
export {
  type AttentionVarlenKernel,
  type AttentionVarlenOptions,
  attentionVarlen,
  attentionVarlenKernel,
} from "./attention/varlen/varlen.ts";
export { kernelOf } from "./common/kernel-of.ts";
export type { FurtherLaunch, KernelLaunch, ReadyKernel } from "./common/launches.ts";
export type { RunOptions } from "./common/ready.ts";
export { type MapInputs, type MapOptions, map } from "./elementwise/map.ts";
export { add, cast, copy, type ElementwiseOptions, geluMul, siluMul } from "./elementwise/named.ts";
export { type TransposeOptions, transpose } from "./elementwise/transpose.ts";
export { type EmbeddingOptions, embedding } from "./embedding/embedding.ts";
export { type RotaryOptions, rotary } from "./embedding/rotary.ts";
export { type HistogramOptions, histogram } from "./histogram/histogram.ts";
export { type GatedEpilogue, type GatedMatmulOptions, gatedMatmul, gatedMatmulKernel } from "./matmul/gated.ts";
export {
  type MatmulEpilogue,
  type MatmulKernel,
  type MatmulOptions,
  matmul,
  matmulKernel,
} from "./matmul/matmul.ts";
export type { MatmulOutput, MatmulOutputs } from "./matmul/options/outputs.ts";
export type { EpilogueResult, MatmulInputs, ProductOptions } from "./matmul/options/product-options.ts";
export type { Plan } from "./matmul/plan/plan.ts";
export { type SumColumnsOptions, sumColumns } from "./rows/columns.ts";
export { type CrossEntropyOptions, crossEntropy } from "./rows/cross-entropy.ts";
export { type CumsumOptions, cumsum } from "./rows/cumsum.ts";
export { type LayerNormOptions, layerNorm, type RmsNormOptions, rmsNorm } from "./rows/norm.ts";
export type { RowPlan } from "./rows/plan.ts";
export { argmax, argmin, logSumExp, max, mean, min, type ReduceOptions, sum } from "./rows/reduce.ts";
export { logSoftmax, type SoftmaxOptions, softmax } from "./rows/softmax.ts";
export { type SampleOptions, sample } from "./select/sample.ts";
export { type TopK, type TopKOptions, topK } from "./select/top-k.ts";
export { type Sorted, type SortOptions, sort } from "./sort/sort.ts";
