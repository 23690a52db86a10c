import { fail } from "../errors/index.ts";
import { arithmetic } from "../numbers/arithmetic.ts";
import { not } from "../numbers/compare.ts";
import { describe } from "../numbers/describe.ts";
import { elementwise, TileQuotient } from "../numbers/elementwise.ts";
import { checked } from "../numbers/exact.ts";
import { complement, isWide, wrappedQuotient } from "../numbers/integers.ts";
import { isOpen, whenTyped } from "../numbers/open-types.ts";
import { emitLike, operand, promoted, wantNumber, wrap } from "../numbers/operands.ts";
import { refuseTriple } from "../numbers/triple.ts";
import { Quotient, Unusable, usable } from "../numbers/unusable.ts";
import { failHere, spansHere } from "../trace/fail-here.ts";
import { fixOfUnary } from "../trace/operator-fix.ts";
import { isStagedScalar, type StagedScalar } from "../trace/scalar.ts";
import { isOwnObject } from "../trace/staged.ts";
import { isStagedTile } from "../trace/staged-tile.ts";
import { noteConverted } from "./binary.ts";

function negative(x: StagedScalar): StagedScalar {
  wantNumber(x, "-");
  const value = promoted(x.value);
  const spans = spansHere();
  const check = (type: string): void => {
    if (type === "u32" || type === "u64") fail("W2012", { type }, spans);
  };
  if (isOpen(value)) whenTyped(value, check);
  else check(String(value.type));
  return wrap(checked(emitLike("neg", { a: value }, value), "-"));
}

function plus(x: StagedScalar): StagedScalar {
  wantNumber(x, "+");
  if (isWide(x)) failHere("W2013", { op: "+", instead: "leave the sign out, or convert with f64(x)" });
  return x;
}

function plain(op: string, a: unknown): unknown {
  // biome-ignore lint/suspicious/noExplicitAny: JavaScript's own operators, on whatever the author gave them
  let x = a as any;
  switch (op) {
    case "-":
      return -x;
    case "+":
      return +x;
    case "~":
      return ~x;
    case "!":
      return !x;
    case "typeof":
      return typeof x;
    case "++":
      return ++x;
    case "--":
      return --x;
    default:
      return undefined;
  }
}

/** Operators that JavaScript makes a number of any object for: NaN of one of the dsl. */
const asksForNumber: ReadonlySet<string> = new Set(["-", "+", "~", "++", "--"]);

/** `- + ~ ! typeof void ++ --`, static or staged. W2009. */
export function unary(op: string, a: unknown): unknown {
  if (op === "void") return undefined;
  if (a instanceof TileQuotient && op !== "typeof") return elementwise([a], `\`${op}\``, ([x]) => unary(op, x));
  if (isStagedTile(a))
    return op === "typeof"
      ? a.type.dtype === "bool"
        ? "boolean"
        : "number"
      : elementwise([a], `\`${op}\``, ([x]) => unary(op, x));
  if (op === "!") return not(a);
  if (op === "~" && a instanceof Quotient) return complement(wrappedQuotient(a));
  if (a instanceof Unusable) usable(a);
  if (op !== "typeof") refuseTriple(a);
  if (!isStagedScalar(a)) {
    if (op !== "typeof") noteConverted(a);
    if (isOwnObject(a) && asksForNumber.has(op)) failHere("W2009", { op, what: describe(a), instead: fixOfUnary(op, a) });
    return plain(op, a);
  }
  switch (op) {
    case "typeof":
      return a.type === "pred" ? "boolean" : isWide(a) ? "bigint" : "number";
    case "~":
      return complement(a);
    case "-":
      return negative(a);
    case "+":
      return plus(a);
    case "++":
    case "--":
      return arithmetic(op === "++" ? "+" : "-", wantNumber(operand(a, op), op), isWide(a) ? 1n : 1);
    default:
      throw new Error(`no unary operator ${op}`);
  }
}
