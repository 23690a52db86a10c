export type { CacheHint, ReduceOp } from "./hints.ts";
export { readPending, tma } from "./namespace.ts";
export { bindTMA, type Im2colOptions, TMA, type TMAOptions } from "./tma.ts";
