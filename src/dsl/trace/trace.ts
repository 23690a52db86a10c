import { noSpans, type Span, type Spans } from "../../base/diag/index.ts";
import { type Ids, type LogSite, type ProgramOptions, Recorder, type SharedBuffer } from "../../ir/index.ts";
import { fail } from "../errors/index.ts";
import { saveLength } from "./journal.ts";

export type { OpenRegion } from "../../ir/index.ts";

/** State that a folder of the dsl keeps in a trace. `save` gives what makes the state as it is now again; left out where what was traced in vain cannot be met in it. */
export interface StateKey<T> {
  readonly make: () => T;
  readonly save?: (state: T) => () => void;
}

/** What tracing knows of the kernel before it begins. */
export interface TraceOptions extends ProgramOptions {
  readonly name: string;
}

/**
 * One tracing of one kernel: the ops recorded so far and where the author's text stands. Everything the tracer knows hangs
 * here; folders of the dsl that keep state of their own do so with `Trace.state`, so that nothing outlives the trace.
 */
export class Trace extends Recorder {
  readonly options: TraceOptions;
  readonly ids: Ids = { next: 0 };
  readonly shared: SharedBuffer[] = [];
  readonly logs: LogSite[] = [];
  readonly checks: LogSite[] = [];
  /** Where the author's text stands: outermost first. */
  private readonly stack: Span[] = [];
  /** The same, innermost first; undefined until somebody asks again after the stack has changed. */
  private location: Spans | undefined;
  private readonly states = new Map<StateKey<unknown>, unknown>();
  /** While somebody keeps it: the keys by which objects of the host were read and changed, in this order. */
  hostKeys: unknown[] | undefined;
  /** The location that was entered last: where tracing stood when JavaScript's stack ended. */
  latest: Span | undefined;
  constructor(options: TraceOptions) {
    super();
    this.options = options;
  }

  /** Where the author's text stands now, innermost first. */
  spans(): Spans {
    this.location ??= this.stack.length === 0 ? noSpans : this.stack.toReversed();
    return this.location;
  }

  /** Runs `run` at that location of the author's text. */
  at<T>(span: Span | undefined, run: () => T): T {
    if (!span) return run();
    const around = this.location;
    this.stack.push(span);
    this.latest = span;
    this.location = undefined;
    try {
      return run();
    } finally {
      this.stack.pop();
      this.location = around;
    }
  }

  /** State that a folder of the dsl keeps in this trace, made on first use. */
  state<T>(key: StateKey<T>): T {
    const known = this.states.get(key as StateKey<unknown>) as T | undefined;
    if (known !== undefined) return known;
    const made = key.make();
    this.states.set(key as StateKey<unknown>, made);
    return made;
  }

  /** For what may be traced twice: gives what takes back everything that the trace has recorded and noted since. Fields of objects are rolled back with their frames. */
  save(): () => void {
    const { regions, logs, checks, shared, states } = this;
    const lists = [logs, checks, shared, ...regions.map(({ ops }) => ops)].map((list) => saveLength(list));
    const known = [...states].flatMap(([key, state]) => key.save?.(state) ?? []);
    const before = new Set(states.keys());
    return () => {
      for (const undo of [...lists, ...known]) undo();
      for (const key of states.keys()) if (key.save && !before.has(key)) states.delete(key);
    };
  }
}

/** THE ambient slot of the project. */
let current: Trace | undefined;

/** The trace that runs now, if one does. */
export const activeTrace = (): Trace | undefined => current;

/** The trace that runs now; `what` names the author's call for the error outside one. */
export function currentTrace(what: string): Trace {
  if (!current) fail("W2001", { what });
  return current;
}

/** Runs `run` with `trace` as the current trace. Traces do not nest. */
export function withTrace<T>(trace: Trace, run: () => T): T {
  if (current) fail("W2053", { inner: trace.options.name, outer: current.options.name }, current.spans());
  current = trace;
  try {
    return run();
  } finally {
    current = undefined;
  }
}
