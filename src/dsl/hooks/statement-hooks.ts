import { refuseDiscarded } from "../calls/results.ts";
import { afterwards, branch, endThread, type Variables } from "../control/branch.ts";
import { type Ended, ended, leave, names, without } from "../control/completion.ts";
import { forOf } from "../control/for-of.ts";
import { switchOf } from "../control/switch.ts";
import { whileLoop } from "../control/while-loop.ts";
import type { Block, Hooks } from "../hooks-interface.ts";
import { truth } from "../numbers/compare.ts";
import { usable } from "../numbers/unusable.ts";
import { refuseUnsureFields } from "../objects/fields.ts";
import { controlOf, isUnderControl } from "../objects/frames.ts";
import { noteReached } from "../objects/outer-reads.ts";
import { isPlain } from "../objects/value-key.ts";
import { readWhole } from "../objects/whole.ts";
import { failHere } from "../trace/fail-here.ts";
import type { Trace } from "../trace/trace.ts";
import type { HookContext } from "./context.ts";
import { plainForOf, plainIf, plainLoop, plainSwitch, plainThen } from "./plain-completion.ts";

const tracedBlock = (block: Block | null | undefined) => (): Ended => ended(block?.());

function ifStatement(
  trace: Trace,
  condition: unknown,
  yes: Block,
  no: Block | null,
  vars: Variables,
  rest: Block | undefined,
): Ended {
  const c = truth(condition);
  if (typeof c !== "boolean") return branch(trace, c, tracedBlock(yes), tracedBlock(no), vars, rest && tracedBlock(rest));
  const end = ended(c ? yes() : no?.());
  return rest ? afterwards(trace, end, tracedBlock(rest), vars) : end;
}

/** `return`: in the kernel's own statements, under a condition of the GPU, the thread ends. */
function returnOf(trace: Trace, value: unknown): Ended {
  const inKernel = controlOf(trace).calls === 0;
  if (inKernel && value !== undefined) failHere("W2002", { name: trace.options.name });
  if (inKernel && isUnderControl(trace)) return endThread(trace);
  return leave("ret", undefined, usable(value));
}

/** Statements. */
export function statementHooks({ either, around, vars: variables, span }: HookContext) {
  return {
    ret: (at, value) =>
      either(
        at,
        () => leave("ret", undefined, value),
        (trace) => returnOf(trace, value),
      ),
    brk: (_at, label) => leave("brk", label),
    cont: (_at, label) => leave("cont", label),
    if: (at, condition, yes, no, vars, rest) =>
      around(
        at,
        () => plainIf(condition, yes, no, rest),
        (trace) => ifStatement(trace, condition, yes, no, variables(vars), rest),
      ),
    // biome-ignore lint/suspicious/noThenProperty: nobody awaits the hooks
    then: (at, before, rest, vars) =>
      either(
        at,
        () => plainThen(before, rest),
        (trace) => afterwards(trace, ended(before), tracedBlock(rest), variables(vars)),
      ),
    forOf: (at, iterable, body, vars, labels = []) =>
      around(
        at,
        () => plainForOf(iterable, body, labels),
        (trace) => forOf(trace, iterable, (x) => ended(body(x)), variables(vars), labels),
      ),
    loop: (at, parts, vars) =>
      around(
        at,
        () => plainLoop(parts),
        (trace) =>
          whileLoop(trace, {
            ...parts,
            body: tracedBlock(parts.body),
            postTest: parts.postTest ?? false,
            labels: parts.labels ?? [],
            vars: variables(vars),
          }),
      ),
    switch: (at, value, cases, vars, labels = []) =>
      around(
        at,
        () => plainSwitch(value, cases, labels),
        (trace) =>
          switchOf(
            trace,
            usable(value),
            cases.map((c) => ({ span: span(c.at), test: c.test, body: tracedBlock(c.body), empty: c.empty })),
            variables(vars),
            labels,
          ),
      ),
    label: (_at, name, body) => without(ended(body()), (exit) => names(exit, ["brk"], [name], false)),
    keys: (at, object) =>
      either(
        at,
        () => keysOf(object),
        (trace) => {
          readWhole(trace, object);
          if (typeof object === "object" && object !== null && !isPlain(object)) noteReached(trace, [object], true);
          refuseUnsureFields(object);
          return keysOf(usable(object));
        },
      ),
    stmt: (at, value, isOperator = false) =>
      either(
        at,
        () => {},
        (trace) => refuseDiscarded(trace, value, isOperator),
      ),
    raise: (at, value) =>
      either(
        at,
        () => value,
        (trace) => (isUnderControl(trace) ? failHere("W2042", {}) : value),
      ),
  } satisfies Partial<Hooks>;
}

function keysOf(object: unknown): readonly string[] {
  const keys: string[] = [];
  for (const key in object as object) keys.push(key);
  return keys;
}
