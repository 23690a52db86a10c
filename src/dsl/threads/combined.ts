import type { ScalarType, Value } from "../../ir/index.ts";
import { changingNothing, checkAlone } from "../calls/alone.ts";
import { callFunction } from "../calls/call.ts";
import { constantLike, openConstant } from "../numbers/constant.ts";
import { describe } from "../numbers/describe.ts";
import { lift } from "../numbers/lift.ts";
import { isLiteral } from "../numbers/literals.ts";
import { isOpen, joinType, settle, unify } from "../numbers/open-types.ts";
import { promoted } from "../numbers/operands.ts";
import { usable } from "../numbers/unusable.ts";
import { bornHere } from "../objects/frames.ts";
import { type Parts, partsOf } from "../objects/parts.ts";
import { readAll } from "../objects/whole.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar, scalar } from "../trace/scalar.ts";
import { hasStructure } from "../trace/staged.ts";
import type { OpenRegion, Trace } from "../trace/trace.ts";

/** A number, a truth value, or an object of such, taken apart. */
export interface Given {
  readonly whole: unknown;
  readonly values: readonly Value[];
}

/** The leaves as values of the GPU: a literal becomes one, and narrow integers widen, as in arithmetic. W2010. */
function leafValues(x: unknown, what: string): readonly Value[] {
  usable(x);
  readAll([x]);
  if (isStagedScalar(x)) return [promoted(x.value)];
  if (isLiteral(x)) return [openConstant(x)];
  const parts = hasStructure(x) ? undefined : partsOf(x);
  if (parts) return parts.leaves.flatMap((leaf) => leafValues(leaf, what));
  const wanted = "a number or a truth value, or an object of such";
  return failHere("W2010", { what, wanted, got: describe(x), fix: "give the numbers that are to be combined" });
}

/** What a thread brings. `what`: in the author's words. W2010. */
export const givenOf = (x: unknown, what: string): Given => ({
  whole: x,
  values: leafValues(x, what),
});

/** An object like the one that was taken apart, with these leaves. */
export function rebuilt({ whole }: Given, values: readonly Value[]): unknown {
  let at = 0;
  const build = (x: unknown): unknown => {
    const parts = partsOf(x);
    if (parts) return bornHere(parts.rebuild(parts.leaves.map(build)));
    const value = values[at++];
    return value === undefined ? undefined : scalar(value);
  };
  return build(whole);
}

/** The leaves of `b` in the order of those of `a`: two objects are alike whatever the order of their fields. */
function inOrder(a: Parts, b: Parts): readonly unknown[] | undefined {
  if (a.kind !== b.kind || a.leaves.length !== b.leaves.length) return undefined;
  if (!a.keys || !b.keys) return a.shape === b.shape ? b.leaves : undefined;
  const places = a.keys.map((key) => b.keys?.indexOf(key) ?? -1);
  return places.includes(-1) ? undefined : places.map((i) => b.leaves[i]);
}

/** The leaves of what is like another one; undefined where it is not. */
function leavesLike(like: unknown, x: unknown): readonly unknown[] | undefined {
  const [a, b] = [partsOf(like), partsOf(x)];
  if (!a || !b) return a || b ? undefined : [x];
  const leaves = inOrder(a, b);
  const found = a.leaves.map((leaf, i) => (leaves ? leavesLike(leaf, leaves[i]) : undefined));
  return found.some((list) => list === undefined) ? undefined : found.flatMap((list) => list ?? []);
}

/** A leaf in the type that a value has or will have. W2010. */
function liftLike(x: unknown, like: Value, what: string): Value {
  usable(x);
  if (!isOpen(like) || (!isLiteral(x) && !isStagedScalar(x))) return lift(x, like.type as ScalarType, what);
  if (isLiteral(x)) return constantLike(x, like);
  if (isOpen(x.value)) unify(like, x.value);
  else settle(like, x.type);
  return lift(x, like.type as ScalarType, what);
}

/** With the names of its fields, by which two objects differ. */
function describeFields(x: unknown): string {
  const keys = Array.isArray(x) ? undefined : partsOf(x)?.keys;
  if (Array.isArray(x)) return `an array of ${x.length}`;
  return keys ? `${describe(x)} with ${keys.map((key) => `\`${String(key)}\``).join(", ") || "no fields"}` : describe(x);
}

/** Another value of the same kind. `called`: the author's call. W2010, W6523. */
export function valuesLike(given: Given, x: unknown, called: string, what: string): readonly Value[] {
  const leaves = leavesLike(given.whole, x);
  if (!leaves) return failHere("W6523", { what: called, given: describeFields(x), wanted: describeFields(given.whole) });
  return leaves.map((leaf, i) => liftLike(leaf, given.values[i] as Value, what));
}

/** The region that makes one of two by `run`, of what comes first and what comes after it. */
export function regionOf(
  trace: Trace,
  given: Given,
  run: (a: readonly Value[], b: readonly Value[]) => readonly Value[],
): OpenRegion {
  const side = (): Value[] =>
    given.values.map((value) => {
      const param = trace.value(value.type);
      joinType(param, value);
      return param;
    });
  const [a, b] = [side(), side()];
  return trace.inRegion([...a, ...b], () => {
    trace.emit("yield", { values: run(a, b) }, {});
  }).region;
}

/** The region that the author's function is. W2010, W6521, W6523, W6524. */
export function combineRegion(trace: Trace, given: Given, combine: unknown, called: string): OpenRegion {
  const text = `the function given to \`${called}\``;
  const region = regionOf(trace, given, (a, b) =>
    changingNothing(trace, called, () => {
      const args = [a, b].map((values) => rebuilt(given, values));
      const result = callFunction(trace, { f: combine, receiver: undefined, args, text: "combine", construct: false });
      return valuesLike(given, result, called, `what ${text} returns`);
    }),
  );
  checkAlone(region, called);
  return region;
}
