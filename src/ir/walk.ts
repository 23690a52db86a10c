import type { Op, OperandValue, Region, Value } from "./graph.ts";

/** Every value an op uses itself (not those its regions use), in the order of the table. */
export function operandList(op: Op): readonly Value[] {
  const values: Value[] = [];
  for (const operand of Object.values(op.operands) as OperandValue[]) {
    if (operand === undefined) continue;
    if (Array.isArray(operand)) values.push(...(operand as readonly Value[]));
    else values.push(operand as Value);
  }
  return values;
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
