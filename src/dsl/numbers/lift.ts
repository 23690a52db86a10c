import { isInteger, type ScalarType, type Value } from "../../ir/index.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar } from "../trace/scalar.ts";
import { isOwnObject, isPlaceOfElement, Staged } from "../trace/staged.ts";
import { isStagedTile } from "../trace/staged-tile.ts";
import { constant } from "./constant.ts";
import { describe } from "./describe.ts";
import { isLiteral, isStaticNumber } from "./literals.ts";
import { aType, typeText } from "./names.ts";
import { isOpen, isOpenBigint, settle } from "./open-types.ts";
import { promoted, widen, widens } from "./operands.ts";
import { refuseTriple } from "./triple.ts";
import { Unusable, usable } from "./unusable.ts";

/**
 * A static number or a staged scalar as a value of exactly that type: literals must be representable in it, open types take it,
 * a narrower float widens. `what` names the value for the error: "the value stored to y", "the predicate of a.load". W2010, W2059.
 */
export function lift(x: unknown, type: ScalarType, what: string): Value {
  usable(x);
  if (isLiteral(x)) {
    if ((typeof x === "boolean") !== (type === "pred")) failWanted(x, type, what);
    return constant(x, type);
  }
  if (!isStagedScalar(x)) return failWanted(x, type, what);
  const value = x.value;
  if (isOpen(value)) {
    if (type === "pred") failWanted(x, type, what);
    settle(value, type);
  }
  if (value.type === type) return value;
  return widens(x.type, type) ? widen(value, type) : failWanted(x, type, what);
}

function failWanted(x: unknown, type: ScalarType, what: string): never {
  refuseTriple(x);
  let fix = `give ${aType(type)}`;
  if (isStagedScalar(x) || isLiteral(x)) fix = `convert it: \`${typeText(type)}(…)\``;
  else if (isPlaceOfElement(x)) fix = "take the element itself: `x.at(i).value`, or `x[i]`";
  return failHere("W2010", { what, wanted: aType(type), got: describe(x), fix });
}

/** A bool, static or staged. */
export const liftPred = (x: unknown, what: string): Value => lift(x, "pred", what);

/** A predicate that may be left out: undefined where it is always true. */
export const liftCondition = (x: unknown, what: string): Value | undefined =>
  x === undefined || x === true ? undefined : liftPred(x, what);

/** An index: a whole static number as it is, else a staged i32, u32, i64 or u64 (narrower integers widen to i32). */
export function liftIndex(x: unknown, what: string): Value | number | bigint {
  usable(x);
  refuseTriple(x);
  if (isStaticNumber(x)) {
    if (typeof x === "number" && !Number.isInteger(x)) failHere("W2017", { what, got: describe(x) });
    return x;
  }
  if (!isStagedScalar(x)) return failHere("W2017", { what, got: describe(x) });
  const value = promoted(x.value);
  if (isOpen(value)) settle(value, isOpenBigint(value) ? "i64" : "i32");
  return isInteger(value.type) ? value : failHere("W2017", { what, got: describe(x) });
}

/** Does the value live on the GPU, or hold one that does? Looks into arrays, plain objects, maps and class instances, not into the dsl's own objects. */
export function isStaged(x: unknown, seen: Set<object> = new Set()): boolean {
  if (typeof x !== "object" || x === null) return false;
  if (x instanceof Staged || x instanceof Unusable || isStagedTile(x)) return true;
  if (isOwnObject(x) || seen.has(x) || seen.size > 20_000 || ArrayBuffer.isView(x)) return false;
  seen.add(x);
  if (x instanceof Map) return [...x.entries()].some(([key, value]) => isStaged(key, seen) || isStaged(value, seen));
  if (x instanceof Set) return [...x].some((value) => isStaged(value, seen));
  for (const descriptor of Object.values(Object.getOwnPropertyDescriptors(x))) if (isStaged(descriptor.value, seen)) return true;
  return false;
}
