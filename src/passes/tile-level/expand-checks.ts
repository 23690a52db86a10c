/**
 * Makes compare and trap of what `debug` checks: indices against extents, results of integer operators against their types, numbers against
 * what may be given.
 *
 * Requires: views, tiles and copies are taken apart, so that what indices are made of is there.
 * Ensures: no `check` op is left. A check that surely holds costs nothing, and what computes its condition has no use any more; each of the
 * others is an `assert` with a log site of its own.
 */
import type { Spans } from "../../base/diag/index.ts";
import {
  anyOp,
  checkOps,
  type Graph,
  type Ids,
  type LogSite,
  logName,
  makeValue,
  type Op,
  operandList,
  type Region,
  type ScalarType,
  type Value,
  walkOps,
  withParts,
} from "../../ir/index.ts";
import { factsOf } from "../facts/index.ts";
import type { Interval } from "../facts/known.ts";
import { freshIds, withBody } from "../rewrite/rewrite.ts";
import { Writer } from "./expand/writer.ts";
import { doubts, type Finding, isModular, liesIn, type Operator, operatorOf } from "./overflow.ts";

/** What the whole graph says about the values that are checked. */
interface Uses {
  readonly interval: (value: Value) => Interval;
  readonly makers: ReadonlyMap<Value, Op>;
  readonly users: ReadonlyMap<Value, readonly Op[]>;
  /** May this sum wrap, because everything that takes it takes it modulo 2^32? */
  readonly mayWrap: (value: Value) => boolean;
}

const isCheck = ({ name }: Op): boolean => Object.hasOwn(checkOps, name);

interface Found {
  readonly makers: Map<Value, Op>;
  readonly users: Map<Value, Op[]>;
  /** Results of operators that are checked, and what is one of them modulo 2^32 by definition. */
  readonly operators: Set<Value>;
  readonly wrapped: Set<Value>;
}

function survey(graph: Graph): Found {
  const found: Found = { makers: new Map(), users: new Map(), operators: new Set(), wrapped: new Set() };
  walkOps(graph.body, (raw) => {
    const op = anyOp(raw);
    for (const result of op.results) found.makers.set(result, raw);
    if (op.name === "check.exact") found.operators.add(op.operands.result);
    if (op.name === "check.wraps") found.wrapped.add(op.operands.bits);
    if (isCheck(raw)) return;
    for (const value of operandList(raw)) {
      const list = found.users.get(value);
      if (list) list.push(raw);
      else found.users.set(value, [raw]);
    }
  });
  return found;
}

function usesOf(graph: Graph): Uses {
  const { makers, users, operators, wrapped } = survey(graph);
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
  return { interval: factsOf(graph).range, makers, users, mayWrap };
}

/** The ops that check, and the log sites that they add. */
interface Checking {
  readonly graph: Graph;
  readonly facts: Uses;
  readonly w: Writer;
  readonly sites: LogSite[];
}

function assertion(c: Checking, condition: Value, { parts, values, check }: Finding, spans: Spans): void {
  const types = values.map((v) => v.type as ScalarType);
  c.sites.push({ kind: "assert", parts, types, check, spans });
  c.w.emit("assert", { condition, values }, { site: c.graph.logs.length + c.sites.length - 1 });
}

function holds(c: Checking, op: Op<"check.holds">): void {
  const { condition, values, value } = op.operands;
  const { check, least, most } = op.attrs;
  if (value && least !== undefined && most !== undefined && liesIn(c.facts.interval(value), [least, most])) return;
  const said = c.graph.checks?.[check];
  if (said?.check) assertion(c, condition, { parts: said.parts, values, check: said.check }, op.spans);
}

function exact(c: Checking, op: Op<"check.exact">): void {
  const { result, a, b } = op.operands;
  const { facts, w } = c;
  const operator: Operator | undefined = a && b ? { name: "div", a, b, result } : operatorOf(facts.makers.get(result));
  if (!operator || !facts.users.has(result)) return;
  const wraps = result.type === "i32" || result.type === "u32";
  const found = doubts(operator, op.attrs.symbol, facts.interval);
  // The product of two numbers is rounded before `| 0` sees it.
  if (found.length === 0 || (wraps && operator.name !== "mul" && facts.mayWrap(result))) return;
  for (const doubt of found) assertion(c, doubt.holds(w), doubt.finding, op.spans);
}

/** What takes the place of a check. */
function written(c: Checking, raw: Op): readonly Op[] {
  const op = anyOp(raw);
  const { region } = c.w.inRegion([], () =>
    c.w.insteadOf(raw, () => {
      if (op.name === "check.holds") holds(c, op);
      else if (op.name === "check.exact") exact(c, op);
    }),
  );
  return region.ops;
}

function writeOps(c: Checking, ops: readonly Op[]): readonly Op[] {
  const inRegion = (region: Region): Region => ({ params: region.params, ops: writeOps(c, region.ops) });
  return ops.flatMap((op) => {
    if (isCheck(op)) return written(c, op);
    return op.regions.length === 0 ? [op] : [withParts(op, { regions: op.regions.map(inRegion) })];
  });
}

export function expandChecks(graph: Graph, ids: Ids = freshIds(graph)): Graph {
  let checks = false;
  walkOps(graph.body, (op) => {
    checks ||= isCheck(op);
  });
  const { checks: _, ...rest } = graph;
  if (!checks) return graph.checks ? rest : graph;
  const c: Checking = { graph, facts: usesOf(graph), w: new Writer(ids), sites: [] };
  const { body } = withBody(graph, writeOps(c, graph.body.ops));
  const written = { ...rest, body, logs: [...graph.logs, ...c.sites] };
  return c.sites.length > 0 ? withLog(written, ids) : written;
}

/** With the parameter for what is recorded: checks may be all that is. */
function withLog(graph: Graph, ids: Ids): Graph {
  if (graph.params.some(({ kind }) => kind === "log")) return graph;
  const value = makeValue(ids, "ptr.global", "log");
  const { params, ops } = graph.body;
  const body = { params: [...params, value], ops };
  return { ...graph, params: [...graph.params, { name: logName, kind: "log", value }], body };
}
