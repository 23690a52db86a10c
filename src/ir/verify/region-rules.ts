import type { Op, OperandValue, Region, Value } from "../graph.ts";
import { opSpec } from "../ops/index.ts";
import { isAcc, sameType, type Type, typeName } from "../types.ts";
import { breaks } from "./invariant-error.ts";

const types = (values: readonly Value[]): readonly Type[] => values.map((v) => v.type);
const listed = (list: readonly Type[]): string => `(${list.map(typeName).join(", ")})`;
const operandsOf = (op: Op): Readonly<Record<string, OperandValue>> => op.operands;
const listOf = (op: Op, name: string): readonly Value[] => (operandsOf(op)[name] ?? []) as readonly Value[];

function match(op: Op, what: string, found: readonly Type[], wanted: readonly Type[]): void {
  const same = found.length === wanted.length && found.every((t, i) => sameType(t, wanted[i] ?? "pred"));
  if (!same) breaks(op, `has ${what} ${listed(found)}, not ${listed(wanted)}`);
}

/** The terminator of a region: `exit`, or the one that belongs there with values of those types. */
function endsIn(region: Region, name: "yield" | "condition", what: string, wanted: readonly Type[]): void {
  const last = region.ops.at(-1);
  if (last === undefined || last.name === "exit") return;
  if (last.name !== name) breaks(last, `ends a region that ends in '${name}' or 'exit'`);
  match(last, what, types(listOf(last, "values")), wanted);
}

const isTerminator = ({ name }: Op): boolean => opSpec(name).terminator === true;

function checkTerminators(region: Region, owner: Op | undefined): void {
  const last = region.ops.at(-1);
  if (last === undefined || !isTerminator(last)) breaks(last ?? owner, "has a region without a terminator at its end");
  const early = region.ops.find(isTerminator);
  if (early !== last) breaks(early, "stands before the end of its region");
}

function checkIf(op: Op, yes: Region, no: Region): void {
  match(op, "a region with parameters", types([...yes.params, ...no.params]), []);
  endsIn(yes, "yield", "values", types(op.results));
  endsIn(no, "yield", "values", types(op.results));
}

function checkFor(op: Op, body: Region): void {
  const { start } = operandsOf(op);
  const carried = types(listOf(op, "carried"));
  const index = start !== undefined && "type" in start ? [start.type] : [];
  match(op, "a body with parameters", types(body.params), [...index, ...carried]);
  match(op, "results", types(op.results), carried);
  endsIn(body, "yield", "values", carried);
}

function checkWhile(op: Op, test: Region, body: Region): void {
  const carried = types(listOf(op, "carried"));
  match(op, "a test with parameters", types(test.params), carried);
  match(op, "results", types(op.results), types(body.params));
  endsIn(test, "condition", "values", types(body.params));
  endsIn(body, "yield", "values", carried);
}

/** The regions of one op: how many, what comes in, what goes out. */
export function checkRegions(op: Op): void {
  const count = opSpec(op.name).regions?.length ?? 0;
  if (op.regions.length !== count) breaks(op, `has ${count} regions, not ${op.regions.length}`);
  if (count === 0) return;
  for (const region of op.regions) checkTerminators(region, op);
  const [first, second] = op.regions;
  if (op.name === "if" && first && second) checkIf(op, first, second);
  if (op.name === "for" && first) checkFor(op, first);
  if (op.name === "while" && first && second) checkWhile(op, first, second);
}

/** The kernel's own body: it gives nothing. */
export function checkBody(region: Region): void {
  checkTerminators(region, undefined);
  endsIn(region, "yield", "values", []);
  for (const param of region.params) if (isAcc(param.type)) breaks(undefined, "an accumulator cannot be a parameter of a kernel");
}
