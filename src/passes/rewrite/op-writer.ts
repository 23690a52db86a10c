import type { Spans } from "../../base/diag/index.ts";
import { type Ids, makeOp, makeValue, type Op, type ScalarType, type Value } from "../../ir/index.ts";
import { wrapTo } from "../evaluate/number.ts";

/** Puts new ops one after the other. Literals are of `type` unless they say otherwise, and all ops come from `spans`. */
export interface OpWriter {
  readonly ops: Op[];
  readonly constant: (n: bigint, type?: ScalarType) => Value;
  readonly math: (name: "add" | "sub" | "mul" | "div" | "rem", a: Value, b: Value) => Value;
  readonly compare: (is: "lt" | "ge", a: Value, b: Value) => Value;
  readonly select: (condition: Value, yes: Value, no: Value) => Value;
  /** The same bits as another type. */
  readonly cast: (a: Value, type: ScalarType) => Value;
}

export function opWriter(type: ScalarType, spans: Spans, ids: Ids): OpWriter {
  const ops: Op[] = [];
  const put = (op: Op): Value => {
    ops.push(op);
    return op.results[0] ?? makeValue(ids, type);
  };
  return {
    ops,
    constant: (n, of = type) => put(makeOp(ids, "const", {}, { value: wrapTo(of, n) }, { types: [of], spans }) as Op),
    math: (name, a, b) => put(makeOp(ids, name, { a, b }, {}, { spans }) as Op),
    compare: (is, a, b) => put(makeOp(ids, "cmp", { a, b }, { is }, { spans }) as Op),
    select: (condition, yes, no) => put(makeOp(ids, "select", { condition, yes, no }, {}, { spans }) as Op),
    cast: (a, to) => (a.type === to ? a : put(makeOp(ids, "bitcast", { a }, {}, { types: [to], spans }) as Op)),
  };
}
