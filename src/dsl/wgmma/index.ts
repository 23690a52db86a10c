export type { Accumulator, AccumulatorType } from "./accumulator.ts";
export { WGMMAMatrix, wgmma } from "./namespace.ts";
export type { Operand } from "./operand.ts";
export { tile } from "./tile.ts";
export type { TileVector } from "./vector.ts";
