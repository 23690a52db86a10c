import { makeOp, type Op, type Value, withParts } from "../../ir/index.ts";
import { constant, zeroLike } from "../numbers/constant.ts";
import { joinType } from "../numbers/open-types.ts";
import { emitLike, emitOne } from "../numbers/operands.ts";
import type { StagedScalar } from "../trace/scalar.ts";
import type { OpenRegion, Trace } from "../trace/trace.ts";
import type { Carried } from "./carried.ts";
import { emitInto } from "./region.ts";

/** A loop that counts: start, stop and step of one integer type. */
export interface Counter {
  readonly start: Value;
  readonly stop: Value;
  readonly step: Value;
  /** The step where it is static. */
  readonly staticStep: number | bigint | undefined;
  readonly unroll: number | undefined;
}

/** The body of a loop. `go`: does another iteration follow? Undefined: nothing ends the loop early. */
export interface LoopBody {
  readonly region: OpenRegion;
  readonly index: Value | undefined;
  readonly go: Value | undefined;
}

/** Results in the types of what is carried, now or when they are found. */
function resultsLike(trace: Trace, like: readonly Value[]): Value[] {
  return like.map((value) => {
    const result = trace.value(value.type);
    joinType(result, value);
    return result;
  });
}

function append(trace: Trace, op: Op, results: readonly Value[]): void {
  trace.append(withParts(op, { results }));
}

/** `for`: nothing ends the loop early. */
export function emitFor(trace: Trace, carried: Carried, body: LoopBody, counter: Counter | undefined): void {
  if (!counter || !body.index) throw new Error("a counting loop without a counter");
  const { params, init, next } = carried.list();
  for (const param of [body.index, ...params]) body.region.params.push(param);
  emitInto(trace, body.region, () => trace.emit("yield", { values: next }, {}));
  const results = resultsLike(trace, params);
  const { start, stop, step, unroll } = counter;
  const op = makeOp(
    trace.ids,
    "for",
    { start, stop, step, carried: init },
    { unroll },
    { types: [], regions: [body.region], spans: trace.spans() },
  );
  append(trace, op as Op, results);
  carried.take(results);
}

/** Is the index still on this side of the stop? */
function inRange(index: Value, { stop, step, staticStep }: Counter): Value {
  const up = () => emitOne("cmp", { a: index, b: stop }, { is: "lt" });
  const down = () => emitOne("cmp", { a: index, b: stop }, { is: "gt" });
  if (staticStep !== undefined) return staticStep > 0 ? up() : down();
  const rises = emitOne("cmp", { a: step, b: zeroLike(step) }, { is: "gt" });
  const falls = emitOne("not", { a: rises });
  return emitOne("or", { a: emitOne("and", { a: rises, b: up() }), b: emitOne("and", { a: falls, b: down() }) });
}

/** `test` takes a flag that says whether to go on, then what is carried; `body` and the results are without the flag. */
export function emitWhile(
  trace: Trace,
  carried: Carried,
  body: LoopBody,
  counter: Counter | undefined,
  first: StagedScalar | true | undefined,
): void {
  const { params, init, next } = carried.list();
  const go0 = first === undefined || first === true ? constant(true, "pred") : first.value;
  const bodyParams = body.index ? [body.index, ...params] : params;
  const firsts = counter ? [counter.start, ...init] : init;
  for (const param of bodyParams) body.region.params.push(param);
  emitInto(trace, body.region, () => {
    const go = body.go ?? constant(true, "pred");
    const following = counter && body.index ? [emitLike("add", { a: body.index, b: counter.step }, body.index), ...next] : next;
    trace.emit("yield", { values: [go, ...following] }, {});
  });
  const tested = resultsLike(trace, bodyParams);
  const flag = trace.value("pred");
  const test: OpenRegion = { params: [flag, ...tested], ops: [] };
  emitInto(trace, test, () => {
    const [index] = tested;
    const go = counter && index ? emitOne("and", { a: flag, b: inRange(index, counter) }) : flag;
    trace.emit("condition", { go, values: tested }, {});
  });
  const results = resultsLike(trace, bodyParams);
  const op = makeOp(
    trace.ids,
    "while",
    { carried: [go0, ...firsts] },
    {},
    { types: [], regions: [test, body.region], spans: trace.spans() },
  );
  append(trace, op as Op, results);
  carried.take(counter ? results.slice(1) : results);
}
