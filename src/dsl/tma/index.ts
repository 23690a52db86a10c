export { readPending, tma } from "./namespace.ts";
export { bindTMA, type CacheHint, type Im2colOptions, type ReduceOp, TMA, type TMAOptions } from "./tma.ts";
