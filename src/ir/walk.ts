import type { Graph, Op, OperandValue, Region, Value } from "./graph.ts";
import { opSpec } from "./ops/index.ts";

// Every pass goes through here, and most of a first compile is not yet optimized code: there `for … of` and entries make an object
// per element, `for … in`, `forEach` and `some` none.

/** Every value an op uses itself (not those its regions use), in the order of the table. */
export function operandList(op: Op): readonly Value[] {
  const values: Value[] = [];
  const operands = op.operands as Readonly<Record<string, OperandValue>>;
  for (const name in operands) {
    const operand = operands[name];
    if (operand === undefined) continue;
    if (Array.isArray(operand)) for (let i = 0; i < operand.length; i++) values.push(operand[i] as Value);
    else values.push(operand as Value);
  }
  return values;
}

/** Visits every value an op uses itself. */
export function eachOperand(op: Op, visit: (value: Value) => void): void {
  const operands = op.operands as Readonly<Record<string, OperandValue>>;
  for (const name in operands) {
    const operand = operands[name];
    if (Array.isArray(operand)) operand.forEach(visit);
    else if (operand !== undefined) visit(operand as Value);
  }
}

/** The operand whose registers the op's result takes over. */
export function tiedOperand(op: Op): Value | undefined {
  const { tied } = opSpec(op.name);
  const value = tied === undefined ? undefined : (op.operands as Readonly<Record<string, OperandValue>>)[tied];
  return value !== undefined && "type" in value ? value : undefined;
}

/** Does the op itself use a value of which that holds? */
export function usesSome(op: Op, test: (value: Value) => boolean): boolean {
  const operands = op.operands as Readonly<Record<string, OperandValue>>;
  for (const name in operands) {
    const operand = operands[name];
    if (operand === undefined) continue;
    if (Array.isArray(operand) ? operand.some(test) : test(operand as Value)) return true;
  }
  return false;
}

/** Does the op itself use one of the values with these ids? */
export function usesAny(op: Op, ids: { has(id: number): boolean }): boolean {
  const operands = op.operands as Readonly<Record<string, OperandValue>>;
  for (const name in operands) {
    const operand = operands[name];
    if (operand === undefined) continue;
    if (Array.isArray(operand) ? operand.some((v: Value) => ids.has(v.id)) : ids.has((operand as Value).id)) return true;
  }
  return false;
}

/** The operands with every value replaced. */
export function mapOperands(op: Op, change: (value: Value) => Value): Readonly<Record<string, OperandValue>> {
  const out: Record<string, OperandValue> = {};
  const operands = op.operands as Readonly<Record<string, OperandValue>>;
  for (const name in operands) {
    const operand = operands[name];
    out[name] = operand === undefined ? undefined : Array.isArray(operand) ? operand.map(change) : change(operand as Value);
  }
  return out;
}

/** Visits every op of a region and of the regions inside it, outer before inner. */
export function walkOps(region: Region, visit: (op: Op, region: Region) => void): void {
  region.ops.forEach((op) => {
    visit(op, region);
    if (op.regions.length === 0) return;
    op.regions.forEach((inner) => {
      walkOps(inner, visit);
    });
  });
}

/** The op with the most regions around it. Without recursion: it is for graphs that are too deep for that. */
export function innermostOp(graph: Graph): Op | undefined {
  let found: Op | undefined;
  for (let level: readonly Region[] = [graph.body]; level.length > 0; ) {
    const inner: Region[] = [];
    found = level.find(({ ops }) => ops.length > 0)?.ops[0] ?? found;
    for (const { ops } of level) for (const op of ops) for (const region of op.regions) inner.push(region);
    level = inner;
  }
  return found;
}
