export { catalogue } from "./catalogue/index.ts";
export type { Code } from "./define-errors.ts";
export { fail, makeError, placeOnStack, WarpsmithError, type ErrorCode } from "./error.ts";
export { renderFrames } from "./render.ts";
export { noSpans, sameSpan, type Span, type Spans } from "./span.ts";
export { authorsCall } from "./stack.ts";
export { registerSource, setSourceReader, sourceLine } from "./sources.ts";
