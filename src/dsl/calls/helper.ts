import { display } from "../../base/diag/index.ts";
import { failHere } from "../trace/fail-here.ts";
import { own } from "../trace/staged.ts";

/**
 * Marks a function literal as a helper, where `"use kernel"` has no place to stand: `helper((v) => Math.max(v, 0))`. The literal is
 * transformed where it stands; called on the host it is the plain function that it reads as.
 *
 * @example
 * ```ts
 * const relu = helper((v: number) => Math.max(v, 0));
 *
 * const clip = kernel({ block: 32, grid: 1 }, (x: Tensor<"f32", 1>) => {
 *   x[threadIdx.x] = relu(x[threadIdx.x]!);
 * });
 * ```
 */
export const helper: {
  // Parameters that are inferred where the function is wanted: of an epilogue's inputs.
  <A extends readonly unknown[], R>(fn: (...args: A) => R): (...args: A) => R;
  <F extends (...args: never[]) => unknown>(fn: F): F;
} = own(<F>(fn: F): F => {
  if (typeof fn !== "function") failHere("W7048", { of: "helper()", given: display(fn) });
  return fn;
});
