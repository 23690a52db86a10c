/** Errors, remarks and warnings: their codes and texts, the places that they name, how they are printed. */
export { checkOptions, type KnownOptions, optionsOf } from "./check-options.ts";
export { counted } from "./counted.ts";
export { type Code, defineErrors, type ErrorArgs } from "./define-errors.ts";
export { display, isClass } from "./display.ts";
export { elementTypesText } from "./element-types.ts";
export {
  inLoopsWords,
  inPtxWords,
  inWordsOfPtx,
  placeLater,
  placeOnStack,
  saying,
  WarpsmithError,
} from "./error.ts";
export { exact, exactMembers, exactMethods, refuseMore, refuseSurplus, uncheckedOf } from "./exact.ts";
export { atLaunch, isLibrary } from "./library.ts";
export { bracketed, firstNames } from "./lists.ts";
export { editDistance, likely, nearest } from "./nearest.ts";
export { meantMember, wordFix } from "./other-names.ts";
export { bundleFirst, otherRuntime } from "./other-runtime.ts";
export { parametersOf, withParametersOf } from "./parameters.ts";
export { Places } from "./places.ts";
export { printAs, printOnce } from "./print-once.ts";
export { type Fail, type MakeError, raising } from "./raising.ts";
export { makeRemark, type Remark, type RemarkCode } from "./remark.ts";
export { renderFrames } from "./render.ts";
export { expressionLength, registerSource, setSourceReader, sourceLine, sourceText, textAt } from "./sources.ts";
export { noSpans, type Span, type Spans, sameSpan } from "./span.ts";
export { authorsCall } from "./stack.ts";
export { withinStack } from "./stack-depth.ts";
export { type Warning, warningOf } from "./warning.ts";
