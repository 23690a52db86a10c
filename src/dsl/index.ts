/**
 * The tracer, for those who join it with the rest (kernel, compile, build): it runs a function once and records a graph of ops. Authors' names are public.ts,
 * what transformed code calls is hooks.ts, what a generator of kernels calls is emit.ts.
 */
export { functionMeta, isExplicit } from "./calls/functions.ts";
export type { FunctionMeta } from "./hooks-interface.ts";
export { type KeyedObjects, OuterReads } from "./objects/outer-reads.ts";
export { deepest, isPlain, TooDeep, ValueKeys } from "./objects/value-key.ts";
export { dynamicKey, TMA } from "./tma/index.ts";
export { isStagedScalar, scalar } from "./trace/scalar.ts";
export { own } from "./trace/staged.ts";
export { Trace, withTrace } from "./trace/trace.ts";
export { dynamicExtents, type TraceInput, type TraceParam, traceKernel } from "./trace-kernel.ts";
