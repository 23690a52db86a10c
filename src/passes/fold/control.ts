import { endsThread, isPointer, isScalar, keepFlow, type Op, opSpec, type Region, type Value, yielded } from "../../ir/index.ts";
import { isPure, operand, operandsOf, renamed, withRegions } from "../rewrite/rewrite.ts";
import { type FoldContext, instead, integerOf, literalOf } from "./context.ts";

/** How control flow folds what is inside it. `into` appends the folded op to `out` and says whether the region has ended there. */
export interface Folding {
  readonly context: FoldContext;
  readonly into: (op: Op, out: Op[]) => boolean;
  readonly region: (region: Region) => Region;
}

/** Names `inner` by `outer`, one by one. */
function stand(inner: readonly Value[], outer: readonly Value[], c: FoldContext): void {
  inner.forEach((value, i) => {
    const by = outer[i];
    if (by && by !== value) c.names.set(value.id, renamed(by, c.names));
  });
}

/** The ops of a region in place of the op around it, whose results are what the region yields. */
function inline(region: Region, params: readonly Value[], results: readonly Value[], f: Folding, out: Op[]): boolean {
  stand(region.params, params, f.context);
  const last = region.ops.at(-1);
  for (const op of region.ops) if (op !== last && f.into(op, out)) return true;
  if (last && endsThread(region)) return f.into(last, out);
  stand(results, yielded(region), f.context);
  return false;
}

const selectable = (v: Value): boolean => isScalar(v.type) || isPointer(v.type);

/** Pure, but not to be done where the author did not ask for it, or with lanes that are not there. */
function expensive(op: Op): boolean {
  const { cost, participants } = opSpec(op.name);
  return cost === "expensive" || participants !== undefined;
}
const mostInBoth = 4;

/** Sides so short that doing both costs less than a branch: a few pure ops on scalars and addresses. */
function doesLittle(sides: readonly Region[]): boolean {
  if (sides.some(endsThread)) return false;
  let left = mostInBoth;
  const fits = (op: Op, i: number, { length }: readonly Op[]): boolean => {
    if (i === length - 1 || op.name === "const") return true;
    return left-- > 0 && isPure(op) && !expensive(op) && op.results.every(selectable);
  };
  return sides.every((side) => side.ops.every(fits));
}

/** An `if` that only chooses between values. */
function choose(op: Op, yes: readonly Value[], no: readonly Value[], f: Folding, out: Op[]): boolean {
  const condition = operand(op, "condition");
  op.results.forEach((result, i) => {
    const [a, b] = [yes[i], no[i]];
    if (condition && a && b) f.into(instead(op, "select", { condition, yes: a, no: b }, {}, [result]), out);
  });
  return false;
}

/** Results that are one value from outside on both sides are that value. */
function shareResults(op: Op, [yes, no]: readonly [Region, Region], c: FoldContext): Op {
  const [a, b] = [yielded(yes), yielded(no)];
  const shared = new Set<Value>();
  op.results.forEach((result, i) => {
    const value = a[i];
    if (!value || value !== b[i]) return;
    shared.add(result);
    c.names.set(result.id, value);
  });
  return keepFlow(withRegions(op, [yes, no]), ([result]) => !result || !shared.has(result));
}

export function foldIf(op: Op<"if">, f: Folding, out: Op[]): boolean {
  const [yes, no] = op.regions;
  if (!yes || !no) return push(op as Op, out);
  const known = literalOf(op.operands.condition, f.context);
  if (typeof known === "boolean") return inline(known ? yes : no, [], op.results, f, out);
  const sides = [f.region(yes), f.region(no)] as const;
  if (doesLittle(sides) && op.results.every(selectable)) {
    for (const side of sides) for (const inner of side.ops.slice(0, -1)) out.push(inner);
    return choose(op as Op, yielded(sides[0]), yielded(sides[1]), f, out);
  }
  return push(shareResults(op as Op, sides, f.context), out);
}

/** How often the body runs, where the bounds are literals. */
export function tripCount(start: bigint | undefined, stop: bigint | undefined, step: bigint | undefined): bigint | undefined {
  if (start === undefined || stop === undefined || step === undefined || step === 0n) return undefined;
  const distance = step > 0n ? stop - start : start - stop;
  const by = step > 0n ? step : -step;
  return distance <= 0n ? 0n : (distance + by - 1n) / by;
}

export function foldFor(op: Op<"for">, f: Folding, out: Op[]): boolean {
  const [body] = op.regions;
  const { start, stop, step, carried } = op.operands;
  const c = f.context;
  const trips = tripCount(integerOf(start, c), integerOf(stop, c), integerOf(step, c));
  if (!body) return push(op as Op, out);
  if (trips === 0n) {
    stand(op.results, carried, c);
    return false;
  }
  if (trips === 1n) return inline(body, [start, ...carried], op.results, f, out);
  return push(withRegions(op as Op, [f.region(body)]), out);
}

export function foldWhile(op: Op<"while">, f: Folding, out: Op[]): boolean {
  const [test, body] = op.regions;
  if (!test || !body) return push(op as Op, out);
  const folded = f.region(test);
  const last = folded.ops.at(-1);
  const never = endsThread(folded) || (last && literalOf(operand(last, "go"), f.context) === false);
  if (never) return inline(folded, operandsOf(op as Op, "carried"), op.results, f, out);
  return push(withRegions(op as Op, [folded, f.region(body)]), out);
}

function push(op: Op, out: Op[]): boolean {
  out.push(op);
  return false;
}
