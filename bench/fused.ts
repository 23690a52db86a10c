import { helper } from "warpsmith";

/** relu(a @ b + bias) + residual, element by element. */
export const reluBiasResidual = helper(
  (value: number, { bias, residual }: { readonly bias: number; readonly residual: number }) => {
    return Math.max(value + bias, 0) + residual;
  },
);
