import { WarpsmithError } from "warpsmith";
import { makeError, placeOnStack } from "../../diag/index.ts";

/**
 * What went wrong with a launch, in the author's words. `kernelFile` has the kernel, such as "matmul/gemm.ts", and `callback` is the author's function that it calls: W7612
 * where the transform has not seen that. What has no place but in our own kernel stands at the author's call.
 */
export function explain(error: unknown, kernelFile: string, callback: unknown): unknown {
  if (!(error instanceof WarpsmithError)) return error;
  const [first] = error.spans;
  const kernel = error.spans.at(-1)?.file ?? "";
  if (first && !kernel.endsWith(`kernels/${kernelFile}`)) return error;
  const ours = kernel.slice(0, -kernelFile.length);
  const isOurs = ({ file }: { readonly file: string }): boolean => file.startsWith(ours);
  if (error.code === "W2034" && first && isOurs(first) && typeof callback === "function")
    return makeError("W7612", { name: callback.name, of: kernelFile.startsWith("matmul") ? "epilogue" : "map" }, [], {
      cause: error,
    });
  const call = placeOnStack();
  const placed = first && !(error.spans.every(isOurs) && !call.every(isOurs));
  return placed ? error : error.at([...call, ...error.spans]);
}
