export { erf, erfc } from "./error-function.ts";
export { fast } from "./fast.ts";
export { fma } from "./fma.ts";
export { bits, cdiv } from "./integers.ts";
export { callMath, mathFunctions, unsupportedMath } from "./math-functions.ts";
