/**
 * Replaces division of a loop's index by a literal with counters that the loop carries.
 *
 * Requires: literals folded.
 * Ensures: in a `for` with literal start and step, both upwards from 0 or more, no `(i + c) % n` or `(i + c) / n` with literals
 * c and n is left, where i + c is known to stay within its type and not below 0. `k % 7` then costs a comparison and an
 * addition in each iteration instead of a division.
 */
import {
  carriedInto,
  endsThread,
  type Graph,
  type Ids,
  integerRange,
  isScalar,
  makeValue,
  type Op,
  type Region,
  type ScalarType,
  type Value,
  walkOps,
  withParts,
  yielded,
} from "../../ir/index.ts";
import { type OpWriter, opWriter } from "../rewrite/op-writer.ts";
import {
  freshIds,
  hasOp,
  integerLiterals,
  isPure,
  type LoopRewrite,
  operand,
  type Renaming,
  renameOperands,
  withBody,
  withOps,
  withRegions,
} from "../rewrite/rewrite.ts";

/** (index + shift) divided by `by`: the counters that replace its quotients and remainders. */
interface Division {
  readonly shift: bigint;
  readonly by: bigint;
  readonly quotients: Op[];
  readonly remainders: Op[];
}

/** What the loop counts: `reach` is how far above the index a value may be without passing its type. */
interface Count {
  readonly index: Value;
  readonly type: ScalarType;
  readonly start: bigint;
  readonly step: bigint;
  readonly reach: bigint;
  /** The greatest value of the index's type. */
  readonly greatest: bigint;
}

function countOf(op: Op, index: Value, r: LoopRewrite): Count | undefined {
  const literal = (name: string) => r.literals.get(operand(op, name)?.id ?? -1);
  const [start, stop, step] = [literal("start"), literal("stop"), literal("step")];
  if (start === undefined || step === undefined || step <= 0n || start < 0n || !isScalar(index.type)) return undefined;
  const [, greatest] = integerRange(index.type);
  return { index, type: index.type, start, step, reach: stop === undefined ? 0n : greatest - stop, greatest };
}

/** The shift of index + literal; 0 for the index itself. */
function shiftOf(value: Value | undefined, sums: ReadonlyMap<number, bigint>, count: Count): bigint | undefined {
  const shift = value === count.index ? 0n : value && sums.get(value.id);
  return shift !== undefined && shift <= count.reach && count.start + shift >= 0n ? shift : undefined;
}

/** Every division of the index by a literal, in the body or in regions inside it. */
function divisions(body: Region, count: Count, r: LoopRewrite): readonly Division[] {
  const sums = new Map<number, bigint>();
  const found = new Map<string, Division>();
  walkOps(body, (op) => {
    const [result] = op.results;
    const a = operand(op, "a");
    const b = r.literals.get(operand(op, "b")?.id ?? -1);
    if (op.name === "add" && a === count.index && b !== undefined && result) sums.set(result.id, b);
    if ((op.name !== "div" && op.name !== "rem") || b === undefined || b < 2n || 2n * b > count.greatest) return;
    const shift = shiftOf(a, sums, count);
    if (shift === undefined) return;
    const key = `${shift}/${b}`;
    const division = found.get(key) ?? { shift, by: b, quotients: [], remainders: [] };
    found.set(key, division);
    (op.name === "div" ? division.quotients : division.remainders).push(op);
  });
  return [...found.values()];
}

/** One value that the loop carries for a division. */
interface Counter {
  readonly first: Value;
  readonly param: Value;
  readonly next: Value;
}

function rename(ops: readonly Op[], to: Value, names: Renaming): void {
  for (const op of ops) for (const result of op.results) names.set(result.id, to);
}

/** The remainder s goes on to s + step, less `by` where it gets there; the quotient grows where the remainder starts anew. */
function countersFor(d: Division, count: Count, before: OpWriter, after: OpWriter, r: LoopRewrite): readonly Counter[] {
  const begin = count.start + d.shift;
  const { type } = count;
  const [quotientStep, remainderStep] = [count.step / d.by, count.step % d.by];
  const s = makeValue(r.ids, type);
  const counters: Counter[] = [];
  const grown = remainderStep === 0n ? s : after.math("add", s, after.constant(remainderStep));
  const wraps = remainderStep === 0n ? undefined : after.compare("ge", grown, after.constant(d.by));
  const less = remainderStep === 1n ? () => after.constant(0n) : () => after.math("add", grown, after.constant(-d.by));
  const next = wraps ? after.select(wraps, less(), grown) : s;
  counters.push({ first: before.constant(begin % d.by), param: s, next });
  rename(d.remainders, s, r.names);
  if (d.quotients.length === 0) return counters;
  const q = makeValue(r.ids, type);
  const plain = after.math("add", q, after.constant(quotientStep));
  counters.push({
    first: before.constant(begin / d.by),
    param: q,
    next: wraps ? after.select(wraps, after.math("add", plain, after.constant(1n)), plain) : plain,
  });
  rename(d.quotients, q, r.names);
  return counters;
}

/** Powers of two are cheap as they are: `fold` makes shifts and masks of them where nothing is negative. */
const expensive = (d: Division): boolean => (d.by & (d.by - 1n)) !== 0n;

function reduceFor(op: Op, r: LoopRewrite): readonly Op[] {
  const [body] = op.regions;
  const index = body?.params[0];
  const count = index && countOf(op, index, r);
  if (!body || !index || !count || endsThread(body)) return [inside(op, r)];
  const found = divisions(body, count, r).filter(expensive);
  if (found.length === 0) return [inside(op, r)];
  const before = opWriter(count.type, op.spans, r.ids);
  const after = opWriter(count.type, op.spans, r.ids);
  const counters = found.flatMap((d) => countersFor(d, count, before, after, r));
  const ops = reduceOps(body.ops, r);
  const last = ops.at(-1);
  const end = last
    ? [withParts(last, { operands: { values: [...yielded({ params: [], ops }), ...counters.map((c) => c.next)] } })]
    : [];
  const looped = withParts(op, {
    operands: { ...op.operands, carried: [...carriedInto(op), ...counters.map((c) => c.first)] },
    results: [...op.results, ...counters.map((c) => makeValue(r.ids, c.param.type))],
    regions: [{ params: [...body.params, ...counters.map((c) => c.param)], ops: [...ops.slice(0, -1), ...after.ops, ...end] }],
  });
  return [...before.ops, looped];
}

function inside(op: Op, r: LoopRewrite): Op {
  if (op.regions.length === 0) return op;
  return withRegions(
    op,
    op.regions.map((region) => withOps(region, reduceOps(region.ops, r))),
  );
}

function reduceOps(ops: readonly Op[], r: LoopRewrite): readonly Op[] {
  return ops.flatMap((raw) => {
    const op = renameOperands(raw, r.names);
    const gone = op.results.length === 1 && isPure(op) && op.results.every((v) => r.names.has(v.id));
    if (gone) return [];
    return op.name === "for" ? reduceFor(op, r) : [inside(op, r)];
  });
}

export function reduceInduction(graph: Graph, ids: Ids = freshIds(graph)): Graph {
  if (!hasOp(graph.body, "div", "rem")) return graph;
  const reduction: LoopRewrite = { ids, literals: integerLiterals(graph), names: new Map() };
  return withBody(graph, reduceOps(graph.body.ops, reduction));
}
