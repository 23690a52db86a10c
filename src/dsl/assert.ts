import { failHere } from "./fail-here.ts";
import { truth } from "./numbers/compare.ts";
import { own } from "./staged.ts";
import { activeTrace, currentTrace } from "./trace.ts";

function check(what: string, condition: unknown, message: string): void {
  const holds = activeTrace() ? truth(condition) : Boolean(condition);
  if (typeof holds === "boolean") {
    if (!holds) failHere("W2045", { message });
    return;
  }
  const trace = currentTrace(what);
  if (!trace.options.debug) return;
  const site = trace.logs.length;
  trace.logs.push({ kind: "assert", parts: [message], types: [], spans: trace.spans() });
  trace.emit("assert", { condition: holds.value, values: [] }, { site });
}

type Assert = (condition: boolean, message?: string) => asserts condition;
type Assume = (condition: boolean) => asserts condition;

/** Static condition: checked while tracing. Staged: traps on the GPU when compiled with `debug`. */
export const assert: Assert = own((condition: boolean, message?: string): asserts condition =>
  check("assert(…)", condition, message ?? "assertion failed"),
);

/** For the compiler: `condition` holds here. Checked where the kernel is compiled with `debug`. */
export const assume: Assume = own((condition: boolean): asserts condition =>
  check("assume(…)", condition, "what the kernel assumes"),
);
