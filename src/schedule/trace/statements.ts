/** What statements of a program mean: with host values what JavaScript says, else loops and branches of the program. */

import type { Span } from "../../base/diag/index.ts";
import type { Block, Hooks } from "../../dsl/emit.ts";
import { fail } from "../errors/index.ts";
import { binary, variable } from "../ir/build.ts";
import type { Stmt } from "../ir/types.ts";
import { Loops } from "./loops.ts";
import { condition, select, truth } from "./numbers.ts";
import { isSymbolic, Symbolic } from "./symbolic.ts";
import { failHere, type Tracing } from "./tracing.ts";

/** A statement list that ended early. */
export class Leaving {
  readonly kind: "ret" | "brk" | "cont";
  readonly label: string | undefined;
  readonly value: unknown;
  constructor(kind: Leaving["kind"], label: string | undefined, value?: unknown) {
    this.kind = kind;
    this.label = label;
    this.value = value;
  }
}

export type Ended = Leaving | undefined;
export const ended = (completion: unknown): Ended => (completion instanceof Leaving ? completion : undefined);

/** The outer variables that a statement assigns. */
export interface Variables {
  readonly names: readonly string[];
  readonly spans: readonly (Span | undefined)[];
  readonly get: () => readonly unknown[];
}

const words: Readonly<Record<Leaving["kind"], string>> = { ret: "`return`", brk: "`break`", cont: "`continue`" };

/** A part of the program that is traced once, and runs some other number of times. */
function once(
  tracing: Tracing,
  what: string,
  how: { repeats?: boolean; isExpression?: boolean },
  vars: Variables,
  run: () => void,
): Stmt {
  const before = vars.get();
  const body = tracing.inside(what, how, run);
  const after = vars.get();
  const changed = before.findIndex((x, i) => !Object.is(x, after[i]));
  if (changed >= 0) {
    const declared = vars.spans[changed];
    fail("W5505", { what: `\`${vars.names[changed]}\``, where: what }, [
      ...tracing.spans(),
      ...(declared ? [{ ...declared, note: "declared at" }] : []),
    ]);
  }
  return body;
}

function refuseLeaving(end: Ended, where: string): void {
  if (end)
    failHere("W5506", {
      what: `${words[end.kind]} in ${where}`,
      instead: end.kind === "ret" ? "choose the value with `c ? a : b`" : "write what shall run inside `if (condition) { … }`",
    });
}

export function ifStatement(
  tracing: Tracing,
  given: unknown,
  yes: Block,
  no: Block | null,
  vars: Variables,
  span: Span | undefined,
  rest?: Block,
): Ended {
  const c = truth(given);
  if (typeof c === "boolean") return ended(c ? yes() : no?.()) ?? ended(rest?.());
  const where = "a branch that the program decides";
  const test = tracing.use(c);
  const branch = (block: Block): Stmt => once(tracing, where, {}, vars, () => refuseLeaving(ended(block()), where));
  const [first, second] = [branch(yes), no && branch(no)];
  tracing.emit({ kind: "if", condition: test, yes: first, ...(second && !isEmpty(second) ? { no: second } : {}), span });
  return ended(rest?.());
}

const isEmpty = (s: Stmt): boolean => s.kind === "seq" && s.body.length === 0;

/** What an iteration of a loop of the host says: whether the loop ends, and how it goes further out. */
function iteration(end: Ended, labels: readonly string[]): { stop: boolean; end: Ended } {
  const mine = end && (end.label === undefined || labels.includes(end.label));
  if (!end || (end.kind === "cont" && mine)) return { stop: false, end: undefined };
  return { stop: true, end: end.kind === "brk" && mine ? undefined : end };
}

function over(
  tracing: Tracing,
  loops: Loops,
  body: (element: unknown) => unknown,
  vars: Variables,
  span: Span | undefined,
  labels: readonly string[],
): Ended {
  const names = (span?.binds ?? "").split(", ");
  const variables = loops.extents.map((_, i) => variable(names[i] || `i${i}`));
  const where = "a loop of the program";
  loops.extents.forEach((extent, i) => {
    const v = variables[i];
    if (v) tracing.extents.set(v, extent);
  });
  const values = variables.map((v) => new Symbolic(v));
  const run = (): void => {
    const end = ended(body(loops.single ? values[0] : tracing.born(values)));
    if (end && !(end.kind === "cont" && (end.label === undefined || labels.includes(end.label)))) refuseLeaving(end, where);
  };
  const inner = once(tracing, where, { repeats: true }, vars, run);
  const nest = loops.extents.reduceRight<Stmt>((statement, extent, i) => {
    const v = variables[i];
    return v
      ? { kind: "for", variable: v, extent, loop: loops.kind, annotations: loops.annotations, body: statement, span }
      : statement;
  }, inner);
  tracing.emit(nest);
  return undefined;
}

export function forOf(
  tracing: Tracing,
  iterable: unknown,
  body: (element: unknown) => unknown,
  vars: Variables,
  span: Span | undefined,
  labels: readonly string[],
): Ended {
  if (iterable instanceof Loops) return over(tracing, iterable, body, vars, span, labels);
  if (isSymbolic(iterable))
    return failHere("W5507", {
      what: "what `for … of` goes through",
      got: "a number",
      instead: "write `for (const i of grid(n))`",
    });
  if (iterable === null || iterable === undefined || typeof (iterable as Iterable<unknown>)[Symbol.iterator] !== "function")
    return failHere("W5507", {
      what: "what `for … of` goes through",
      got: typeof iterable === "object" ? "an object that is no list" : `\`${String(iterable)}\``,
      instead: "write `for (const i of grid(n))`",
    });
  for (const element of iterable as Iterable<unknown>) {
    const { stop, end } = iteration(ended(body(element)), labels);
    if (stop) return end;
  }
  return undefined;
}

export function whileLoop({ test, update, body, postTest, labels = [] }: Parameters<Hooks["loop"]>[1]): Ended {
  const goesOn = (): boolean => {
    const c = test ? truth(test()) : true;
    return typeof c === "boolean"
      ? c
      : failHere("W5506", {
          what: "how often this loop runs",
          instead: "write `for (const i of grid(n))`, with an `if` around what shall not always run",
        });
  };
  if (!postTest && !goesOn()) return undefined;
  for (;;) {
    const { stop, end } = iteration(ended(body()), labels);
    if (stop) return end;
    update?.();
    if (!goesOn()) return undefined;
  }
}

export function switchOf(value: unknown, cases: Parameters<Hooks["switch"]>[2], labels: readonly string[]): Ended {
  const refuse = (): never => failHere("W5506", { what: "which case of this `switch` runs", instead: "write `if` and `else`" });
  if (isSymbolic(value)) refuse();
  const isHit = (test: unknown): boolean => (isSymbolic(test) ? refuse() : test === value);
  const hit = cases.findIndex((c) => c.test && isHit(c.test()));
  const start = hit >= 0 ? hit : cases.findIndex((c) => !c.test);
  if (start < 0) return undefined;
  for (const c of cases.slice(start)) {
    const end = ended(c.body());
    if (end) return end.kind === "brk" && (end.label === undefined || labels.includes(end.label)) ? undefined : end;
  }
  return undefined;
}

/** A value that is computed only sometimes: it may have no statements of its own. */
function pure(tracing: Tracing, vars: Variables, run: () => unknown): unknown {
  let value: unknown;
  const where = "an expression that is computed only sometimes";
  const body = once(tracing, where, { isExpression: true }, vars, () => {
    value = run();
  });
  if (!isEmpty(body)) failHere("W5506", { what: "a statement in an expression", instead: "write `if (condition) { … }`" });
  return value;
}

const isValue = (x: unknown): x is Symbolic | number | boolean =>
  isSymbolic(x) || typeof x === "number" || typeof x === "boolean";

/** `c ? yes : no`. */
export function choose(tracing: Tracing, given: unknown, yes: () => unknown, no: () => unknown, vars: Variables): unknown {
  const c = truth(given);
  if (typeof c === "boolean") return c ? yes() : no();
  const [a, b] = [pure(tracing, vars, yes), pure(tracing, vars, no)];
  if (Object.is(a, b)) return a;
  if (!isValue(a) || !isValue(b))
    return failHere("W5506", {
      what: "which of these is meant",
      instead: "choose between numbers; between arrays, objects and functions a host value decides",
    });
  return select(c, a, b);
}

/** `a && b`, `a || b`. */
export function shortCircuit(tracing: Tracing, op: "&&" | "||", a: unknown, b: () => unknown, vars: Variables): unknown {
  if (!isSymbolic(a)) return op === "&&" ? a && b() : a || b();
  const left = condition(a, `the left side of \`${op}\``);
  const right = condition(pure(tracing, vars, b), `the right side of \`${op}\``);
  return new Symbolic(binary(op, left, right));
}

export const nothing: Variables = { names: [], spans: [], get: () => [] };
