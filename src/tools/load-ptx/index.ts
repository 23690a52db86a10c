/** PTX of other compilers on a device of either kind: its entries, variables and arguments. What authors see of it is public.ts. */
export { parameterNames } from "./arguments.ts";
export { moduleOf } from "./load-ptx.ts";
export * from "./public.ts";
export { address, mapAt, rawBytes, structOf, type Value } from "./values.ts";
