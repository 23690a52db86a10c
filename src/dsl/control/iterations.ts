import { type Spans, sameSpan } from "../../base/diag/index.ts";
import type { Op, OpenRegion } from "../../ir/index.ts";
import { saveLength } from "../trace/journal.ts";
import { Staged } from "../trace/staged.ts";
import type { Trace } from "../trace/trace.ts";
import type { Variables } from "./branch.ts";

/** A loop that ran while tracing: what its iterations recorded, and its variables. */
export interface UnrolledLoop {
  readonly spans: Spans;
  /** Names of the variables that it assigns. */
  readonly names: readonly string[];
  /** Ops of all iterations in order, with those that stood already when an iteration asked for them. */
  readonly ops: readonly Op[];
  /** Keys of objects of the host that iterations used, in order. */
  readonly keys: readonly unknown[];
  /** Where each iteration begins, and where the last one ends. */
  readonly marks: readonly Mark[];
  /** The static variables that its body changed, without what the update of its head did. */
  readonly changed: ReadonlySet<string>;
  /** How many of the ops are no literals. */
  readonly operations: number;
  /** What `trace.asked` was behind the loop. */
  readonly asked: number;
}

/** A place between two iterations. */
export interface Mark {
  /** Ops before it. */
  readonly ops: number;
  /** Keys of objects of the host before it. */
  readonly keys: number;
  /** The least id that a value made after it has. */
  readonly id: number;
  readonly variables: readonly unknown[];
}

/** Fewer iterations, or fewer operations in all of them, are no reason to say anything. */
const [leastIterations, leastOperations] = [64, 1024];
/** Nor are so few iterations, but where they record as much as a loop in a loop does. */
const [fewIterations, manyOperations] = [8, 8192];

const kept = { make: (): UnrolledLoop[] => [], save: saveLength };

/** The long loops that ran while tracing, in the order in which they ended: of each place in the text the first one. */
export const unrolledLoops = (trace: Trace): readonly UnrolledLoop[] => trace.state(kept);

/** Watches the iterations of a loop that runs while tracing. Call `close` whatever happens. */
export class Iterations {
  readonly #trace: Trace;
  readonly #vars: Variables;
  readonly #region: OpenRegion;
  readonly #history: Op[];
  readonly #keys: unknown[];
  readonly #changed = new Set<string>();
  #begun: readonly unknown[] = [];
  readonly #outermost: boolean;
  readonly #marks: Mark[] = [];
  /** No iteration is inside a branch that the one before it has left. */
  #flat = true;

  constructor(trace: Trace, vars: Variables) {
    this.#trace = trace;
    this.#vars = vars;
    this.#region = trace.region;
    this.#outermost = trace.history === undefined;
    this.#history = trace.history ?? [];
    trace.history = this.#history;
    this.#keys = trace.hostKeys ?? [];
    trace.hostKeys = this.#keys;
  }

  /** The head is over: the body begins. */
  begin(): void {
    this.#begun = this.#vars.get();
  }

  /** The body of one iteration has ended, and perhaps another begins. */
  mark(): void {
    this.#flat &&= this.#trace.region === this.#region;
    const [ops, keys, variables] = [this.#history.length, this.#keys.length, this.#vars.get()];
    for (const [n, before] of this.#begun.entries()) {
      const after = variables[n];
      if (!(after instanceof Staged) && !Object.is(after, before)) this.#changed.add(this.#vars.names[n] ?? "");
    }
    this.#marks.push({ ops, keys, id: this.#trace.ids.next, variables });
  }

  /** The condition has ended the loop: keeps it where it is long. */
  end(): void {
    const [marks, trace] = [this.#marks, this.#trace];
    const spans = trace.spans();
    if (!this.#flat || marks.length <= fewIterations || isKept(trace, spans)) return;
    const { ops: first = 0, keys: firstKey = 0 } = marks[0] ?? {};
    const ops = this.#history.slice(first, marks.at(-1)?.ops);
    const keys = this.#keys.slice(firstKey, marks.at(-1)?.keys);
    const operations = ops.reduce((n, { name }) => (name === "const" ? n : n + 1), 0);
    if (operations < (marks.length > leastIterations ? leastOperations : manyOperations)) return;
    const from = marks.map((mark): Mark => ({ ...mark, ops: mark.ops - first, keys: mark.keys - firstKey }));
    trace.foundAt ??= new Map();
    const { names } = this.#vars;
    const changed = this.#changed;
    trace.state(kept).push({ spans, names, ops, keys, marks: from, changed, operations, asked: trace.asked });
  }

  close(): void {
    if (!this.#outermost) return;
    this.#trace.history = undefined;
    this.#trace.hostKeys = undefined;
  }
}

function isKept(trace: Trace, [here]: Spans): boolean {
  const sameText = ({ spans: [at] }: UnrolledLoop): boolean => here !== undefined && at !== undefined && sameSpan(at, here);
  return trace.state(kept).some(sameText);
}
