/** Errors of kernels that the author did not write. */
import { WarpsmithError } from "./error.ts";
import type { Span, Spans } from "./span.ts";
import { isOwnFile } from "./stack.ts";

/** Whether it stands in a kernel of this package, by the name that its transformed code has for it, or by its file. */
export const isLibrary = ({ file }: Span): boolean => file.startsWith("warpsmith/kernels/") || isOwnFile(file);

/** What a place in a kernel of this package is to the author. */
const note = "in the library's kernel at";

/** An error all of whose places are in kernels of this package, at the call that launched one, its own places behind that. Others stay as they are. */
export function atLaunch<E>(error: E, launched: Spans): E | WarpsmithError {
  if (!(error instanceof WarpsmithError) || error.spans.length === 0) return error;
  if (!error.spans.every(isLibrary) || launched.every(isLibrary)) return error;
  return error.at([...launched, ...error.spans.map((span, i) => (i === 0 && !span.note ? { ...span, note } : span))]);
}
