/** `warpsmith/kernels`: kernels that are ready to use, written in the public language alone. */
export {
  type MatmulEpilogue,
  type MatmulInputs,
  type MatmulKernel,
  type MatmulOptions,
  matmul,
  matmulKernel,
} from "./matmul/matmul.ts";
export type { Plan } from "./matmul/plan.ts";
