/** Errors, remarks and warnings: their codes and texts, the places that they name, how they are printed. */
export { catalogue } from "./catalogue/index.ts";
export { checkOptions, type KnownOptions, optionsOf } from "./check-options.ts";
export type { Code, ErrorArgs } from "./define-errors.ts";
export { display, isClass } from "./display.ts";
export {
  type ErrorCode,
  fail,
  inLoopsWords,
  inPtxWords,
  inWordsOfPtx,
  makeError,
  placeLater,
  placeOnStack,
  saying,
  WarpsmithError,
} from "./error.ts";
export { exact, exactMembers, exactMethods, refuseMore, refuseSurplus, uncheckedOf } from "./exact.ts";
export { atLaunch, isLibrary } from "./library.ts";
export { editDistance, likely, nearest } from "./nearest.ts";
export { meantMember } from "./other-names.ts";
export { otherRuntime } from "./other-runtime.ts";
export { parametersOf, withParametersOf } from "./parameters.ts";
export { printAs, printOnce } from "./print-once.ts";
export { makeRemark, type Remark, type RemarkCode } from "./remark.ts";
export { renderFrames } from "./render.ts";
export { expressionLength, registerSource, setSourceReader, sourceLine, sourceText, textAt } from "./sources.ts";
export { noSpans, type Span, type Spans, sameSpan } from "./span.ts";
export { authorsCall } from "./stack.ts";
export { withinStack } from "./stack-depth.ts";
export { type Warning, warningOf } from "./warning.ts";
