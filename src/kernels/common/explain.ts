import { WarpsmithError } from "warpsmith";
import { makeError, placeOnStack } from "../../diag/index.ts";

/** What functions of the author's our kernels call. */
export type Callback = "epilogue" | "epilogue of gatedMatmul" | "score function" | "function of map()" | "mask function";

/**
 * What went wrong with a launch, in the author's words. `kernelFile` has the kernel, such as "matmul/gemm.ts", `callback` is the author's function that it calls and `what` that function's place: W7612
 * where the transform has not seen it. What has no place but in our own kernel stands at the author's call.
 */
export function explain(error: unknown, kernelFile: string, callback: unknown, what: Callback = "epilogue"): unknown {
  if (!(error instanceof WarpsmithError)) return error;
  const [first] = error.spans;
  const kernel = error.spans.at(-1)?.file ?? "";
  if (first && !kernel.endsWith(`kernels/${kernelFile}`)) return error;
  const ours = kernel.slice(0, -kernelFile.length);
  const isOurs = ({ file }: { readonly file: string }): boolean => file.startsWith(ours);
  if (error.code === "W2034" && first && isOurs(first) && typeof callback === "function")
    return makeError("W7612", { name: callback.name, what }, [], { cause: error });
  const call = placeOnStack();
  const placed = first && !(error.spans.every(isOurs) && !call.every(isOurs));
  return placed ? error : error.at([...call, ...error.spans]);
}
