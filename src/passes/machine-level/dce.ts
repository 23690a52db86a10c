/**
 * Removes what nobody needs.
 *
 * Requires: nothing beyond the verifier's invariants.
 * Ensures: every op acts on something outside, decides whether such an op runs, or gives a value to one that is needed. Loads
 * whose results are unused go; so do results of regions, and values carried by loops, that nothing reads. A `while` that
 * reads memory stays: it may be waiting. Other loops are taken to end.
 */
import {
  deciders,
  decidingRegion,
  eachOperand,
  type Graph,
  keepFlow,
  type Op,
  type OpName,
  opNames,
  opSpec,
  type Region,
  sources,
  type Value,
  walkOps,
  withParts,
} from "../../ir/index.ts";
import { withBody } from "../rewrite/rewrite.ts";

interface Marks {
  readonly ops: Set<Op>;
  readonly values: Set<number>;
  /** Per value: the op that defines it, or the op whose region has it as a parameter. */
  readonly makers: ReadonlyMap<number, Op>;
  /** Per op in a region of another one: that one. */
  readonly around: ReadonlyMap<Op, Op>;
  readonly todo: Value[];
}

const reads = (op: Op): boolean => opSpec(op.name).effects.some((e) => e.startsWith("read."));

/** Ops without regions that do more than read. Terminators that yield serve the op around them. */
const acting: ReadonlySet<OpName> = new Set(
  opNames.filter((name) => {
    const { terminator, regions, effects } = opSpec(name);
    return terminator === "ends thread" || (!terminator && !regions && effects.some((e) => !e.startsWith("read.")));
  }),
);

function waits(op: Op): boolean {
  if (!decidingRegion(op)) return false;
  let found = false;
  for (const region of op.regions)
    walkOps(region, (inner) => {
      found ||= reads(inner);
    });
  return found;
}

/** Needed for what it does, whoever uses its results. */
const isRoot = (op: Op): boolean => acting.has(op.name) || waits(op);

/** `roots` in the order of the text. */
interface Survey {
  readonly makers: Map<number, Op>;
  readonly around: Map<Op, Op>;
  readonly roots: Op[];
}

function survey(region: Region, around: Op | undefined, s: Survey): void {
  region.ops.forEach((op) => {
    if (around) s.around.set(op, around);
    if (isRoot(op)) s.roots.push(op);
    const makes = ({ id }: Value): void => void s.makers.set(id, op);
    op.results.forEach(makes);
    if (op.regions.length === 0) return;
    op.regions.forEach((inner) => {
      inner.params.forEach(makes);
      survey(inner, op, s);
    });
  });
}

/** The op runs; so the ops around it decide. */
function markOp(op: Op, marks: Marks): void {
  if (marks.ops.has(op)) return;
  marks.ops.add(op);
  if (op.regions.length === 0) eachOperand(op, (value) => void marks.todo.push(value));
  else for (const value of deciders(op)) marks.todo.push(value);
  const around = marks.around.get(op);
  if (around) markOp(around, marks);
}

function mark(graph: Graph): Marks {
  const { makers, around, roots }: Survey = { makers: new Map(), around: new Map(), roots: [] };
  survey(graph.body, undefined, { makers, around, roots });
  const marks: Marks = { ops: new Set(), values: new Set(), makers, around, todo: [] };
  roots.forEach((op) => {
    markOp(op, marks);
  });
  for (let value = marks.todo.pop(); value; value = marks.todo.pop()) {
    if (marks.values.has(value.id)) continue;
    marks.values.add(value.id);
    const maker = makers.get(value.id);
    if (!maker) continue;
    markOp(maker, marks);
    if (maker.regions.length > 0) for (const source of sources(maker, value)) marks.todo.push(source);
  }
  return marks;
}

/** Terminators serve the op around them: `keepFlow` has left them what is needed. */
function sweepRegion(region: Region, marks: Marks): Region {
  const ops: Op[] = [];
  region.ops.forEach((op) => {
    if (opSpec(op.name).terminator) ops.push(op);
    else if (marks.ops.has(op)) ops.push(op.regions.length === 0 ? op : sweepOp(op, marks));
  });
  return { params: region.params, ops };
}

function sweepOp(op: Op, marks: Marks): Op {
  const lean = keepFlow(op, (received) => received.some(({ id }) => marks.values.has(id)));
  return withParts(lean, { regions: lean.regions.map((region) => sweepRegion(region, marks)) });
}

export const dce = (graph: Graph): Graph => withBody(graph, sweepRegion(graph.body, mark(graph)).ops);
