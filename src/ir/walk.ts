import type { Op, OperandValue, Region, Value } from "./graph.ts";

/** Every value an op uses itself (not those its regions use), in the order of the table. */
export function operandList(op: Op): readonly Value[] {
  const values: Value[] = [];
  const operands = op.operands as Readonly<Record<string, OperandValue>>;
  for (const name in operands) {
    const operand = operands[name];
    if (operand === undefined) continue;
    if (Array.isArray(operand)) for (const value of operand) values.push(value);
    else values.push(operand as Value);
  }
  return values;
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

/** The operands with every value replaced. */
export function mapOperands(op: Op, change: (value: Value) => Value): Readonly<Record<string, OperandValue>> {
  const out: Record<string, OperandValue> = {};
  for (const [name, operand] of Object.entries(op.operands) as [string, OperandValue][]) {
    out[name] = operand === undefined ? undefined : Array.isArray(operand) ? operand.map(change) : change(operand as Value);
  }
  return out;
}

/** Visits every op of a region and of the regions inside it, outer before inner. */
export function walkOps(region: Region, visit: (op: Op, region: Region) => void): void {
  for (const op of region.ops) {
    visit(op, region);
    for (const inner of op.regions) walkOps(inner, visit);
  }
}
