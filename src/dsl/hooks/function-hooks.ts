import { registerFunction } from "../calls/functions.ts";
import { absent, type Ended, ended } from "../control/completion.ts";
import type { At, FunctionMeta, Hooks } from "../hooks-interface.ts";
import { noteMade } from "../objects/outer-reads.ts";
import { failHere } from "../trace/fail-here.ts";
import { activeTrace } from "../trace/trace.ts";
import type { HookContext } from "./context.ts";
import { plainReturn } from "./plain-completion.ts";

/** What a body gives: the returned value, where every way through it returns one. */
function returned(end: Ended): unknown {
  if (!end || end.exited) return undefined;
  const [exit] = end.exits;
  const value = exit && exit.value !== absent ? exit.value : undefined;
  if (value !== undefined && !end.sure) failHere("W2047", {});
  return value;
}

/** Functions and their bodies. */
export function functionHooks({ either, span }: HookContext) {
  const register = <F extends object>(at: At, meta: FunctionMeta, f: F): F => {
    const paramSpans = meta.params.map((p) => ("at" in p ? span(p.at) : undefined));
    registerFunction(f, { ...meta, span: span(at), paramSpans });
    const trace = activeTrace();
    if (trace) for (const x of [f, Reflect.get(f, "prototype") as unknown]) noteMade(trace, x);
    return f;
  };
  return {
    fn: register,
    method: (at, meta) => (f) => register(at, meta, f),
    body: (at, run) =>
      either(
        at,
        () => plainReturn(run()),
        () => returned(ended(run())),
      ),
  } satisfies Partial<Hooks>;
}
