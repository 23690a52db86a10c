import { type Span, type Spans, WarpsmithError } from "../diag/index.ts";

/** A place that is looked up when it is asked for. */
export interface CallSite {
  readonly spans: Spans;
}

const own = import.meta.url.replace(/\/kernel\/[^/]*$/, "/");

/**
 * Where the author called, found only when somebody asks: capturing a stack is cheap, writing it down is not. `frames` of this
 * package are skipped.
 */
export function callSite(): CallSite {
  const holder: { stack?: string } = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 6;
  Error.captureStackTrace(holder, callSite);
  Error.stackTraceLimit = limit;
  let found: Spans | undefined;
  return {
    get spans() {
      found ??= parse(holder.stack ?? "");
      return found;
    },
  };
}

function parse(stack: string): Spans {
  for (const frame of stack.split("\n").slice(1)) {
    const place = /\(?((?:file:\/\/)?[^\s()]+):(\d+):(\d+)\)?$/.exec(frame.trim());
    const [, url = "", line, column] = place ?? [];
    if (!place || url.startsWith(own) || url.startsWith("node:")) continue;
    const span: Span = { file: url.startsWith("file://") ? decodeURIComponent(new URL(url).pathname) : url, line: Number(line), column: Number(column), length: 1 };
    return [span];
  }
  return [];
}

/** The error; one of ours that has no place yet gets the author's call. */
export const placed = (error: unknown, site: CallSite): unknown => (error instanceof WarpsmithError && error.spans.length === 0 ? error.at(site.spans) : error);

/** Runs `run`; an error that has no place yet gets the author's call. */
export function atSite<T>(site: CallSite, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw placed(error, site);
  }
}
