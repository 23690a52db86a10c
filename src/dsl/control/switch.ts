import type { Span, Spans } from "../../base/diag/index.ts";
import { fail } from "../errors/index.ts";
import { binary } from "../operators/binary.ts";
import { spansHere } from "../trace/fail-here.ts";
import { isStagedScalar, type StagedScalar } from "../trace/scalar.ts";
import type { Trace } from "../trace/trace.ts";
import { afterwards, branch, type Variables } from "./branch.ts";
import { shortCircuit } from "./choose.ts";
import { type Ended, names, without } from "./completion.ts";

export interface Case {
  readonly span: Span | undefined;
  /** Null for `default`. */
  readonly test: (() => unknown) | null;
  readonly body: () => Ended;
  readonly empty: boolean;
}

/** Cases that share one body, because all but the last are empty. */
interface Group {
  readonly tests: readonly Case[];
  readonly isDefault: boolean;
  readonly body: Case;
  readonly last: boolean;
}

function groups(cases: readonly Case[]): readonly Group[] {
  const out: Group[] = [];
  let pending: Case[] = [];
  cases.forEach((c, i) => {
    pending.push(c);
    const last = i === cases.length - 1;
    if (c.empty && !last) return;
    out.push({ tests: pending.filter((p) => p.test), isDefault: pending.some((p) => !p.test), body: c, last });
    pending = [];
  });
  return out;
}

/** Each staged case is a branch inside the one before it. */
const mostStaged = 500;

/** `switch`: at trace time where the value and every test that is reached are static, else a chain of branches. */
export function switchOf(
  trace: Trace,
  value: unknown,
  cases: readonly Case[],
  vars: Variables,
  labels: readonly string[],
): Ended {
  const all = groups(cases);
  const tests = all.flatMap((group) => group.tests.map((test) => ({ group, test })));
  const matches = (i: number): unknown => binary("===", value, tests[i]?.test.test?.());
  const runBody = (group: Group): Ended => {
    const end = group.body.body();
    if (!end?.sure && !group.last) fail("W2032", {}, spansOf(trace, group.body.span));
    return end;
  };
  const fallback = all.find((group) => group.isDefault);
  // A test is evaluated where those before it have failed.
  const from = (i: number, matched?: unknown, staged = 1): Ended => {
    const group = tests[i]?.group;
    if (staged > mostStaged) fail("W2057", { most: mostStaged }, spansOf(trace, group?.body.span));
    if (!group) return fallback ? runBody(fallback) : undefined;
    let [hit, next] = [matched ?? matches(i), i + 1];
    for (; tests[next]?.group === group; next++) {
      const another = next;
      hit = shortCircuit(trace, "||", hit, () => matches(another), vars);
    }
    if (hit === false) return from(next, undefined, staged);
    if (hit === true) return runBody(group);
    return branch(
      trace,
      hit as StagedScalar,
      () => runBody(group),
      () => from(next, undefined, staged + 1),
      vars,
    );
  };
  const reached = firstReached(tests.length, matches);
  const end = isStagedScalar(reached.matched)
    ? from(reached.i, reached.matched)
    : staticSwitch(trace, cases, tests[reached.i]?.test, vars);
  return without(end, (exit) => names(exit, ["brk"], labels));
}

const spansOf = (trace: Trace, span: Span | undefined): Spans => (span ? [span, ...trace.spans()] : spansHere());

/** The first test that matches or is staged; the number of tests where there is none. */
function firstReached(count: number, matches: (i: number) => unknown): { i: number; matched: unknown } {
  for (let i = 0; i < count; i++) {
    const matched = matches(i);
    if (matched !== false) return { i, matched };
  }
  return { i: count, matched: false };
}

/** JavaScript's own `switch`, falling through included. */
function staticSwitch(trace: Trace, cases: readonly Case[], hit: Case | undefined, vars: Variables): Ended {
  const start = hit ? cases.indexOf(hit) : cases.findIndex((c) => !c.test);
  const from = (i: number): Ended => {
    const c = start < 0 ? undefined : cases[i];
    return c ? afterwards(trace, c.body(), () => from(i + 1), vars) : undefined;
  };
  return from(start);
}
