/**
 * Computes once what is computed twice.
 *
 * Requires: nothing beyond the verifier's invariants.
 * Ensures: of two pure ops with the same operands, attributes and types, one of which dominates the other, the first stands
 * for both. Ops with effects and accumulators are never merged: two accumulators of zeros are two sets of registers.
 */
import {
  type AttrValue,
  type Graph,
  isAcc,
  type Op,
  type OperandValue,
  type OpName,
  opNames,
  opSpec,
  type Region,
  sameType,
  type Value,
} from "../../ir/index.ts";
import { mirrored, type Renaming, renameOperands, withBody, withOps, withRegions } from "../rewrite/rewrite.ts";

/** What the table says of pure ops: their number in it, and the names of their operands and attributes. */
interface PureOp {
  readonly number: number;
  readonly operands: readonly string[];
  readonly attrs: readonly string[];
}
const pureOps: ReadonlyMap<OpName, PureOp> = new Map(
  opNames.flatMap((name, number) => {
    const { effects, operands, attrs = {} } = opSpec(name);
    return effects.length === 0 ? [[name, { number, operands: Object.keys(operands), attrs: Object.keys(attrs) }] as const] : [];
  }),
);

type Operands = Readonly<Record<string, OperandValue>>;
type Attrs = Readonly<Record<string, AttrValue>>;

/** One number for all ops that compute the same, whichever side their operands stand on; others may have it, too. */
function codeOf(op: Op, { number, attrs }: PureOp): number {
  let sum = number;
  let product = number;
  const operands = op.operands as Operands;
  for (const name in operands) {
    const operand = operands[name];
    const values = Array.isArray(operand) ? (operand as readonly Value[]) : undefined;
    const count = values ? values.length : operand === undefined ? 0 : 1;
    for (let i = 0; i < count; i++) {
      const { id } = (values ? values[i] : operand) as Value;
      sum += id;
      product = Math.imul(product, id | 1);
    }
  }
  for (let i = 0; i < attrs.length; i++) {
    const value = (op.attrs as Attrs)[attrs[i] as string];
    if (typeof value === "number") sum = Math.imul(sum, 31) + value;
    else if (typeof value === "bigint") sum = Math.imul(sum, 31) + Number(value);
  }
  return Math.imul(sum, 31) ^ product;
}

function sameOperand(a: OperandValue, b: OperandValue): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  if (!Array.isArray(a)) return (a as Value).id === (b as Value).id;
  return Array.isArray(b) && a.length === b.length && a.every((v: Value, i) => v.id === (b[i] as Value).id);
}

function sameAttr(a: AttrValue, b: AttrValue): boolean {
  if (typeof a !== "object") return Object.is(a, b);
  return typeof b === "object" && a.length === b.length && a.every((v, i) => Object.is(v, b[i]));
}

/** Does `b` compute the same as `a` with its two sides exchanged? */
function sameCrossed(a: Op, b: Op): boolean {
  if (a.name !== "cmp" && !opSpec(a.name).commutative) return false;
  const [mine, theirs] = [a.operands as Operands, b.operands as Operands];
  if (!sameOperand(mine.a, theirs.b) || !sameOperand(mine.b, theirs.a)) return false;
  return a.name !== "cmp" || (a as Op<"cmp">).attrs.is === mirrored[(b as Op<"cmp">).attrs.is];
}

function computesSame(a: Op, b: Op, { operands, attrs }: PureOp): boolean {
  if (a.name !== b.name || a.results.length !== b.results.length) return false;
  if (!a.results.every(({ type }, i) => sameType(type, (b.results[i] as Value).type))) return false;
  const straight =
    operands.every((name) => sameOperand((a.operands as Operands)[name], (b.operands as Operands)[name])) &&
    attrs.every((name) => sameAttr((a.attrs as Attrs)[name], (b.attrs as Attrs)[name]));
  return straight || sameCrossed(a, b);
}

/** Ops that have been computed, the last one first, of those with the same code. */
interface Computed {
  readonly op: Op;
  readonly before: Computed | undefined;
}
type Seen = Map<number, Computed>;

function firstOf(op: Op, pure: PureOp, computed: Computed | undefined): Op | undefined {
  for (let at = computed; at; at = at.before) if (computesSame(op, at.op, pure)) return at.op;
  return undefined;
}

const holdsAcc = ({ type }: Value): boolean => isAcc(type);
const mergeable = (op: Op): PureOp | undefined =>
  op.results.length === 0 || op.results.some(holdsAcc) ? undefined : pureOps.get(op.name);

/** `seen`: what has been computed, here and in the regions around, by its code. */
function mergeRegion(region: Region, seen: Seen, names: Renaming): Region {
  const here: number[] = [];
  const ops: Op[] = [];
  region.ops.forEach((raw) => {
    const op = renameOperands(raw, names);
    const pure = mergeable(op);
    if (pure) {
      const code = codeOf(op, pure);
      const before = seen.get(code);
      const first = firstOf(op, pure, before);
      if (first) {
        standFor(op, first, names);
        return;
      }
      seen.set(code, { op, before });
      here.push(code);
    }
    ops.push(op.regions.length === 0 ? op : mergeWithin(op, seen, names));
  });
  forget(here, seen);
  return withOps(region, ops);
}

/** What a region has computed nobody finds after it. */
function forget(codes: readonly number[], seen: Seen): void {
  codes.forEach((code) => {
    const before = seen.get(code)?.before;
    if (before) seen.set(code, before);
    else seen.delete(code);
  });
}

function standFor(op: Op, first: Op, names: Renaming): void {
  op.results.forEach((value, i) => {
    const by = first.results[i];
    if (by) names.set(value.id, by);
  });
}

function mergeWithin(op: Op, seen: Seen, names: Renaming): Op {
  return withRegions(
    op,
    op.regions.map((r) => mergeRegion(r, seen, names)),
  );
}

export const cse = (graph: Graph): Graph => withBody(graph, mergeRegion(graph.body, new Map(), new Map()).ops);
