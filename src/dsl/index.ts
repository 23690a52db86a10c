/** What `kernel` needs of the dsl. What authors see is in public.ts. */
export { isExplicit } from "./explicit.ts";
export { functionMeta } from "./hooks/functions.ts";
export { own } from "./staged.ts";
export { TMA } from "./tma/index.ts";
