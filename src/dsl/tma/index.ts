export { tma } from "./namespace.ts";
export type { MapChanges } from "./replace.ts";
export { bindTMA, dynamicKey, type Im2colOptions, TMA, type TMAOptions } from "./tma.ts";
export type { ReduceOp } from "./transfer.ts";
