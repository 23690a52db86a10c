/** `warpsmith/kernels`: kernels that are ready to use, written in the public language alone. */
export { type MatmulOptions, matmul } from "./matmul.ts";
export type { Plan } from "./plan.ts";
