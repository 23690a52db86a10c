import { noSpans, type Spans } from "../../base/diag/index.ts";
import { type ErrorCode, fail } from "../errors/index.ts";
import { activeTrace } from "./trace.ts";

/** Where the author's text stands now; nowhere outside a trace. */
export const spansHere = (): Spans => activeTrace()?.spans() ?? noSpans;

/** Declarations, to be shown after the location of an error. */
export const declaredAt = (spans: Spans): Spans => spans.map((span) => ({ ...span, note: "declared at" }));

/** Throws the error of that code where the author's text stands now. */
export function failHere<K extends ErrorCode>(code: K, args: Parameters<typeof fail<K>>[1]): never {
  return fail(code, args, spansHere());
}
