/** When the statements of a loop run, for which of its iterations: as a pipeline has made them overlap. */

import { isAsync } from "../facts/marks.ts";
import { intOf } from "../ir/build.ts";
import { numberOf } from "../ir/evaluate.ts";
import type { Block, Effect, Expr, For, Program, Stmt, Var } from "../ir/types.ts";
import { childrenOf, isBlock, isFor, loopsOf, mentions, pathTo, statements, substituteIn } from "../ir/walk.ts";
import { originalNames } from "../primitives/pipeline.ts";
import { refuse, unknown } from "./laid-out.ts";

export type Phase = "prologue" | "loop" | "epilogue";

/** One statement of one iteration. */
export interface Entry {
  /** The place of the statement in the body of the loop. */
  readonly statement: number;
  readonly iteration: number;
  readonly time: number;
  readonly phase: Phase;
  /** Which version of the buffers that it fills or uses, where they have several. */
  readonly version: number | undefined;
  readonly async: boolean;
  /** Of an asynchronous copy, the time before whose statements it is waited for. */
  arrives?: number;
}

export interface Times {
  /** The names of the statements, in the order of the loop's body. */
  readonly statements: readonly string[];
  readonly entries: readonly Entry[];
  readonly times: number;
}

/** The block that a statement begins with. */
const blockOf = (s: Stmt): Block | undefined => [...statements(s)].find(isBlock);

type Values = Map<Var, number>;

/** Whether a statement runs in part at least, its own loops in their first iterations or in others. */
function runs(s: Stmt, values: Values, what: string): boolean {
  const holds = (e: Expr): boolean =>
    (numberOf(e, values) ?? refuse(what, "what runs is decided by values that are known only when it runs")) !== 0;
  switch (s.kind) {
    case "seq":
      return s.body.some((x) => runs(x, values, what));
    case "for": {
      const extent = numberOf(s.extent, values) ?? 0;
      for (let i = 0; i < extent; i++) {
        values.set(s.variable, i);
        if (runs(s.body, values, what)) return true;
      }
      return false;
    }
    case "block": {
      bindAxes(s, values);
      return (s.where === undefined || holds(s.where)) && runs(s.body, values, what);
    }
    case "if":
      return holds(s.condition) ? runs(s.yes, values, what) : s.no !== undefined && runs(s.no, values, what);
    default:
      return s.kind !== "effect";
  }
}

function bindAxes(s: Block, values: Values): void {
  s.axes.forEach((axis, i) => {
    const value = s.values[i];
    const n = value && numberOf(value, values);
    if (n !== undefined) values.set(axis.variable, n);
  });
}

/** The version that a statement fills or uses: the first index of buffers of three dimensions or more, where all its iterations have the same one. */
function versionOf(s: Stmt, values: Values): number | undefined {
  const found = new Set<number>();
  const visit = (x: Stmt, by: ReadonlyMap<Var, Expr>, inner: ReadonlySet<Var>): void => {
    const index = (rank: number, scope: string, first: Expr | undefined): void => {
      if (scope === "global" || rank < 3 || !first) return;
      const whole = substituteIn(first, by);
      const value = mentions(whole, inner) ? undefined : numberOf(whole, values);
      if (value !== undefined) found.add(value);
    };
    if (x.kind === "for") visit(x.body, by, new Set([...inner, x.variable]));
    if (x.kind === "seq" || x.kind === "if") for (const y of childrenOf(x)) visit(y, by, inner);
    if (x.kind === "block") {
      const own = x.axes.map((a, i): [Var, Expr] => [a.variable, substituteIn(x.values[i] ?? a.extent, by)]);
      visit(x.body, new Map([...by, ...own]), inner);
    }
    if (x.kind === "intrinsic") for (const r of x.args) index(r.ranges.length, r.buffer.scope, r.ranges[0]?.min);
    if (x.kind !== "store") return;
    index(x.indices.length, x.buffer.scope, x.indices[0]);
    for (const e of loadsOf(x.value)) index(e.indices.length, e.buffer.scope, e.indices[0]);
  };
  visit(s, new Map(), new Set());
  return found.size === 1 ? [...found][0] : undefined;
}

function loadsOf(e: Expr): readonly (Expr & { kind: "load" })[] {
  if (e.kind === "load") return [e];
  if (e.kind === "binary") return [...loadsOf(e.a), ...loadsOf(e.b)];
  if (e.kind === "unary" || e.kind === "cast") return loadsOf(e.a);
  return e.kind === "select" ? [...loadsOf(e.yes), ...loadsOf(e.no)] : [];
}

interface Group {
  readonly copies: readonly Entry[];
}

/** Takes statements as they come. Within a time each comes once at most, in the order of the loop's body. */
class Recorder {
  readonly entries: Entry[] = [];
  time = -1;
  readonly #iterations = new Map<number, number>();
  #last = Number.POSITIVE_INFINITY;
  #open: Entry[] = [];
  #groups: Group[] = [];
  #awaited: Entry[] = [];

  /** What comes next is of another time. */
  next(): void {
    this.#last = Number.POSITIVE_INFINITY;
  }
  statement(statement: number, phase: Phase, ran: boolean, version: number | undefined, async: boolean): void {
    if (statement <= this.#last) this.time++;
    this.#last = statement;
    for (const copy of this.#awaited.splice(0)) copy.arrives = this.time;
    if (!ran) return;
    const iteration = this.#iterations.get(statement) ?? 0;
    this.#iterations.set(statement, iteration + 1);
    const entry: Entry = { statement, iteration, time: this.time, phase, version, async };
    this.entries.push(entry);
    if (async) this.#open.push(entry);
  }
  effect(s: Effect, values: Values): void {
    if (s.op === "asyncCommit") this.#groups.push({ copies: this.#open.splice(0) });
    if (s.op !== "asyncWait") return;
    const pending = Math.max(0, (s.args[0] && numberOf(s.args[0], values)) ?? 0);
    while (this.#groups.length > pending) this.#awaited.push(...(this.#groups.shift()?.copies ?? []));
  }
}

function loopNamed(program: Program, name: string): For {
  const all = loopsOf(program);
  return (
    all.find((l) => l.variable.name === name) ??
    unknown(
      "loop",
      name,
      all.map((l) => l.variable.name),
    )
  );
}

/** When each statement of a loop runs, in the first iteration of the loops around it. W5520, W5545. */
export function timesOf(program: Program, name: string): Times {
  const loop = loopNamed(program, name);
  const what = `'${name}'`;
  const way = pathTo(program.body, (s) => s === loop) ?? [];
  const values: Values = new Map();
  for (const s of way) {
    if (isFor(s) && s !== loop) values.set(s.variable, 0);
    if (isBlock(s)) bindAxes(s, values);
  }
  const body = loop.body.kind === "seq" ? loop.body.body : [loop.body];
  const own = body.filter((s) => s.kind !== "effect");
  const names = own.map((s, i) => blockOf(s)?.name ?? `statement ${i}`);
  // What several blocks lead to is told by the last one: the product, and not the loads before it.
  const spoken = own.map((s, i) => [...statements(s)].findLast(isBlock)?.name ?? `statement ${i}`);
  const recorder = new Recorder();
  const run = (s: Stmt, which: number, phase: Phase): void => {
    const ran = runs(s, new Map(values), what);
    const async = [...statements(s)].some((x) => isBlock(x) && isAsync(x.annotations));
    recorder.statement(which, phase, ran, versionOf(s, values), async);
  };
  const around = way.at(-2);
  const beside = around?.kind === "seq" ? around.body : [loop];
  const at = beside.indexOf(loop);
  const outside = (s: Stmt, phase: "prologue" | "epilogue"): void => {
    if (s.kind === "effect") recorder.effect(s, values);
    const block = blockOf(s)?.name;
    const which = block === undefined ? -1 : names.findIndex((n) => originalNames(block, phase).includes(n));
    if (which >= 0) run(s, which, phase);
  };
  for (const s of beside.slice(0, at)) outside(s, "prologue");
  const extent = intOf(loop.extent) ?? numberOf(loop.extent, values) ?? refuse(what, "its extent is known only when it runs");
  for (let i = 0; i < extent; i++) {
    values.set(loop.variable, i);
    recorder.next();
    for (const s of body) s.kind === "effect" ? recorder.effect(s, values) : run(s, own.indexOf(s), "loop");
  }
  recorder.next();
  for (const s of beside.slice(at + 1)) outside(s, "epilogue");
  return { statements: spoken, entries: recorder.entries, times: recorder.time + 1 };
}
