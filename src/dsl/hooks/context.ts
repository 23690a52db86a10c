import type { Span } from "../../base/diag/index.ts";
import type { Variables } from "../control/branch.ts";
import { noVariables } from "../control/branch.ts";
import type { At, ModuleInfo, Vars } from "../hooks-interface.ts";
import { activeTrace, type Trace } from "../trace/trace.ts";

/** The spans of one transformed module, and the way into the trace from one of its locations. */
export interface HookContext {
  span(at: At): Span | undefined;
  vars(vars: Vars): Variables;
  /** Runs `staged` at that location of the author's text where a trace runs, else `plain`. */
  either<T>(at: At, plain: () => T, staged: (trace: Trace) => T): T;
  /** The same for a statement that others stand in: to them it is where they are, not who called. */
  around<T>(at: At, plain: () => T, staged: (trace: Trace) => T): T;
}

export function hookContext({ file, spans, parts = [], binds = {} }: ModuleInfo): HookContext {
  const known = new Map<At, Span>();
  const partsOf = new Map<At, readonly At[]>(parts.map(([whole = 0, ...inside]) => [whole, inside]));
  const span = (at: At): Span | undefined => {
    const found = known.get(at);
    if (found) return found;
    const [line, column, length] = [spans[3 * at], spans[3 * at + 1], spans[3 * at + 2]];
    if (line === undefined || column === undefined || length === undefined) return undefined;
    const inside = partsOf.get(at)?.flatMap((part) => span(part) ?? []);
    const name = binds[at];
    const more = { ...(inside ? { parts: inside } : {}), ...(name === undefined ? {} : { binds: name }) };
    const made: Span = { file, line, column, length, ...more };
    known.set(at, made);
    return made;
  };
  const knownInside = new Map<At, Span>();
  const inside = (at: At): Span | undefined => {
    const around = span(at);
    const found = knownInside.get(at);
    if (found || !around) return found;
    const made: Span = { ...around, note: "inside" };
    knownInside.set(at, made);
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
      return trace ? trace.at(inside(at), () => staged(trace)) : plain();
    },
    either: (at, plain, staged) => {
      const trace = activeTrace();
      return trace ? trace.at(span(at), () => staged(trace)) : plain();
    },
  };
}
