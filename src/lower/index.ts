/** The op graph, as the passes leave it, to PTX as typed data: a rule for each op, in files that mirror ir/ops. */

export { checkInlinePtx } from "./inline.ts";
export { type LowerOptions, lowerGraph } from "./lower-graph.ts";
