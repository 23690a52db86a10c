import { authorsCall, type Spans } from "../diag/index.ts";

/** A place that is looked up when it is asked for. */
export interface CallSite {
  readonly spans: Spans;
}

/**
 * Where the author called, found only when somebody asks: capturing a stack is cheap, writing it down is not.
 */
export function callSite(): CallSite {
  const holder: { stack?: string } = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 8;
  Error.captureStackTrace(holder, callSite);
  Error.stackTraceLimit = limit;
  let found: Spans | undefined;
  return {
    get spans() {
      found ??= authorsCall(holder.stack ?? "");
      return found;
    },
  };
}
