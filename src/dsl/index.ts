/** What `kernel` needs of the dsl. What authors see is in public.ts. */
export { functionMeta, isExplicit } from "./calls/functions.ts";
export { type KeyedObjects, OuterReads } from "./objects/outer-reads.ts";
export { deepest, isPlain, TooDeep, ValueKeys } from "./objects/value-key.ts";
export { TMA } from "./tma/index.ts";
export { own } from "./trace/staged.ts";
