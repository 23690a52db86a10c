export type { Accumulator, AccumulatorType } from "./accumulator.ts";
export { mapTogether } from "./accumulator.ts";
export { WGMMAMatrix, wgmma } from "./namespace.ts";
export type { Operand } from "./operand.ts";
