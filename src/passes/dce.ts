/**
 * Removes what nobody needs.
 *
 * Requires: nothing beyond the verifier's invariants.
 * Ensures: every op acts on something outside, decides whether such an op runs, or gives a value to one that is needed. Loads
 * whose results are unused go; so do results of regions, and values carried by loops, that nothing reads. A `while` that
 * reads memory stays: it may be waiting. Other loops are taken to end.
 */
import {
  eachOperand,
  type Graph,
  type Op,
  type OpName,
  opNames,
  opSpec,
  type Region,
  type Value,
  walkOps,
  withParts,
} from "../ir/index.ts";
import { handedOut, operandsOf, withBody } from "./rewrite.ts";

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

/** Ops without regions that do more than read. Terminators other than `exit` serve the op around them. */
const acting: ReadonlySet<OpName> = new Set(
  opNames.filter((name) => {
    const { terminator, regions, effects } = opSpec(name);
    return name === "exit" || (!terminator && !regions && effects.some((e) => !e.startsWith("read.")));
  }),
);

function waits(op: Op): boolean {
  if (op.name !== "while") return false;
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
  else {
    const decides = Object.values(op.operands as Readonly<Record<string, unknown>>).filter((v) => !Array.isArray(v)) as Value[];
    for (const value of decides) marks.todo.push(value);
    for (const region of op.regions) {
      const last = region.ops.at(-1);
      if (last?.name === "condition") marks.todo.push((last as Op<"condition">).operands.go);
    }
  }
  const around = marks.around.get(op);
  if (around) markOp(around, marks);
}

const at = (list: readonly Value[], i: number): readonly Value[] => {
  const value = list[i];
  return value ? [value] : [];
};

/** The values that a result or a parameter of an op with regions comes from. */
function sources(op: Op, value: Value): readonly Value[] {
  const [first, second] = op.regions;
  const result = op.results.indexOf(value);
  if (op.name === "if") return [...at(handedOut(first), result), ...at(handedOut(second), result)];
  const param = first?.params.indexOf(value) ?? -1;
  const carried = operandsOf(op, "carried");
  if (op.name === "for") {
    const i = result >= 0 ? result : param - 1;
    return i < 0 ? [] : [...at(carried, i), ...at(handedOut(first), i)];
  }
  if (param >= 0) return [...at(carried, param), ...at(handedOut(second), param)];
  return at(handedOut(first), result >= 0 ? result : (second?.params.indexOf(value) ?? -1));
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

const keepAll = (): boolean => true;

/** `handed`: which of the values that the region hands out are needed. */
function sweepRegion(region: Region, params: readonly Value[], handed: (i: number) => boolean, marks: Marks): Region {
  const ops: Op[] = [];
  region.ops.forEach((op) => {
    if (op.name === "yield" || op.name === "condition") {
      ops.push(withParts(op, { operands: { ...op.operands, values: operandsOf(op, "values").filter((_, i) => handed(i)) } }));
    } else if (marks.ops.has(op)) ops.push(op.regions.length === 0 ? op : sweepOp(op, marks));
  });
  return { params, ops };
}

const live = (value: Value | undefined, marks: Marks): boolean => value !== undefined && marks.values.has(value.id);

function sweepOp(op: Op, marks: Marks): Op {
  const [first, second] = op.regions;
  if (!first) return op;
  if (op.name === "for") return sweepFor(op, first, marks);
  if (!second) return op;
  return op.name === "if" ? sweepIf(op, first, second, marks) : sweepWhile(op, first, second, marks);
}

function sweepIf(op: Op, yes: Region, no: Region, marks: Marks): Op {
  const needed = (i: number) => live(op.results[i], marks);
  const regions = [sweepRegion(yes, [], needed, marks), sweepRegion(no, [], needed, marks)];
  return withParts(op, { results: op.results.filter((_, i) => needed(i)), regions });
}

/** What is carried is needed inside, or as a result. */
function sweepFor(op: Op, body: Region, marks: Marks): Op {
  const needed = (i: number) => live(op.results[i], marks) || live(body.params[i + 1], marks);
  const params = body.params.filter((_, i) => i === 0 || needed(i - 1));
  return withParts(op, {
    operands: { ...op.operands, carried: operandsOf(op, "carried").filter((_, i) => needed(i)) },
    results: op.results.filter((_, i) => needed(i)),
    regions: [sweepRegion(body, params, needed, marks)],
  });
}

/** What comes in at the test, and what goes out of it to the body and the results. */
function sweepWhile(op: Op, test: Region, body: Region, marks: Marks): Op {
  const comesIn = (i: number) => live(test.params[i], marks);
  const goesOut = (i: number) => live(op.results[i], marks) || live(body.params[i], marks);
  const [testParams, bodyParams] = [test.params.filter((_, i) => comesIn(i)), body.params.filter((_, i) => goesOut(i))];
  return withParts(op, {
    operands: { carried: operandsOf(op, "carried").filter((_, i) => comesIn(i)) },
    results: op.results.filter((_, i) => goesOut(i)),
    regions: [sweepRegion(test, testParams, goesOut, marks), sweepRegion(body, bodyParams, comesIn, marks)],
  });
}

export function dce(graph: Graph): Graph {
  return withBody(graph, sweepRegion(graph.body, graph.body.params, keepAll, mark(graph)).ops);
}
