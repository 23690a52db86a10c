export { catalogue } from "./catalogue/index.ts";
export { checkOptions, type KnownOptions, optionsOf } from "./check-options.ts";
export type { Code } from "./define-errors.ts";
export { type ErrorCode, fail, makeError, placeOnStack, WarpsmithError } from "./error.ts";
export { editDistance, likely, nearest } from "./nearest.ts";
export { renderFrames } from "./render.ts";
export { expressionLength, registerSource, setSourceReader, textAt } from "./sources.ts";
export { noSpans, type Span, type Spans, sameSpan } from "./span.ts";
export { authorsCall } from "./stack.ts";
