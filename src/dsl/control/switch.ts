import { fail, type Span } from "../../diag/index.ts";
import { spansHere } from "../fail-here.ts";
import { binary } from "../numbers/binary.ts";
import { selectValue } from "../numbers/select.ts";
import { isStagedScalar, type StagedScalar } from "../scalar.ts";
import type { Trace } from "../trace.ts";
import { afterwards, branch, type Variables } from "./branch.ts";
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

/** `switch`: at trace time where the value and every test that is reached are static, else a chain of branches. */
export function switchOf(
  trace: Trace,
  value: unknown,
  cases: readonly Case[],
  vars: Variables,
  labels: readonly string[],
): Ended {
  const tests = cases.map((c) => c.test?.());
  const equal = (c: Case): unknown => binary("===", value, tests[cases.indexOf(c)]);
  const runBody = (group: Group): Ended => {
    const end = group.body.body();
    if (!end?.sure && !group.last) fail("W2032", {}, group.body.span ? [group.body.span, ...trace.spans()] : spansHere());
    return end;
  };
  const all = groups(cases);
  const fallback = all.find((group) => group.isDefault);
  const from = (i: number): Ended => {
    const group = all[i];
    if (!group) return fallback ? runBody(fallback) : undefined;
    const condition = group.tests.map(equal).reduce((a, b) => selectValue(a, true, b), false);
    if (condition === false) return from(i + 1);
    if (condition === true) return runBody(group);
    return branch(
      trace,
      condition as StagedScalar,
      () => runBody(group),
      () => from(i + 1),
      vars,
    );
  };
  const staged = isStagedScalar(value) || tests.some(isStagedScalar);
  const end = staged ? from(0) : staticSwitch(trace, value, tests, cases, vars);
  return without(end, (exit) => names(exit, ["brk"], labels));
}

/** JavaScript's own `switch`, falling through included. */
function staticSwitch(trace: Trace, value: unknown, tests: readonly unknown[], cases: readonly Case[], vars: Variables): Ended {
  const hit = cases.findIndex((c, i) => c.test && tests[i] === value);
  const start = hit >= 0 ? hit : cases.findIndex((c) => !c.test);
  const from = (i: number): Ended => {
    const c = start < 0 ? undefined : cases[i];
    return c ? afterwards(trace, c.body(), () => from(i + 1), vars) : undefined;
  };
  return from(start);
}
