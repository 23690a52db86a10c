export { type WMMAAccumulator, type WMMAAccumulatorType, WMMAMatrix, type WMMAOperand } from "./matrix.ts";
export type { WMMAShape } from "./view.ts";
