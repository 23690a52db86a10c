import { mapOperands, type Op, type Region, usesSome, type Value, withParts } from "../../ir/index.ts";
import type { Trace } from "./trace.ts";

/** Parameters of a loop that turned out never to change, and the values that they always are. */
const aliases = { make: () => new Map<Value, Value>() };

/** From here on `value` is another name of `same`. Takes effect when the trace ends. */
export function alias(trace: Trace, value: Value, same: Value): void {
  trace.state(aliases).set(value, same);
}

/** The value itself, where it is another name of one. */
export function unaliased(trace: Trace, value: Value): Value {
  const table = trace.state(aliases);
  let real = value;
  for (let next = table.get(real); next; next = table.get(real)) real = next;
  return real;
}

interface Rewrite {
  readonly isAlias: (value: Value) => boolean;
  readonly change: (value: Value) => Value;
}

function rewritten(op: Op, by: Rewrite): Op {
  const operands = usesSome(op, by.isAlias) ? mapOperands(op, by.change) : op.operands;
  if (op.regions.length === 0) return operands === op.operands ? op : withParts(op, { operands });
  const regions = op.regions.map(
    (region): Region => ({ params: region.params, ops: region.ops.map((inner) => rewritten(inner, by)) }),
  );
  return withParts(op, { operands, regions });
}

/** Replaces every other name by the value itself. */
export function resolveAliases(trace: Trace): void {
  const table = trace.state(aliases);
  if (table.size === 0) return;
  const { ops } = trace.region;
  const by: Rewrite = { isAlias: (value) => table.has(value), change: (value) => unaliased(trace, value) };
  ops.forEach((op, i) => {
    ops[i] = rewritten(op, by);
  });
}
