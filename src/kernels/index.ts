/** `warpsmith/kernels`: kernels that are ready to use, written in the public language alone. */
export {
  type AttentionKernel,
  type AttentionOptions,
  type AttentionScore,
  attention,
  attentionKernel,
} from "./attention/attention.ts";
export type { Plan as AttentionPlan } from "./attention/plan.ts";
export {
  type MatmulEpilogue,
  type MatmulInputs,
  type MatmulKernel,
  type MatmulOptions,
  matmul,
  matmulKernel,
} from "./matmul/matmul.ts";
export type { Plan } from "./matmul/plan.ts";
