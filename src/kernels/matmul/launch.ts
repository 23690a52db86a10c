import { explain } from "../common/explain.ts";
import type { GemmArgs, Ready, Result } from "./asked.ts";
import { isScaled, type Options } from "./ready.ts";

const inOrder = Object.freeze({});
const overlapping = Object.freeze({ overlapPrevious: true });

/** What the kernel is called with: alpha and beta come last, where the sum is scaled. */
export function argsOf(ready: GemmArgs, options: Options): GemmArgs {
  if (!isScaled(options)) return ready;
  const [a, b, d, input, inputs, written] = ready;
  const { alpha = 1, beta = 0 } = options;
  return [a, b, d, input, inputs, written, alpha, beta];
}

/** Launches what is ready, gives the result, and frees it where that fails and it was made for this call. */
export function launch({ copy, kernel, args, out, combine }: Ready, options: Options): Result {
  const { stream, overlapPrevious = false } = options;
  try {
    copy?.kernel.launch(stream ? { stream, overlapPrevious } : overlapPrevious ? overlapping : inOrder, ...copy.args);
    const overlaps = overlapPrevious || copy !== undefined;
    const config = stream ? { stream, overlapPrevious: overlaps } : overlaps ? overlapping : inOrder;
    kernel.launch(config, ...argsOf(args, options));
    combine?.kernel.launch(stream ? { stream, overlapPrevious: true } : overlapping, ...combine.args);
  } catch (error) {
    if (out !== options.out) out.dispose();
    throw explain(error, "matmul/gemm.ts", options.epilogue, options.second ? "epilogue of gatedMatmul" : "epilogue");
  }
  return out;
}
