import { resolveAliases } from "../trace/aliases.ts";
import type { Trace } from "../trace/trace.ts";
import { checkQuotients } from "./arithmetic.ts";
import { settleOpenTypes } from "./open-types.ts";

/** What remains to be decided when the whole kernel has been traced; called inside the trace, at its end. */
export function finishOpenTypes(trace: Trace): void {
  checkQuotients(trace);
  settleOpenTypes(trace);
  resolveAliases(trace);
}
