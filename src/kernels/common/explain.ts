import { WarpsmithError } from "warpsmith";
import { atLaunch, isLibrary, placeOnStack } from "../../base/diag/index.ts";
import { makeError } from "../errors.ts";

/** What functions of the author's our kernels call. */
export type Callback = "epilogue" | "epilogue of gatedMatmul" | "score function" | "function of map()" | "mask function";

/** A function of the author's that a kernel calls, and what it is to the author. */
export interface Calls {
  readonly fn: unknown;
  readonly what: Callback;
}

/** What went wrong with a launch, in the author's words: W7612 where the transform has not seen the author's function. What has no place but in our own kernel stands at the author's call. */
export function explain(error: unknown, calls?: Calls): unknown {
  if (!(error instanceof WarpsmithError)) return error;
  const [first] = error.spans;
  if (calls && error.code === "W2034" && first && isLibrary(first) && typeof calls.fn === "function")
    return makeError("W7612", { name: calls.fn.name, what: calls.what }, [], { cause: error });
  return first ? atLaunch(error, placeOnStack()) : error.at(placeOnStack());
}
