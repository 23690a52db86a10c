/** Did the engine run out of stack? In the words of V8, JavaScriptCore and SpiderMonkey; what wraps such an error is one, too. */
function ranOut(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /^(RangeError|InternalError)$/.test(error.name) && /call stack|too much recursion/i.test(error.message)
    ? true
    : error.cause !== undefined && ranOut(error.cause);
}

/**
 * Runs what recurses as deeply as the author's text nests. Where JavaScript's stack ends on the way, `refuse` says so to the author;
 * the stack is free again by then. Every other error passes.
 */
export function withinStack<T>(run: () => T, refuse: () => never): T {
  try {
    return run();
  } catch (error) {
    if (ranOut(error)) refuse();
    throw error;
  }
}
