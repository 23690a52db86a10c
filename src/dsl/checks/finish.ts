import { type Op, operandList, type Region, type ScalarType, type Value, walkOps, withParts } from "../../ir/index.ts";
import type { Trace } from "../trace.ts";
import { type Interval, intervalsOf, liesIn } from "./intervals.ts";
import { doubts, isModular, type Operator, operatorOf } from "./overflow.ts";
import { checksOf, type Finding, type Pending, pendingOf } from "./pending.ts";

/** What the whole graph says about the values that are checked. */
interface Facts {
  readonly interval: (value: Value) => Interval;
  readonly makers: ReadonlyMap<Value, Op>;
  readonly users: ReadonlyMap<Value, readonly Op[]>;
  /** May this sum wrap, because everything that takes it takes it modulo 2^32? */
  readonly mayWrap: (value: Value) => boolean;
}

function factsOf(trace: Trace): Facts {
  const { ops } = trace.region;
  const { operators, wrapped } = checksOf(trace);
  const makers = new Map<Value, Op>();
  const users = new Map<Value, Op[]>();
  walkOps({ params: [], ops }, (op) => {
    for (const result of op.results) makers.set(result, op);
    for (const value of operandList(op)) {
      const list = users.get(value);
      if (list) list.push(op);
      else users.set(value, [op]);
    }
  });
  const decided = new Map<Value, boolean>();
  const mayWrap = (value: Value): boolean => {
    const before = decided.get(value);
    if (before !== undefined) return before;
    const answer = (users.get(value) ?? []).every((user) => {
      const [result] = user.results;
      if (!result || wrapped.has(result)) return result !== undefined;
      const operator = operatorOf(user);
      return operator !== undefined && isModular(operator) && result.type === "i32" && operators.has(result) && mayWrap(result);
    });
    decided.set(value, answer);
    return answer;
  };
  return { interval: intervalsOf(ops, trace.options), makers, users, mayWrap };
}

/** The ops that take the place of an `assert` whose check was pending: none where it cannot fail. */
function settled(trace: Trace, op: Op<"assert">, pending: Pending, facts: Facts): readonly Op[] {
  const { within, exact, quotient, symbol = "", spans } = pending;
  const assertion = (condition: Value, { parts, values, check }: Finding): void => {
    const types = values.map((v) => v.type as ScalarType);
    trace.logs.push({ kind: "assert", parts, types, check, spans });
    trace.emit("assert", { condition, values }, { site: trace.logs.length - 1 });
  };
  const { region } = trace.inRegion([], () => {
    if (within && liesIn(facts.interval(within.value), [within.least, within.most])) return;
    if (!exact) return assertion(op.operands.condition, { ...pending, values: op.operands.values });
    const operator: Operator | undefined = quotient
      ? { name: "div", ...quotient, result: exact }
      : operatorOf(facts.makers.get(exact));
    if (!operator || !facts.users.has(exact)) return;
    const wraps = exact.type === "i32" || exact.type === "u32";
    const found = doubts(operator, symbol, facts.interval);
    // The product of two numbers is rounded before `| 0` sees it.
    if (found.length === 0 || (wraps && operator.name !== "mul" && facts.mayWrap(exact))) return;
    for (const { finding, holds } of found) assertion(holds(trace), finding);
  });
  return region.ops.map((made) => ({ ...made, spans }));
}

function settleOps(trace: Trace, ops: readonly Op[], facts: Facts): readonly Op[] {
  const inRegion = (region: Region): Region => ({ params: region.params, ops: settleOps(trace, region.ops, facts) });
  return ops.flatMap((op) => {
    const check = pendingOf(trace, op);
    if (check) return settled(trace, op as Op<"assert">, check, facts);
    return op.regions.length === 0 ? [op] : [withParts(op, { regions: op.regions.map(inRegion) })];
  });
}

/** Writes down the checks that `debug` asked for, leaving out those that cannot fail. At the end of the trace, when every type is known. */
export function finishChecks(trace: Trace): void {
  if (checksOf(trace).pending.length === 0) return;
  const facts = factsOf(trace);
  // What has been traced is out of reach meanwhile: it may stand behind the check that is written down.
  const ops = trace.region.ops.splice(0);
  for (const op of settleOps(trace, ops, facts)) trace.region.ops.push(op);
}
