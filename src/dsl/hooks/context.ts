import type { Span } from "../../diag/index.ts";
import type { Variables } from "../control/branch.ts";
import { noVariables } from "../control/branch.ts";
import type { At, ModuleInfo, Vars } from "../hooks-interface.ts";
import { activeTrace, type Trace } from "../trace.ts";

/** The spans of one transformed module, and the way into the trace from one of its places. */
export interface HookContext {
  span(at: At): Span | undefined;
  vars(vars: Vars): Variables;
  /** Runs `staged` at that place of the author's text where a trace runs, else `plain`. */
  either<T>(at: At, plain: () => T, staged: (trace: Trace) => T): T;
  /** The same for a statement that others stand in: to them it is where they are, not who called. */
  around<T>(at: At, plain: () => T, staged: (trace: Trace) => T): T;
}

export function hookContext({ file, spans }: ModuleInfo): HookContext {
  const known = new Map<At, Span>();
  const span = (at: At): Span | undefined => {
    const found = known.get(at);
    if (found) return found;
    const [line, column, length] = spans.slice(3 * at, 3 * at + 3);
    if (line === undefined || column === undefined || length === undefined) return undefined;
    const made: Span = { file, line, column, length };
    known.set(at, made);
    return made;
  };
  return {
    span,
    vars: (vars) =>
      vars
        ? { names: vars.names, spans: vars.at.map(span), get: () => vars.get(), set: (values) => vars.set(values) }
        : noVariables,
    around: (at, plain, staged) => {
      const trace = activeTrace();
      const place = trace && span(at);
      return trace ? trace.at(place && { ...place, note: "inside" }, () => staged(trace)) : plain();
    },
    either: (at, plain, staged) => {
      const trace = activeTrace();
      return trace ? trace.at(span(at), () => staged(trace)) : plain();
    },
  };
}
