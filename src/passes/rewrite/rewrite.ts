import {
  type Graph,
  type Ids,
  makeValue,
  mapOperands,
  type Op,
  type OperandValue,
  type OpName,
  opNames,
  opSpec,
  type Region,
  usesAny,
  type Value,
  walkOps,
  withParts,
} from "../../ir/index.ts";

/** Values that others now stand for. */
export type Renaming = Map<number, Value>;

/** What stands for a value, through any number of renamings. */
export function renamed(value: Value, names: Renaming): Value {
  let now = value;
  for (let next = names.get(now.id); next !== undefined; next = names.get(now.id)) now = next;
  return now;
}

/** The op with its operands renamed; its regions are left alone. */
export function renameOperands(op: Op, names: Renaming): Op {
  if (names.size === 0 || !usesAny(op, names)) return op;
  return withParts(op, { operands: mapOperands(op, (v) => renamed(v, names)) });
}

/** The op with other regions; the very same op where they are its own. */
export const withRegions = (op: Op, regions: readonly Region[]): Op =>
  regions.every((region, i) => region === op.regions[i]) ? op : withParts(op, { regions });

/** The region with these ops; the very same region where they are its own. */
export function withOps(region: Region, ops: readonly Op[]): Region {
  let same = ops.length === region.ops.length;
  for (let i = 0; same && i < ops.length; i++) same = ops[i] === region.ops[i];
  return same ? region : { params: region.params, ops };
}

/** What a pass over loops has at hand: ids for new values, the integers that are known, and what values are called now. */
export interface LoopRewrite {
  readonly ids: Ids;
  readonly literals: ReadonlyMap<number, bigint>;
  readonly names: Renaming;
}

/** Ids for new values of a graph. */
export function freshIds(graph: Graph): Ids {
  let next = 0;
  const see = (values: readonly Value[]): void => {
    values.forEach(({ id }) => {
      if (id >= next) next = id + 1;
    });
  };
  see(graph.body.params);
  walkOps(graph.body, (op) => {
    see(op.results);
    op.regions.forEach((region) => {
      see(region.params);
    });
  });
  return { next };
}

/** A single operand by name. */
export function operand(op: Op, name: string): Value | undefined {
  const value = (op.operands as Readonly<Record<string, OperandValue>>)[name];
  return value !== undefined && "type" in value ? value : undefined;
}

/** A list operand by name; empty where the op has none. */
export function operandsOf(op: Op, name: string): readonly Value[] {
  const value = (op.operands as Readonly<Record<string, OperandValue>>)[name];
  return Array.isArray(value) ? (value as readonly Value[]) : [];
}

/** A copy of ops with values of their own; `names` already maps what comes in, and then maps each old result to its copy. */
export function copyOps(ops: readonly Op[], names: Renaming, ids: Ids): readonly Op[] {
  const copyValue = (v: Value): Value => {
    const copy = makeValue(ids, v.type, v.name);
    names.set(v.id, copy);
    return copy;
  };
  const copyRegion = (region: Region): Region => ({ params: region.params.map(copyValue), ops: copyOps(region.ops, names, ids) });
  return ops.map((op) => {
    const operands = mapOperands(op, (v) => names.get(v.id) ?? v);
    const regions = op.regions.map(copyRegion);
    return withParts(op, { operands, regions, results: op.results.map(copyValue) });
  });
}

/** Does the op do nothing but give its results? Such ops may be removed, merged and moved. */
export const isPure = (op: Op): boolean => pure.has(op.name);
const pure: ReadonlySet<OpName> = new Set(opNames.filter((name) => opSpec(name).effects.length === 0));

/** Is an op of one of these names anywhere in the region? Where there is none, a pass that is about them has nothing to do. */
export const hasOp = (region: Region, ...names: readonly OpName[]): boolean =>
  region.ops.some(
    (op) => names.includes(op.name) || (op.regions.length > 0 && op.regions.some((inner) => hasOp(inner, ...names))),
  );

/** The comparison that says the same with its sides exchanged. */
export const mirrored = { eq: "eq", ne: "ne", lt: "gt", gt: "lt", le: "ge", ge: "le" } as const;

/** The graph with another body; the very same graph where the ops are its own. */
export function withBody(graph: Graph, ops: readonly Op[]): Graph {
  const body = withOps(graph.body, ops);
  return body === graph.body ? graph : { ...graph, body };
}

/** The integer literals of a graph, by the id of the value. */
export function integerLiterals(graph: Graph): ReadonlyMap<number, bigint> {
  const literals = new Map<number, bigint>();
  walkOps(graph.body, (op) => {
    const result = op.results[0];
    if (op.name !== "const" || !result) return;
    const { value } = (op as Op<"const">).attrs;
    if (typeof value === "bigint" || Number.isSafeInteger(value)) literals.set(result.id, BigInt(value));
  });
  return literals;
}
