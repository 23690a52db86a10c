/** What `kernel` needs of the dsl. What authors see is in public.ts. */
export { functionMeta, isExplicit } from "./calls/functions.ts";
export { TMA } from "./tma/index.ts";
export { own } from "./trace/staged.ts";
